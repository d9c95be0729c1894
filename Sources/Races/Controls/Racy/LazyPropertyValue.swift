/// Computes a property when it is first read, by any thread.
final class LazyPropertyValue: @unchecked Sendable {
    // Broken on purpose: the first readers of a lazy property write it, and nothing orders them.
    private let key: Int
    private lazy var digest = key &* 31 &+ 7

    private init(key: Int) {
        self.key = key
    }

    static let control = RaceControl(
        .racy, "lazy-property", summary: "several threads are the first to read a lazy property"
    ) {
        // Each value is computed once, so a single one gives one chance; a thousand would take seconds to report.
        let values = (0..<ContendingThreads.operationCount / 40).map(LazyPropertyValue.init)
        await ContendingThreads.run { _, index in _ = values[index / 40].digest }
        return values.enumerated().allSatisfy { $1.digest == $0 &* 31 &+ 7 }
    }
}
