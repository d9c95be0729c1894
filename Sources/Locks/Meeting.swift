import Foundation
import Synchronization

/// Threads that wait for each other, such as those of the pool that carries tasks: a thread that is blocked, or is not
/// there, never comes.
///
/// Nothing that a thread did before it came is ordered before what another does afterwards. So Thread Sanitizer sees a
/// race between them as if they had never met.
package final class Meeting: Sendable {
    private let arrived = Atomic(0)
    private let count: Int
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - count: how many threads have to come.
    ///   - patience: how long they wait at most, from now on.
    package init(of count: Int, patience: Duration) {
        self.count = count
        deadline = .now + patience
    }

    /// Blocks the thread until enough are there, or it is too late.
    package func wait() {
        arrived.wrappingAdd(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count, .now < deadline { Thread.sleep(forTimeInterval: 0.000_01) }
    }
}
