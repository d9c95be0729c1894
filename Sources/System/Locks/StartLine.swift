import Foundation

/// Lets threads start together: no thread continues before all have arrived.
package final class StartLine: @unchecked Sendable {
    // Every access to `awaited` and `released` happens while `condition` is held.
    private let condition = NSCondition()
    private var awaited: Int
    private var released: UInt64?

    /// - Parameter runners: how many threads will wait.
    package init(runners: Int) {
        awaited = runners
    }

    /// Blocks until all runners wait.
    ///
    /// - Parameter now: the clock, in nanoseconds; the last runner reads it.
    /// - Returns: the time of the release, the same for all.
    @discardableResult
    package func wait(_ now: () -> UInt64 = { 0 }) -> UInt64 {
        condition.lock()
        defer { condition.unlock() }
        awaited -= 1
        if awaited <= 0, released == nil {
            released = now()
            condition.broadcast()
        }
        while true {
            if let released { return released }
            condition.wait()
        }
    }
}
