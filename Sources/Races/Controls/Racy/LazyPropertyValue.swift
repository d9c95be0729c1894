/// Computes a property when it is first read, whoever reads it.
final class LazyPropertyValue: @unchecked Sendable {
    // Broken on purpose: a lazy property is written by its first readers, and nothing orders them.
    private let key: Int
    private lazy var digest = key &* 31 &+ 7

    private init(key: Int) {
        self.key = key
    }

    static let control = RaceControl(
        .racy, "lazy-property", summary: "several threads are the first to read a lazy property"
    ) {
        // Each is computed once, so one alone would be one chance; a thousand would take seconds to report.
        let values = (0..<ContendingThreads.operationCount / 40).map(LazyPropertyValue.init)
        await ContendingThreads.run { _, index in _ = values[index / 40].digest }
        return values.enumerated().allSatisfy { $1.digest == $0 &* 31 &+ 7 }
    }
}
