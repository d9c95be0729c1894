import Foundation

/// A value behind a lock.
///
/// `NSLock` and not `Synchronization.Mutex`, whose contended path Thread Sanitizer can't see: it reports races where
/// there are none.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked, because the compiler can't see that `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` while no one else touches the value. Don't call out of it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
