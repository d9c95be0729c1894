import CacheStrategies
import Measurement
import Platform
import TimedStrategies
import TrialModel

/// Signals memory pressure to a strategy, a little after a phase's clients have begun, and observes what it does.
///
/// It reads the strategy's own statistics twice while clients are running, which the protocol of such strategies
/// allows. The reading at the end of the phase is the one that every phase has.
struct PressureDelivery: Sendable {
    /// What was observed.
    struct Observation: Sendable {
        let level: MemoryPressure
        var responds = false
        /// When the signal was delivered, on the trial's clock, and when the strategy had responded.
        var delivered: UInt64 = 0
        var returned: UInt64 = 0
        var before: CacheStatistics?
        var after: CacheStatistics?
        /// The statistics 100 ms later, or at the end of a shorter phase.
        var later: CacheStatistics?
        var allocatedBefore: UInt64?
        var allocatedLater: UInt64?
    }

    /// Receives the time at which the clients are released, from the first of them.
    let release: AsyncStream<UInt64>.Continuation
    private let task: Task<Observation, Never>

    /// How long clients run before the signal, in nanoseconds: long enough for loads to be in flight.
    static let lead: UInt64 = 5_000_000

    /// - Parameter isMeasured: whether statistics are read; under a race detector, reading them would create
    ///   happens-before edges between callers.
    init(_ level: MemoryPressure, to strategy: OpenStrategy, isMeasured: Bool) {
        let (releases, release) = AsyncStream.makeStream(of: UInt64.self)
        self.release = release
        task = Task { @concurrent in
            var released = Nanoclock.now()
            for await time in releases {
                released = time
                break
            }
            await Self.sleep(until: released &+ Self.lead)
            return await Self.deliver(level, to: strategy, isMeasured: isMeasured)
        }
    }

    /// The phase has ended. A signal that was not delivered yet is delivered now.
    func observation() async -> Observation {
        release.finish()
        task.cancel()
        return await task.value
    }

    @concurrent
    private static func deliver(
        _ level: MemoryPressure, to strategy: OpenStrategy, isMeasured: Bool
    ) async -> Observation {
        var seen = Observation(level: level, responds: strategy.respond != nil)
        func look() async -> CacheStatistics? {
            isMeasured && seen.responds ? await strategy.statistics() : nil
        }
        seen.before = await look()
        if isMeasured { seen.allocatedBefore = MemoryMeter.read().allocatedBytes }
        seen.delivered = Nanoclock.now()
        if let respond = strategy.respond {
            // It runs in a task of its own, which the end of the phase does not cancel.
            await Task { @concurrent in await respond(level) }.value
        }
        seen.returned = Nanoclock.now()
        seen.after = await look()
        await sleep(until: seen.delivered &+ PressureRow.grace)
        seen.later = await look()
        if isMeasured { seen.allocatedLater = MemoryMeter.read().allocatedBytes }
        return seen
    }

    /// Sleeps, but not beyond the end of the phase.
    private static func sleep(until time: UInt64) async {
        let now = Nanoclock.now()
        if time > now { try? await Task.sleep(for: .nanoseconds(Int64(clamping: time &- now)), tolerance: .zero) }
    }
}

/// What one client records in a phase with memory pressure: hits in the order of time, and the loads of which it was a
/// part.
///
/// The time of the signal is joined in afterwards, so that clients read nothing that others change.
struct PressureMetrics: Instrument {
    /// A load that was not a hit.
    struct Load: Sendable {
        var key: UInt32
        var outcome: Outcome
        var span: TimeSpan
    }

    private(set) var blocks = LookupBlocks()
    private(set) var loads: [Load] = []
    /// Whether loads were left out because there were too many.
    private(set) var isFull = false

    private static let loadsMax = 65_536

    /// Its memory, in bytes.
    var footprintBytes: UInt64 {
        UInt64(
            blocks.ended.capacity * MemoryLayout<LookupBlock>.stride + loads.capacity * MemoryLayout<Load>.stride)
    }

    mutating func record(_ ended: EndedOperation) {
        blocks.record(ended.span, ended.outcome)
        guard ended.outcome != .done, ended.outcome != .hit, ended.kind != .read else { return }
        if loads.count < Self.loadsMax {
            loads.append(Load(key: ended.key, outcome: ended.outcome, span: ended.span))
        } else {
            isFull = true
        }
    }

