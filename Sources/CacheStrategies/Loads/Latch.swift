import Foundation
import Locks

/// A result that several callers wait for and one delivers. Threads block until it is there, and tasks suspend.
@usableFromInline
final class Latch<Result: Sendable>: @unchecked Sendable {
    // Sound although unchecked: all properties are touched only while the condition's lock is held.
    private let condition = NSCondition()
    private var result: Result?
    private var waiting = 0
    private var suspended: [CheckedContinuation<Void, Never>] = []

    @usableFromInline
    init() {}

    /// Releases all callers that wait, now or later. The first result counts.
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

    /// Blocks until there is a result, or for a time at most.
    @usableFromInline
    func wait(atMost time: Duration) -> Result? {
        let deadline = Date.deadline(in: time / .seconds(1))
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
        // Not passed by the continuation: when it is resumed before the task has suspended, Swift's runtime (6.3)
        // doesn't tell Thread Sanitizer, which then reports the caller's reading of the value as a race. Here the lock
        // orders both; and the latch is open, so that this doesn't block.
        return wait()
    }

    /// The number of blocked threads. For tests, which have no other way to see it.
    var waiterCount: Int { condition.withLock { waiting } }
}
