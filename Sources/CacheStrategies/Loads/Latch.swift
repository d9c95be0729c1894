import Foundation

/// A result that several callers wait for and one brings. Threads block until it is there, and tasks suspend.
@usableFromInline
final class Latch<Result: Sendable>: @unchecked Sendable {
    // Sound although unchecked: all properties are touched only while the condition's lock is held.
    private let condition = NSCondition()
    private var result: Result?
    private var waiting = 0
    private var suspended: [CheckedContinuation<Void, Never>] = []

    @usableFromInline
    init() {}

    /// Lets everybody through who waits, now or later. The first result stays.
    @usableFromInline
    func open(with result: Result) {
        let suspended = condition.withLock {
            if self.result == nil { self.result = result }
            condition.broadcast()
            defer { self.suspended = [] }
            return self.suspended
        }
        for continuation in suspended { continuation.resume() }
    }

    /// Blocks until there is a result.
    @usableFromInline
    func wait() -> Result {
        condition.withLock {
            waiting += 1
            defer { waiting -= 1 }
            while true {
                if let result { return result }
                condition.wait()
            }
        }
    }

    /// Blocks until there is a result, or some time has passed.
    @usableFromInline
    func wait(atMost time: Duration) -> Result? {
        let deadline = Date(timeIntervalSinceNow: time / .seconds(1))
        return condition.withLock {
            waiting += 1
            defer { waiting -= 1 }
            while result == nil { guard condition.wait(until: deadline) else { break } }
            return result
        }
    }

    /// Suspends until there is a result.
    @usableFromInline
    func suspendedResult() async -> Result {
        await withCheckedContinuation { continuation in
            let isOpen = condition.withLock {
                if result == nil { suspended.append(continuation) }
                return result != nil
            }
            if isOpen { continuation.resume() }
        }
        // Not handed over by the continuation: when it is resumed before the task has suspended, Swift's runtime (6.3)
        // doesn't tell Thread Sanitizer, which then takes the caller's reading of the value for a race. Here the lock
        // orders both; and the latch is open, so that this doesn't block.
        return wait()
    }

    /// How many threads are blocked. For tests, which can't see it otherwise.
    var waiterCount: Int { condition.withLock { waiting } }
}
