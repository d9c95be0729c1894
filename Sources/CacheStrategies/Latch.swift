import Foundation

/// A result that several threads wait for and one brings.
@usableFromInline
final class Latch<Result: Sendable>: @unchecked Sendable {
    // Sound although unchecked: `result` and `waiting` are touched only while the condition's lock is held.
    private let condition = NSCondition()
    private var result: Result?
    private var waiting = 0

    @usableFromInline
    init() {}

    /// Lets everybody through who waits, now or later. The first result stays.
    @usableFromInline
    func open(with result: Result) {
        condition.withLock {
            if self.result == nil { self.result = result }
            condition.broadcast()
        }
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

    /// How many threads are waiting. For tests, which can't see it otherwise.
    var waiterCount: Int { condition.withLock { waiting } }
}
