import Foundation

/// Looks first without the lock, and only then with it.
final class DoubleCheckedValue: @unchecked Sendable {
    // Broken on purpose: the first look at `value` is not ordered after the write of another thread.
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
        // Each value is initialised once, so one alone would be one chance; a thousand would take seconds to report.
        let values = (0..<ContendingThreads.operationCount / 40).map { _ in DoubleCheckedValue() }
        await ContendingThreads.run { _, index in _ = values[index / 40].initialized() }
        return values.allSatisfy { $0.value == 42 }
    }
}
