import Foundation

/// A result that several callers wait for and one delivers, in either order. Threads block until it is there, and tasks
/// suspend.
///
/// A cancelled task waits all the same.
@usableFromInline
package final class Latch<Result: Sendable>: @unchecked Sendable {
    // Sound although unchecked: all properties are touched only while the condition's lock is held.
    private let condition = NSCondition()
    private var result: Result?
    private var waiting = 0
    private var suspended: [CheckedContinuation<Void, Never>] = []

    @usableFromInline
    package init() {}

    /// Releases all callers that wait, now or later. The first result counts.
    @usableFromInline
    package func open(with result: Result) {
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
    package func wait() -> Result {
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
    package func wait(atMost time: Duration) -> Result? {
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
    package func suspendedResult() async -> Result {
        await suspend()
        return wait()
    }

    /// Suspends until there is a result, which ``wait()`` then returns without blocking.
    ///
    /// For an optional result: an async function that returns a generic type around a generic parameter breaks the task's
    /// allocator in a debug build (Swift 6.3).
    @usableFromInline
    package func suspend() async {
        // The result is not passed by the continuation: when it is resumed before the task has suspended, Swift's
        // runtime (6.3) doesn't tell Thread Sanitizer, which then reports the caller's reading of the value as a race.
        // The lock orders both.
        await withCheckedContinuation { continuation in
            let isOpen = condition.withLock {
                if result == nil { suspended.append(continuation) }
                return result != nil
            }
            if isOpen { continuation.resume() }
        }
    }

    /// The number of blocked threads. For tests, which have no other way to see it.
    package var waiterCount: Int { condition.withLock { waiting } }
}
