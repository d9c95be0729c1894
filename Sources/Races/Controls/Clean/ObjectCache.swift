import Foundation

/// An `NSCache`, which locks itself, without a further lock.
final class ObjectCache: @unchecked Sendable {
    // `NSCache` may be used from any thread, and its values are immutable.
    private final class Box: Sendable {
        let value: Int

        init(_ value: Int) {
            self.value = value
        }
    }

    private let cache = NSCache<NSNumber, Box>()

    static let control = RaceControl(.clean, "nscache", summary: "many threads use one `NSCache`") {
        let objects = ObjectCache()
        let wrong = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            let key = NSNumber(value: index % 32)
            objects.cache.setObject(Box(index % 32), forKey: key)
            let found = objects.cache.object(forKey: key)
            wrong.add(found?.value == index % 32 ? 0 : 1, client: thread)
        }
        return wrong.total == 0
    }
}
