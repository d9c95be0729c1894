/// A stretch of a scenario with its own clients, mix and keys.
package struct Phase: Codable, Hashable, Sendable {
    /// The phase's name, unique in its scenario; stands in every row.
    package var name: String
    /// When the phase ends.
    package var length: PhaseLength
    /// How many clients send operations, each waiting for its answer before it sends the next; under open arrival the
    /// most operations that are under way at once, bursts aside.
    package var clients: Int
    /// When operations are sent.
    package var arrival: Arrival
    /// What carries a client.
    package var driver: DriverChoice
    /// The pause of a client between an answer and its next operation, in nanoseconds; not timed.
    package var thinkTime: Distribution
    /// How often each operation is sent, relative to the others; with pools what their mixes come to.
    package var mix: OperationMix
    /// What is asked of each pool, in the order of the pools; empty where the scenario has none.
    package var pools: [PoolUse]
    /// How many callers a `burst` has.
    package var burstWidth: Int
    /// Which loads are cancelled on the way; `nil` means none.
    package var cancel: Cancellation?
    /// The phase's own choice of keys.
    package var keys: KeySelection
    /// Run, but not measured: no latency rows, and left out of every comparison.
    package var warmUp: Bool
    /// Close the strategy and open it again before the phase, as an app that is launched again does.
    package var reopen: Bool
    /// The origin refuses every request, as without a network: what the cache has is all there is.
    package var offline: Bool
    /// What the phase has to show.
    package var expectations: [Expectation]
    /// What its callers do one by one, for `run --explore`; `nil` where operations are chosen by the mix.
    package var script: ScheduleScript?
    /// The list that its one client scrolls on the main thread; `nil` for clients that send operations.
    package var frames: Frames?
    /// What the system asks of the cache when the phase has begun; `nil` for nothing.
    package var memoryPressure: PressureLevel?
    /// What its clients prefetch, and what of it is looked at; `nil` where nobody looks.
    package var prefetching: Prefetching?
    /// Which clients these are, where several generators share those of the phase; `nil` where they are all of them.
    package var share: ClientShare?

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
    /// After a time in nanoseconds; operations under way are finished.
    case duration(nanoseconds: UInt64)
    /// After a number of operations, split evenly between the clients. A burst is one operation.
    case operations(Int)
}

/// What carries a client.
package enum DriverChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Threads for a synchronous strategy, tasks for an asynchronous one.
    case automatic
    /// Dedicated threads; an asynchronous strategy still runs as tasks, and its rows say so.
    case threads
    /// Tasks on the shared pool.
    case tasks
}

/// What carried the clients of a row.
package enum Driver: String, Codable, Hashable, Sendable, CaseIterable {
    case threads, tasks
    /// The process's main thread, which runs the main actor.
    case main
}

/// What a client asks of the cache.
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
    /// Name the keys that come next, and don't wait for them.
    case prefetch
}

/// Weights of the operations, by kind; an absent kind never happens.
package struct OperationMix: Codable, Hashable, Sendable {
    /// The weight of each kind that happens; each above zero.
    package var weights: [OperationKind: Double]
    /// Whether the scenario's trace says what is asked, in place of the weights, which then name what may happen.
    package var followsTrace = false

    package init(_ weights: [OperationKind: Double]) {
        self.weights = weights
    }

    /// What the trace says: its reads are loads, and it may write and remove as well.
    package static let traced: OperationMix = {
        var mix = OperationMix([.load: 1, .write: 1, .remove: 1])
        mix.followsTrace = true
        return mix
    }()

    /// The weight of a kind, 0 when it never happens.
    package subscript(kind: OperationKind) -> Double { weights[kind] ?? 0 }
}

/// A caller that gives up, as a scrolling list does.
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
