import Foundation
import Synchronization

/// A meeting point at which threads wait for each other, such as those of the task pool. A thread that is blocked, or
/// does not exist, never arrives.
///
/// The meeting creates no happens-before edge between the threads. So Thread Sanitizer sees a race between them as if
/// they had never met.
package final class Meeting: Sendable {
    private let arrived = Atomic(0)
    private let count: Int
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - count: how many threads must arrive.
    ///   - patience: how long they wait at most, from now on.
    package init(of count: Int, patience: Duration) {
        self.count = count
        deadline = .now + patience
    }

    /// Blocks the thread until enough threads have arrived, or the time is over.
    package func wait() {
        arrived.wrappingAdd(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count, .now < deadline { Thread.sleep(forTimeInterval: 0.000_01) }
    }
}
