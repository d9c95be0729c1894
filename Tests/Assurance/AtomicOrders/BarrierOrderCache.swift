package import CacheStrategies
import Foundation

/// A cache of two copies behind spin locks. A change is made in one copy by its caller and in the other by a worker, which
/// meet at a barrier; a key is always read from the same copy. It has one fault or none.
package final class BarrierOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedAtomicFault>:
    SynchronousCacheStrategy, @unchecked Sendable
{
    /// Some entries. Its dictionary is accessed while the spin lock is held.
    private final class Copy: @unchecked Sendable {
        private let spin = UnsafeMutablePointer<pthread_spinlock_t>.allocate(capacity: 1)
        private var entries: [Key: Value] = [:]

        init() { pthread_spin_init(spin, 0) }

        deinit {
            pthread_spin_destroy(spin)
            spin.deallocate()
        }

        func withLock<Answer>(_ body: (inout [Key: Value]) -> Answer) -> Answer {
            pthread_spin_lock(spin)
            defer { pthread_spin_unlock(spin) }
            return body(&entries)
        }
    }

    /// A barrier of two threads.
    private final class Meeting: @unchecked Sendable {
        private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

        init() { pthread_barrier_init(barrier, nil, 2) }

        deinit {
            pthread_barrier_destroy(barrier)
            barrier.deallocate()
        }

        func wait() { pthread_barrier_wait(barrier) }
    }

    // Unchecked, because the compiler does not know that the copies have locks and the barrier is one.
    private let copies = [Copy(), Copy()]
    private let shared = Meeting()

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-barriers",
            summary: Planted.fault?.summary ?? "a barrier for each change",
            role: .control, promises: Promises(limit: .none))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? {
        copies[(key as? Int ?? key.hashValue) & 1].withLock { $0[key] }
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) { change { $0[key] = value } }

    package func removeValue(forKey key: Key) { change { $0[key] = nil } }

    package func removeAll() { change { $0.removeAll() } }

    private func change(_ body: @escaping @Sendable (inout [Key: Value]) -> Void) {
        let meeting = Planted.has(.barrierShared) ? shared : Meeting()
        let other = copies[1]
        DispatchQueue.global().async {
            other.withLock(body)
            meeting.wait()
        }
        copies[0].withLock(body)
        meeting.wait()
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}
