import Origins
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What the clients of a phase share; it does not change while they run.
struct PhaseWork: Sendable {
    let strategy: OpenStrategy
    /// The decoded size of every key's value in bytes, by key number; where sizes change, that of its first version.
    let sizes: [UInt32]
    let origin: any Origin
    let payloads: PayloadFactory
    /// Which keys are requested, when the scenario has a trace.
    let trace: TraceWorkload?
    /// The operations that are due, when the phase is an open loop.
    let arrivals: ArrivalQueue?
    let scenario: Scenario
    let phaseIndex: Int
    /// How many operations each client may record; `nil` when no records are kept.
    let recordCountMax: Int?
    /// Whether only the strategy may create happens-before edges between callers, as race detection requires.
    var isBare = false
    /// Where the clients wait for their turns, when the process takes turns with others in this phase.
    var turns: TurnGate?
    /// The clock that clients on threads use for waiting: the machine's; tests use others.
    var clock = TrialClock.machine

    /// Receives the time at which the clients are released; `nil` in a phase without memory pressure.
    var pressure: PressureDelivery?

    /// The prefetches of the clients; `nil` in a phase without them.
    var prefetching: PhasePrefetching?

    /// Whether the time of loads is recorded by stage. It is not recorded under race detection, nor in a phase where
    /// some operations are not timed.
    var keepsStages: Bool {
        scenario.keepsStages && !isBare && !phase.warmUp && turns == nil && phase.frames == nil
    }

    /// The operations of one caller.
    func kernel(noting note: LoadNote?) -> TimedKernel {
        guard let note else { return strategy.kernel(origin) }
        return strategy.kernel(NotedSource(source: origin, note: note))
    }

    /// The length of an interval of the timeline, in nanoseconds; `nil` under race detection and in phases that consist
    /// of turns.
    var interval: UInt64? { isBare || turns != nil ? nil : scenario.timelineInterval }

    /// How many pools clients tell apart; 0 under race detection.
    var poolCount: Int { isBare ? 0 : scenario.pools.count }

    /// How many operations a client may send in a phase that ends by the clock; `nil` for any number.
    var operationCountMax: Int? { scenario.check ? scenario.checkedOperationLimit(ofClientInPhase: phaseIndex) : nil }

    var phase: Phase { scenario.phases[phaseIndex] }
}

/// What the clients of a phase leave behind.
struct PhaseOutcome: Sendable {
    /// The metrics of each client, in their order.
    var clientMetrics: [ClientMetrics]
    /// From the release of the clients to the end of the last one.
    var elapsedNanoseconds: UInt64
    /// How long the part was in which latencies were recorded; where the process took turns, the longest sum of slices
    /// of any client.
    var measuredNanoseconds: UInt64
    /// Operations that were due before the phase ended and were not sent; `nil` in a closed loop.
    var droppedOperations: UInt64?
    /// The frames of the phase, where it has them.
    var frames: FrameOutcome?

    /// The outcome of clients that took no turns.
    init(_ clientMetrics: [ClientMetrics], elapsed: UInt64) {
        self.clientMetrics = clientMetrics
        (elapsedNanoseconds, measuredNanoseconds) = (elapsed, elapsed)
    }

    /// - Parameters:
    ///   - clients: the clients of a phase that has ended.
    ///   - elapsed: the time from their release to the end of the last one, including turns of other processes.
    init(_ clients: [Client], elapsed: UInt64) {
        self.init(clients.map(\.metrics), elapsed: elapsed)
        guard clients.contains(where: { $0.work.turns != nil }) else { return }
        elapsedNanoseconds = clients.map(\.turnNanoseconds).max() ?? 0
        measuredNanoseconds = clientMetrics.map(\.sliceNanoseconds).max() ?? 0
    }
}
