import Foundation

/// Checks a value first without the lock, and then with it.
final class DoubleCheckedValue: @unchecked Sendable {
    // Broken on purpose: the first check of `value` is not ordered after another thread's write.
    private let lock = NSLock()
    private var value = 0

    private func initialized() -> Int {
        if value != 0 { return value }
        return lock.withLock {
            if value == 0 { value = 42 }
            return value
        }
    }

    static let control = RaceControl(
        .racy, "double-checked-initialization", summary: "the first look at a shared value is outside the lock"
    ) {
        // Each value is initialised once, so a single one gives one chance; a thousand would take seconds to report.
        let values = (0..<ContendingThreads.operationCount / 40).map { _ in DoubleCheckedValue() }
        await ContendingThreads.run { _, index in _ = values[index / 40].initialized() }
        return values.allSatisfy { $0.value == 42 }
    }
}
