/// A stretch of a scenario with its own clients, mix and keys.
package struct Phase: Codable, Hashable, Sendable {
    /// The phase's name, unique in its scenario; every row shows it.
    package var name: String
    /// When the phase ends.
    package var length: PhaseLength
    /// How many clients send operations; each waits for its answer before it sends the next one. Under open arrival it
    /// limits how many operations are in flight at once, not counting bursts.
    package var clients: Int
    /// When operations are sent.
    package var arrival: Arrival
    /// The driver that runs a client.
    package var driver: DriverChoice
    /// The pause of a client between an answer and its next operation, in nanoseconds; not timed.
    package var thinkTime: Distribution
    /// How often each operation is sent, relative to the others; with pools, the combination of their mixes.
    package var mix: OperationMix
    /// How the phase uses each pool, in the order of the pools; empty when the scenario has no pools.
    package var pools: [PoolUse]
    /// How many callers a `burst` has.
    package var burstWidth: Int
    /// Which loads are cancelled while in flight; `nil` means none.
    package var cancel: Cancellation?
    /// The phase's own choice of keys.
    package var keys: KeySelection
    /// Whether the phase is a warm-up: it runs, but has no latency rows and is left out of every comparison.
    package var warmUp: Bool
    /// Whether the strategy is closed and reopened before the phase, as when an app is launched again.
    package var reopen: Bool
    /// Whether the origin refuses every request, as without a network; only cached values are available.
    package var offline: Bool
    /// The conditions that the phase must meet.
    package var expectations: [Expectation]
    /// The operations of each caller in order, for `explore`; `nil` when the mix chooses the operations.
    package var script: ScheduleScript?
    /// The list that its one client scrolls on the main thread; `nil` for clients that send operations.
    package var frames: Frames?
    /// The memory pressure that is delivered to the cache once the phase has begun; `nil` means none.
    package var memoryPressure: PressureLevel?
    /// What the clients prefetch and how its use is measured; `nil` when prefetching is not measured.
    package var prefetching: Prefetching?

    package init(
        name: String, length: PhaseLength, clients: Int, arrival: Arrival = .closed, driver: DriverChoice = .automatic,
        thinkTime: Distribution = .fixed(0), mix: OperationMix, pools: [PoolUse] = [], burstWidth: Int = 8,
        cancel: Cancellation? = nil, keys: KeySelection = KeySelection(), warmUp: Bool = false, reopen: Bool = false,
        offline: Bool = false, expectations: [Expectation] = [], script: ScheduleScript? = nil
    ) {
        self.name = name
        self.length = length
        self.clients = clients
        self.arrival = arrival
        self.driver = driver
        self.thinkTime = thinkTime
        self.mix = mix
        self.pools = pools
        self.burstWidth = burstWidth
        self.cancel = cancel
        self.keys = keys
        self.warmUp = warmUp
        self.reopen = reopen
        self.offline = offline
        self.expectations = expectations
        self.script = script
    }
}

/// When a phase ends.
package enum PhaseLength: Codable, Hashable, Sendable {
    /// After a time in nanoseconds; operations in flight are finished.
    case duration(nanoseconds: UInt64)
    /// After a number of operations, split evenly between the clients. A burst is one operation.
    case operations(Int)
}

/// The driver that runs a client.
package enum DriverChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Threads for a synchronous strategy, tasks for an asynchronous one.
    case automatic
    /// Dedicated threads; an asynchronous strategy still runs as tasks, and its rows show `tasks`.
    case threads
    /// Tasks on the shared pool.
    case tasks
}

/// The driver of the clients of a row.
package enum Driver: String, Codable, Hashable, Sendable, CaseIterable {
    case threads, tasks
    /// The process's main thread, which runs the main actor.
    case main
}

/// An operation that a client sends to the cache.
@usableFromInline
package enum OperationKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Look up only.
    case read
    /// Look up, and on a miss fetch from the origin and insert.
    case load
    /// Insert a new version of the value.
    case write
    /// Remove one key.
    case remove
    /// Remove all keys.
    case clear
    /// Many callers load one key at once.
    case burst
    /// Announce the keys that come next, without waiting for them.
    case prefetch
}

/// Weights of the operations, by kind; an absent kind is never sent.
package struct OperationMix: Codable, Hashable, Sendable {
    /// The weight of each kind that is sent; above zero.
    package var weights: [OperationKind: Double]
    /// Whether the scenario's trace chooses the operations; the weights then only list the possible kinds.
    package var followsTrace = false

    package init(_ weights: [OperationKind: Double]) {
        self.weights = weights
    }

    /// The mix of a trace: its reads become loads, and it may contain writes and removals.
    package static let traced: OperationMix = {
        var mix = OperationMix([.load: 1, .write: 1, .remove: 1])
        mix.followsTrace = true
        return mix
    }()

    /// The weight of a kind; 0 when it is never sent.
    package subscript(kind: OperationKind) -> Double { weights[kind] ?? 0 }
}

/// Cancellation by the caller, as when a cell scrolls out of view.
package struct Cancellation: Codable, Hashable, Sendable {
    /// The share of the loads that are cancelled, from 0 to 1.
    package var share: Double
    /// How long after its start a load is cancelled, in nanoseconds.
    package var after: UInt64

    package init(share: Double, after: UInt64) {
        self.share = share
        self.after = after
    }
}
