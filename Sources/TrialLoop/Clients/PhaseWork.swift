import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What the clients of a phase share; nothing in it changes while they run.
struct PhaseWork: Sendable {
    let strategy: OpenStrategy
    /// The decoded size of every key's value in bytes, by number; where sizes change, that of its first version.
    let sizes: [UInt32]
    let origin: any Origin
    let payloads: PayloadFactory
    /// Which keys are asked for, when the scenario has a trace.
    let trace: TraceWorkload?
    /// The operations that are due, when the phase's arrival is open.
    let arrivals: ArrivalQueue?
    let scenario: Scenario
    let phaseIndex: Int
    /// How many operations each client writes down; `nil` for none, and then nothing is recorded.
    let recordCountMax: Int?
    /// Whether nothing but the strategy may put callers in an order, as a race detector wants it.
    var isBare = false
    /// Where the clients wait for their turns, when the process takes turns with others in this phase.
    var turns: TurnGate?
    /// What clients on threads wait by: the machine's clock; tests have others.
    var clock = TrialClock.machine

    /// Told when the clients are released; `nil` where nobody waits for it.
    var pressure: PressureDelivery?

    /// What prefetches for the clients; `nil` in a phase that looks at none.
    var prefetching: PhasePrefetching?

    /// Whether it is written down where the time of loads goes; not where nothing but the strategy may matter, and not where
    /// some operations of a phase are not timed.
    var keepsStages: Bool {
        scenario.keepsStages && !isBare && !phase.warmUp && turns == nil && phase.frames == nil
    }

    /// The operations of one caller.
    func kernel(noting note: LoadNote?) -> TimedKernel {
        guard let note else { return strategy.kernel(origin) }
        return strategy.kernel(NotedSource(source: origin, note: note))
    }

    /// How long an interval of the timeline is, in nanoseconds; none where nothing but the strategy may matter, and none
    /// where a phase consists of turns.
    var interval: UInt64? { isBare || turns != nil ? nil : scenario.timelineInterval }

    /// How many pools clients tell apart; none either where nothing but the strategy may matter.
    var poolCount: Int { isBare ? 0 : scenario.pools.count }

    /// How many operations a client may send in a phase that ends by the clock; `nil` for any number.
    var operationCountMax: Int? { scenario.check ? scenario.checkedOperationLimit(ofClientInPhase: phaseIndex) : nil }

    var phase: Phase { scenario.phases[phaseIndex] }
}

/// What the clients of a phase leave behind.
struct PhaseOutcome: Sendable {
    /// One of each client, in their order.
    var clientMetrics: [ClientMetrics]
    /// From the release of the clients to the end of the last one.
    var elapsedNanoseconds: UInt64
    /// How long the part of it was in which latencies were recorded; where the process took turns, the slices of
    /// the client that had most.
    var measuredNanoseconds: UInt64
    /// Operations that were due before the phase ended and were not sent; `nil` where nothing is due.
    var droppedOperations: UInt64?
    /// What the frames came to, in a phase that has them.
    var frames: FrameOutcome?

    /// Clients that took no turns.
    init(_ clientMetrics: [ClientMetrics], elapsed: UInt64) {
        self.clientMetrics = clientMetrics
        (elapsedNanoseconds, measuredNanoseconds) = (elapsed, elapsed)
    }

    /// - Parameters:
    ///   - clients: of a phase that has ended.
    ///   - elapsed: from their release to the end of the last one, with what others did meanwhile.
    init(_ clients: [Client], elapsed: UInt64) {
        self.init(clients.map(\.metrics), elapsed: elapsed)
        guard clients.contains(where: { $0.work.turns != nil }) else { return }
        elapsedNanoseconds = clients.map(\.turnNanoseconds).max() ?? 0
        measuredNanoseconds = clientMetrics.map(\.sliceNanoseconds).max() ?? 0
    }
}
