import Foundation

/// Memory that the threads of libdispatch's pools keep for themselves.
///
/// A thread keeps up to 1,024 of the objects with which other threads handed work to it (`DISPATCH_CONTINUATION_CACHE_LIMIT`
/// in `src/queue_internal.h` of swift-corelibs-libdispatch). A cache that hands work to tasks or queues grows the heap by
/// some hundred bytes in each of many rounds until the pools are full, and leaks nothing.
enum PoolMemory {
    /// Twice what a thread keeps.
    private static let jobs = 2_048

    /// Hands so much work to the pools that they grow no more, as far as the heap shows.
    static func fill(_ allocatedBytes: @Sendable () -> UInt64?) async {
        var (most, unchanged) = (UInt64(0), 0)
        for _ in 0..<20 where unchanged < 2 {
            // Each class of priority has a pool.
            for priority in [TaskPriority.high, .medium, .low, .background] { await handOver(priority) }
            let now = allocatedBytes() ?? 0
            unchanged = now > most ? 0 : unchanged + 1
            most = max(most, now)
        }
    }

    /// From a thread of no pool, which has no objects to reuse.
    private static func handOver(_ priority: TaskPriority) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let group = DispatchGroup()
                for _ in 0..<jobs {
                    group.enter()
                    Task.detached(priority: priority) { group.leave() }
                }
                group.notify(queue: .global()) { continuation.resume() }
            }
        }
    }
}
