/// A stretch of a scenario with its own clients, mix and keys.
package struct Phase: HasDefaults, Codable, Hashable, Sendable {
    /// The phase's name, unique in its scenario; every row shows it.
    package var name = ""
    /// When the phase ends.
    package var length = PhaseLength.operations(1)
    /// How many clients send operations; each waits for its answer before it sends the next one. Under open arrival it
    /// limits how many operations are in flight at once, not counting bursts.
    package var clients = 1
    /// When operations are sent.
    package var arrival = Arrival.closed
    /// The driver that runs a client.
    package var driver = DriverChoice.automatic
    /// The pause of a client between an answer and its next operation, in nanoseconds; not timed.
    package var thinkTime = Distribution.fixed(0)
    /// How often each operation is sent, relative to the others; with pools, the combination of their mixes.
    package var mix = OperationMix([:])
    /// How the phase uses each pool, in the order of the pools; empty when the scenario has no pools.
    package var pools: [PoolUse] = []
    /// How many callers a `burst` has.
    package var burstWidth = 8
    /// Which loads are cancelled while in flight; `nil` means none.
    package var cancel: Cancellation?
    /// The phase's own choice of keys.
    package var keys = KeySelection()
    /// Whether the phase is a warm-up: it runs, but has no latency rows and is left out of every comparison.
    package var warmUp = false
    /// Whether the strategy is closed and reopened before the phase, as when an app is launched again.
    package var reopen = false
    /// Whether the origin refuses every request, as without a network; only cached values are available.
    package var offline = false
    /// The conditions that the phase must meet.
    package var expectations: [Expectation] = []
    /// The operations of each caller in order, for `explore`; `nil` when the mix chooses the operations.
    package var script: ScheduleScript?
    /// The list that its one client scrolls on the main thread; `nil` for clients that send operations.
    package var frames: Frames?
    /// The memory pressure that is delivered to the cache once the phase has begun; `nil` means none.
    package var memoryPressure: MemoryPressure?
    /// The events that remove keys while clients use the cache; `nil` means none.
    package var invalidation: Invalidation?
    /// What the clients prefetch and how its use is measured; `nil` when prefetching is not measured.
    package var prefetching: Prefetching?

    package static var defaults: Self { Self() }
}

extension Phase {
    package init(name: String, length: PhaseLength, clients: Int, mix: OperationMix) {
        self = .defaults
        (self.name, self.length, self.clients, self.mix) = (name, length, clients, mix)
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

    package init(_ weights: [OperationKind: Double]) { self.weights = weights }

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
package struct Cancellation: HasDefaults, Codable, Hashable, Sendable {
    /// The share of the loads that are cancelled, from 0 to 1.
    package var share = 1.0
    /// How long after its start a load is cancelled, in nanoseconds.
    package var after: UInt64 = 0

    package static var defaults: Self { Self() }
}

/// When the operations of a phase are sent.
package enum Arrival: Codable, Hashable, Sendable {
    /// Closed loop: each client sends its next operation once it has its answer and its think time is over.
    case closed
    /// Open loop: due times do not depend on the answers, however slow they are; any free client sends the operation.
    case open(ArrivalRate, ArrivalSpacing)
    /// Open loop: operations are due at the times of the scenario's trace, replayed faster by its `speed`.
    case trace

    /// Whether each operation has a time at which it is due.
    package var isOpen: Bool { self != .closed }
}

/// How operations are spaced at a given rate.
package enum ArrivalSpacing: String, Codable, Hashable, Sendable, CaseIterable {
    /// Evenly: at a constant rate all gaps are equal.
    case even
    /// As for independent callers: gaps are exponentially distributed (a Poisson process).
    case poisson
}

/// The arrival rate over the time of a phase, in operations per second.
package struct ArrivalRate: Codable, Hashable, Sendable {
    /// A stretch in which the rate changes linearly from one value to another.
    package struct Piece: Codable, Hashable, Sendable {
        /// The length in nanoseconds; above 0.
        package var nanoseconds: UInt64
        /// Above 0.
        package var first: Double
        /// Above 0.
        package var last: Double

        package init(nanoseconds: UInt64, first: Double, last: Double) {
            (self.nanoseconds, self.first, self.last) = (nanoseconds, first, last)
        }
    }

    /// At least one piece.
    package var pieces: [Piece]
    /// Whether the pieces repeat from the first one; otherwise the last rate stays.
    package var repeats: Bool

    package init(pieces: [Piece], repeats: Bool) { (self.pieces, self.repeats) = (pieces, repeats) }

    /// A constant rate.
    package static func constant(_ rate: Double) -> ArrivalRate {
        ArrivalRate(pieces: [Piece(nanoseconds: 1_000_000_000, first: rate, last: rate)], repeats: false)
    }

    /// The highest rate of all pieces.
    package var highest: Double { pieces.reduce(0) { max($0, $1.first, $1.last) } }

    /// How long a number of operations takes to arrive, in nanoseconds; at most a day. Independent callers take longer by
    /// chance: five standard deviations are added. O(pieces).
    package func nanoseconds(of operations: Int, _ spacing: ArrivalSpacing) -> Double {
        var wanted = Double(max(0, operations))
        if spacing == .poisson { wanted += 5 * wanted.squareRoot() }
        func arrivals(_ piece: Piece) -> Double { (piece.first + piece.last) / 2 * Double(piece.nanoseconds) / 1e9 }
        let round = pieces.reduce(0) { $0 + arrivals($1) }
        var time = 0.0
        if repeats, round > 0 {
            let rounds = (wanted / round).rounded(.down)
            time = rounds * pieces.reduce(0) { $0 + Double($1.nanoseconds) }
            wanted -= rounds * round
        }
        for piece in pieces where wanted > 0 {
            // Within a piece the mean rate is close enough.
            let share = min(1, wanted / arrivals(piece))
            time += share * Double(piece.nanoseconds)
            wanted -= share * arrivals(piece)
        }
        if wanted > 0, let last = pieces.last?.last { time += wanted / last * 1e9 }
        return min(time, 86_400e9)
    }

    /// The same course with every rate multiplied by a factor.
    package func scaled(by factor: Double) -> ArrivalRate {
        var scaled = self
        for index in pieces.indices {
            scaled.pieces[index].first *= factor
            scaled.pieces[index].last *= factor
        }
        return scaled
    }
}
