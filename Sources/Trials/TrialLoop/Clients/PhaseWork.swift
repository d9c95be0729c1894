import Locks
import Origins
import Platform
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
    /// What the clients count together, where they choose keys; `nil` where each counts for itself.
    var keyProgress: KeyProgress?
    /// Where the clients wait for their turns, when the process takes turns with others in this phase.
    var turns: TurnGate?
    /// The clock that clients on threads use for waiting: the machine's; tests use others.
    var clock = TrialClock.machine

    /// Receives the time at which the clients are released; `nil` in a phase without memory pressure.
    var pressure: PressureDelivery?

    /// Removes keys while the clients run; `nil` in a phase without such events.
    var invalidation: InvalidationEvents?

    /// The prefetches of the clients; `nil` in a phase without them.
    var prefetching: PhasePrefetching?

    /// Tells the parent how far the phase is; `nil` under race detection, and where instructions are counted.
    var progress: PhaseProgress?

    /// Whether the time of loads is recorded by stage. It is not recorded under race detection, nor in a phase where
    /// some operations are not timed.
    var keepsStages: Bool {
        scenario.keepsStages && !isBare && !phase.warmUp && turns == nil && phase.frames == nil
    }

    /// Whether it is noted when the fetches of loads begin and end.
    var notesFetches: Bool { keepsStages || invalidation != nil && !isBare }

    /// The operations of one caller.
    func kernel(noting note: LoadNote?) -> TimedKernel {
        guard let note else { return strategy.kernel(origin) }
        return strategy.kernel(NotedSource(source: origin, note: note))
    }

    /// The length of an interval of the timeline, in nanoseconds; `nil` under race detection and in phases that consist
    /// of turns.
    var interval: UInt64? { isBare || turns != nil ? nil : scenario.timelineInterval }

    /// What a client records in this phase beside latencies, outcomes and sizes. A warm-up has no rows of its own.
    func instruments(ofClient client: Int) -> [any Instrument] {
        var instruments: [any Instrument] = []
        if let recordCountMax { instruments.append(OperationRecords(countMax: recordCountMax)) }
        if phase.reopen, turns == nil, !isBare { instruments.append(FirstOperations()) }
        if let prefetching {
            instruments.append(
                PrefetchMetrics(prefetching, seed: scenario.seed, client: client, keyCount: sizes.count))
        }
        guard !phase.warmUp else { return instruments }
        // Rows of pools come before those of tiers.
        if !isBare, !scenario.pools.isEmpty { instruments.append(PoolMetrics(count: scenario.pools.count)) }
        if strategy.tellsTiers, turns == nil { instruments.append(TierMetrics()) }
        if keepsStages { instruments.append(StageMetrics()) }
        if phase.memoryPressure != nil { instruments.append(PressureMetrics()) }
        if let invalidation, !isBare {
            instruments.append(InvalidationMetrics(invalidation.log, keyCount: sizes.count))
        }
        return instruments
    }

    /// How many operations a client may send in a phase that ends by the clock; `nil` for any number.
    var operationCountMax: Int? { scenario.check ? scenario.checkedOperationLimit(ofClientInPhase: phaseIndex) : nil }

    var phase: Phase { scenario.phases[phaseIndex] }
}

/// What the clients of a phase leave behind.
struct EndedPhase: Sendable {
    /// A client that has sent its last operation, when it was released, and when it ended.
    typealias Run = (client: Client, released: UInt64, ended: UInt64)

    /// The metrics of each client, in their order.
    var clientMetrics: [ClientMetrics]
    /// From the release of the clients to the end of the last one, without turns of other processes.
    var elapsedNanoseconds: UInt64
    /// How long the part was in which latencies were recorded; where the process took turns, the longest sum of slices
    /// of any client.
    var measuredNanoseconds: UInt64
    /// Operations that were due before the phase ended and were not sent; `nil` in a closed loop.
    var droppedOperations: UInt64?

    /// The outcome of one client that took no turns.
    init(_ metrics: ClientMetrics, elapsed: UInt64) {
        clientMetrics = [metrics]
        (elapsedNanoseconds, measuredNanoseconds) = (elapsed, elapsed)
    }

    /// - Parameter runs: the clients, in their order.
    init(_ runs: [Run]) {
        clientMetrics = runs.map { $0.client.metrics }
        let (released, ended) = (runs.map { $0.released }.min() ?? 0, runs.map { $0.ended }.max() ?? 0)
        elapsedNanoseconds = Nanoclock.elapsed(from: released, to: ended)
        measuredNanoseconds = elapsedNanoseconds
        guard runs.contains(where: { $0.client.work.turns != nil }) else { return }
        elapsedNanoseconds = runs.map { $0.client.turnNanoseconds }.max() ?? 0
        measuredNanoseconds = clientMetrics.map(\.sliceNanoseconds).max() ?? 0
    }
}

/// The clock that clients use for waiting. Operations are not timed with it, but where the strategy is compiled.
struct TrialClock: Sendable {
    /// Nanoseconds from an arbitrary start.
    let now: @Sendable () -> UInt64
    /// Blocks the calling thread, which must be one of the harness's own, until a time.
    let sleep: @Sendable (_ until: UInt64) -> Void

    /// The machine's.
    static let machine = TrialClock(now: { Nanoclock.now() }, sleep: { Nanoclock.sleep(until: $0) })
}
