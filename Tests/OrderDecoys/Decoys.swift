import Atomics
import CPrimitives
package import CacheStrategies
import Foundation
import Schedules
import Synchronization
package import TimedStrategies

/// Something with an atomic where an exploration may miss it.
package protocol Decoy: Sendable {
    /// The name of the cache that uses it.
    static var name: String { get }
    init()
    /// Uses the atomic.
    func touch()
}

/// A cache behind a lock that also uses a decoy. It has no fault; but as threads don't switch at the decoy, no exploration
/// may call it consistent.
package final class DecoyCache<Value: CacheableValue, Hidden: Decoy>: SynchronousCacheStrategy, @unchecked Sendable {
    // Unchecked, because `entries` is mutable: `lock` guards it.
    private let lock = NSLock()
    private var entries: [Int: Value] = [:]
    private let hidden = Hidden()

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Hidden.name, summary: "a decoy of the exploration", role: .control, promises: Promises(limit: .none))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Int) -> Value? {
        hidden.touch()
        return lock.withLock { entries[key] }
    }

    package func insert(_ value: Value, forKey key: Int, cost: Int) { lock.withLock { entries[key] = value } }

    package func removeValue(forKey key: Int) { lock.withLock { entries[key] = nil } }

    package func removeAll() { lock.withLock { entries.removeAll() } }

    package func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}

// Globals

private let hits = Atomic<Int>(0)
private let latest = Mutex<Int>(0)
private let shared = Counters()
private let managed = ManagedAtomic<Int>(0)

private enum Statics {
    static let hits = Atomic<Int>(0)
}

/// A class with an atomic.
private class Counters: @unchecked Sendable {
    // Unchecked, because the class has a subclass; all of it is atomic.
    let hits = Atomic<Int>(0)
}

private struct GlobalDecoy: Decoy {
    static let name = "decoy-global"
    func touch() { hits.wrappingAdd(1, ordering: .relaxed) }
}

private struct GlobalMutexDecoy: Decoy {
    static let name = "decoy-global-mutex"
    func touch() { latest.withLock { $0 += 1 } }
}

private struct GlobalObjectDecoy: Decoy {
    static let name = "decoy-global-object"
    func touch() { shared.hits.store(1, ordering: .releasing) }
}

private struct GlobalOfPackageDecoy: Decoy {
    static let name = "decoy-global-of-package"
    func touch() { managed.wrappingIncrement(ordering: .relaxed) }
}

private struct StaticDecoy: Decoy {
    static let name = "decoy-static"
    func touch() { Statics.hits.store(1, ordering: .releasing) }
}

// Properties

private struct SuperclassDecoy: Decoy {
    private final class Special: Counters, @unchecked Sendable {
        let name = "special"
    }

    static let name = "decoy-superclass"
    private let special = Special()

    func touch() { special.hits.store(1, ordering: .releasing) }
}

private struct ClosureDecoy: Decoy {
    static let name = "decoy-closure"
    private let count: @Sendable () -> Void

    init() {
        let counters = Counters()
        count = { counters.hits.wrappingAdd(1, ordering: .relaxed) }
    }

    func touch() { count() }
}

private struct DictionaryDecoy: Decoy {
    static let name = "decoy-dictionary"
    private let counters = ["a": [Counters()]]

    func touch() { counters["a"]?.first?.hits.store(1, ordering: .releasing) }
}

private final class MutexDecoy: Decoy {
    static let name = "decoy-mutex"
    private let state = Mutex<[Int]>([])

    func touch() { state.withLock { $0 = [1] } }
}

private final class LazyDecoy: Decoy {
    static let name = "decoy-lazy"
    private let reference = AtomicLazyReference<Counters>()

    func touch() { _ = reference.load() }
}

private struct PackageDecoy: Decoy {
    static let name = "decoy-package"
    private let count = ManagedAtomic<Int>(0)

    func touch() { count.store(1, ordering: .releasing) }
}

private struct PackagePointerDecoy: Decoy, @unchecked Sendable {
    // Sound although unchecked: the pointer never changes.
    static let name = "decoy-package-pointer"
    private let count = UnsafeAtomic<Int>.create(0)

    func touch() { count.store(1, ordering: .releasing) }
}

// Other languages

private struct DecoyOfC: Decoy {
    static let name = "decoy-of-c"
    func touch() { primitive_count() }
}

/// An actor with an executor of its own: its queue is one of the ordered ones.
package actor ExecutorCache<Value: CacheableValue>: CacheStrategy {
    /// Runs jobs on a queue.
    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedSerialExecutor()
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    private nonisolated let executor = QueueExecutor()
    private var entries: [Int: Value] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "ordered-executor", summary: "an actor on a queue of its own", role: .control,
            promises: Promises(limit: .none))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Int) -> Value? { entries[key] }
    package func insert(_ value: Value, forKey key: Int, cost: Int) { entries[key] = value }
    package func removeValue(forKey key: Int) { entries[key] = nil }
    package func removeAll() { entries.removeAll() }
    package func statistics() -> CacheStatistics { CacheStatistics() }
    package func close() {}

    package func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// The decoys, as strategies of a program.
package enum OrderDecoys {
    package static let all: [Strategy] = [
        strategy(GlobalDecoy.self), strategy(GlobalMutexDecoy.self), strategy(GlobalObjectDecoy.self),
        strategy(GlobalOfPackageDecoy.self), strategy(StaticDecoy.self), strategy(SuperclassDecoy.self),
        strategy(ClosureDecoy.self), strategy(DictionaryDecoy.self), strategy(MutexDecoy.self),
        strategy(LazyDecoy.self), strategy(PackageDecoy.self), strategy(PackagePointerDecoy.self),
        strategy(DecoyOfC.self),
    ]

    /// A cache whose queue is one of the ordered ones; no decoy.
    package static let executor = Strategy(ExecutorCache<TrialValue>.self).exploring(ExecutorCache<ScheduleValue>.self)

    private static func strategy<Hidden: Decoy>(_: Hidden.Type) -> Strategy {
        Strategy(DecoyCache<TrialValue, Hidden>.self).exploring(DecoyCache<ScheduleValue, Hidden>.self)
    }
}