    mutating func merge(_ other: PressureMetrics) {
        blocks.merge(other.blocks)
        loads += other.loads
        isFull = isFull || other.isFull
    }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        guard let observed = phase.pressure else { return }
        let summary = PressureSummary(
            observed: observed, metrics: self, atEnd: phase.statisticsAfter, hitRatioBefore: phase.hitRatioBefore,
            sharesLoads: phase.promises.coalescesLoads)
        result.pressure = summary.row(key: phase.key)
    }
}

/// The row of a phase with memory pressure, from the strategy's statistics and the records of all clients.
struct PressureSummary {
    let observed: PressureDelivery.Observation
    let metrics: PressureMetrics
    /// The strategy's own statistics at the end of the phase.
    let atEnd: CacheStatistics
    /// The hit ratio of the phase before; `nil` without lookups there.
    let hitRatioBefore: Double?
    /// Whether callers share loads, so that a second load of a key means that the first was lost.
    let sharesLoads: Bool

    func row(key: RowKey) -> PressureRow {
        var row = PressureRow(key: key)
        row.level = observed.level
        row.responds = observed.responds
        if observed.responds {
            row.responseNanoseconds = Nanoclock.elapsed(from: observed.delivered, to: observed.returned)
        }
        (row.entriesBefore, row.entriesGivenBack, row.entriesGivenBackAtEnd) = given(\.entriesInMemory)
        (row.bytesBefore, row.bytesGivenBack, row.bytesGivenBackAtEnd) = given(\.bytesInMemory)
        (row.allocatedBytesBefore, row.allocatedBytesAfter) = (observed.allocatedBefore, observed.allocatedLater)
        row.hitRatioBefore = hitRatioBefore
        let recovery = HitRecovery(blocksAfter, from: hitRatioBefore)
        (row.hitRatioAfter, row.operationsToRecovery) = (recovery.first, recovery.operations)
        countLoads(&row)
        return row
    }

    /// The amount before the signal, how much of it was given back within the time that a cache has, and how much at
    /// the end.
    private func given(
        _ held: (CacheStatistics) -> Int?
    ) -> (before: UInt64?, given: UInt64?, atEnd: UInt64?) {
        guard let before = observed.before.flatMap(held) else { return (nil, nil, nil) }
        let least = [observed.after, observed.later].compactMap { $0.flatMap(held) }.min()
        func gone(_ left: Int?) -> UInt64? { left.map { UInt64(max(0, before - $0)) } }
        return (UInt64(max(0, before)), gone(least), gone(held(atEnd)))
    }

    /// The blocks of all clients that began after the signal, in the order in which they ended.
    private var blocksAfter: [LookupBlock] {
        metrics.blocks.all.filter { $0.start >= observed.delivered }.sorted { $0.end < $1.end }
    }

    /// Counts the fate of loads that were in flight at the signal.
    private func countLoads(_ row: inout PressureRow) {
        guard !metrics.isFull else { return }
        let inFlight = metrics.loads.filter { $0.span.start < observed.delivered && observed.delivered < $0.span.end }
        let later = Dictionary(
            grouping: metrics.loads.filter { $0.span.start >= observed.delivered && $0.outcome == .miss }, by: \.key)
        var (survived, failed, restarted): (UInt64, UInt64, UInt64) = (0, 0, 0)
        for load in inFlight {
            let isRestarted =
                sharesLoads && load.outcome != .cancelled
                && later[load.key, default: []].contains { $0.span.start < load.span.end }
            switch load.outcome {
            case .failed: failed += 1
            case _ where isRestarted: restarted += 1
            default: survived += 1
            }
        }
        (row.loadsInFlight, row.loadsSurvived, row.loadsFailed) = (UInt64(inFlight.count), survived, failed)
        if sharesLoads { row.loadsRestarted = restarted }
    }
}

extension CacheStatistics {
    fileprivate var entriesInMemory: Int? { memoryEntryCount ?? entryCount }
    fileprivate var bytesInMemory: Int? { memoryCost ?? totalCost }
}
