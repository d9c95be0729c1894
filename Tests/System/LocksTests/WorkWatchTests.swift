import Foundation
import Locks
import Testing

/// Work that takes no step is noticed from outside of the pool, and busy work is left alone.
@Suite(.timeLimit(.minutes(1)))
struct WorkWatchTests {
    /// Waits for a watch to say whether the pool is blocked.
    private func stop(_ steps: @escaping @Sendable () -> UInt64?) -> Bool {
        let stopped = Latch<Bool>()
        let watch = WorkWatch(.milliseconds(200), steps: steps) { isBlocked in
            stopped.open(with: isBlocked)
            return true
        }
        defer { watch.end() }
        return stopped.wait()
    }

    @Test func `work without a step is noticed`() async {
        await confirmation { noticed in
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    _ = stop { 7 }
                    done.resume()
                }
            }
            noticed()
        }
    }

    @Test func `work with steps, and none that is due, is left alone`() async throws {
        let count = Locked<UInt64>(0)
        let stopped = Locked(false)
        @Sendable func next() -> UInt64 {
            count.withLock { count in
                count += 1
                return count
            }
        }
        @Sendable func note(_ isBlocked: Bool) -> Bool {
            stopped.withLock { $0 = true }
            return true
        }
        let watches = [
            WorkWatch(.milliseconds(40), steps: { next() }, onStop: { note($0) }),
            WorkWatch(.milliseconds(40), steps: { nil }, onStop: { note($0) }),
        ]
        // Ten times the patience, by the looks of the first watch.
        while count.withLock({ $0 }) < 200 { try await Task.sleep(for: .milliseconds(1)) }
        for watch in watches { watch.end() }
        #expect(!stopped.withLock { $0 })
    }
}
