import CacheStrategies
import Measurement
import Origins
import TrialModel

/// Everything that was counted while a phase ran, and the rows made of it.
struct PhaseSummary {
    let key: RowKey
    let work: PhaseWork
    let driver: Driver
    let ended: EndedPhase
    let originLog: OriginLog
    let statisticsBefore: CacheStatistics
    let statisticsAfter: CacheStatistics
    let memoryBefore: MemoryReading
    let memoryAfter: MemoryReading
    /// When the clients started, in seconds since 1970; `nil` where distributions are not kept.
    let startSeconds: Double?
    /// What was observed of memory pressure; `nil` without it.
    let pressure: PressureDelivery.Observation?
    /// The events that removed keys.
    let invalidations: [InvalidationEvents.Event]
    /// The hit ratio of the phase before.
    let hitRatioBefore: Double?
    let promises: Promises

    var scenario: Scenario { work.scenario }
    var phase: Phase { work.phase }

    /// The hit ratio over all lookups of the phase, including those of a warm-up; `nil` without lookups.
    var hitRatio: Double? {
        var counts = ClientRecorder(measured: false)
        for metrics in ended.clientMetrics { counts.count(metrics.recorder) }
        return HitRateRow(key: key, capacity: scenario.capacity, counts).hitRatio
    }

    /// The rows of the phase. A warm-up only has those in `trials.csv` and `timeline.csv`.
    func result() -> PhaseResult {
        let recorder = merged(\.recorder)
        var counts = ClientRecorder(measured: false)
        counts.count(recorder)
        for metrics in ended.clientMetrics { counts.count(metrics.leadInRecorder) }
        var result = PhaseResult(trial: trialRow(counts))
        result.timeline = Timeline(ended.clientMetrics.flatMap(\.slices)).rows(
            key: key, interval: scenario.timelineInterval)
        if !phase.warmUp {
            result.startSeconds = startSeconds
            result.hitRate = hitRateRow(counts)
            result.memory = memoryRow(operations: counts.operations)
            result.isHarnessLimited = ended.generatorTrouble(isWarmUp: false) != nil
            if let turns = work.turns { (result.slices, result.shareOutsideTurns) = turns.phaseEnded(key) }
            add(recorder.latencies(), to: &result)
            add(merged(\.responseRecorder).latencies(basis: .response), to: &result)
        }
        for instrument in [any Instrument].merged(ended.clientMetrics.map(\.instruments)) {
            instrument.addRows(to: &result, of: self)
        }
        if !phase.warmUp { judge(&result) }
        return result
    }

    /// Adds the rows of distributions, and the distributions themselves where they are kept.
    func add(_ latencies: [LabelledLatencies], to result: inout PhaseResult) {
        result.latency += latencies.map { $0.row(key: key, elapsedNanoseconds: ended.measuredNanoseconds) }
        if startSeconds != nil { result.distributions += latencies.map(\.encoded) }
    }

    /// Adds the expectations that were not met to the row.
    private func judge(_ result: inout PhaseResult) {
        guard !phase.expectations.isEmpty else { return }
        let shortfalls = phase.expectations.compactMap { $0.shortfall(in: result) }
        result.trial.expectationsFailed = UInt64(shortfalls.count)
        result.trial.reason = ([result.trial.reason] + shortfalls).filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private func merged(_ part: KeyPath<ClientMetrics, ClientRecorder>) -> ClientRecorder {
        var all = ClientRecorder(measured: !phase.warmUp)
        for metrics in ended.clientMetrics { all.merge(metrics[keyPath: part]) }
        return all
    }

    /// - Parameter counts: the counts of all operations.
    private func trialRow(_ counts: ClientRecorder) -> TrialRow {
        var row = TrialRow(
            key: key, driver: driver, status: .completed, operations: counts.operations,
            elapsedNanoseconds: ended.elapsedNanoseconds, wrongAnswers: sum(\.wrongAnswers))
        row.latenessP99Nanoseconds = ended.lateness?.summary()?.p99
        if let failure = cacheFailure {
            row.status = .crashed
            row.reason = failure
        } else if let trouble = trouble(counts) {
            row.status = .invalid
            row.reason = trouble
        } else if let wrong = ended.clientMetrics.lazy.compactMap(\.firstWrongAnswer).first {
            row.reason = wrong
        }
        return row
    }

    /// Whether a load may fail because the network is lost: now, or earlier in the trial where errors are cached.
    private var mayFailOffline: Bool {
        phase.offline || promises.cachesErrors && scenario.phases[..<work.phaseIndex].contains(where: \.offline)
    }

    /// A message about operations of the cache that failed; `nil` if none did.
    private var cacheFailure: String? {
        guard let failures = difference(\.failures), failures > 0 else { return nil }
        return "\(failures) operations of the cache failed; the first: \(statisticsAfter.firstFailure ?? "")"
    }

    /// Why the figures can't be trusted; `nil` if they can.
    private func trouble(_ counts: ClientRecorder) -> String? {
        if !scenario.origin.isExpectedToFail, !mayFailOffline,
            let failure = ended.clientMetrics.lazy.compactMap(\.originFailure).first
        {
            let failed = OperationKind.allCases.reduce(0) { $0 + counts.count($1, .failed) }
            return "\(failed) loads failed although the origin has no faults; the first: \(failure)"
        }
        let issued = sum(\.issued)
        if issued != counts.operations {
            return "\(issued) operations were sent and \(counts.operations) were recorded"
        }
        if let due = operationsDue, due != issued {
            return "\(due) operations were due and \(issued) were sent"
        }
        if let trouble = ended.generatorTrouble(isWarmUp: phase.warmUp) { return trouble }
        if originLog.inFlight > 0 {
            return "\(originLog.inFlight) requests did not end, and may count in the next phase"
        }
        return nil
    }

    /// How many operations a phase counted in operations must record. Bursts count their callers, so the number is only
    /// known where all operations are bursts, or none.
    private var operationsDue: UInt64? {
        guard case .operations(let total) = phase.length else { return nil }
        let count = UInt64(max(total, 0))
        if phase.mix[.burst] == 0 { return count }
        return phase.mix.weights.count == 1 ? count * UInt64(phase.burstWidth) : nil
    }

    private func hitRateRow(_ counts: ClientRecorder) -> HitRateRow {
        var row = HitRateRow(key: key, capacity: scenario.capacity, counts)
        row.bytesLookedUp = sum(\.bytesLookedUp)
        row.bytesHit = sum(\.bytesHit)
        row.evictions = difference(\.evictions)
        row.expirations = difference(\.expirations)
        row.duplicateReads = difference(\.duplicateReads)
        row.originLoads = originLog.requests
        row.duplicateLoads = originLog.duplicates
        row.droppedOperations = ended.droppedOperations
        return row
    }

    private func memoryRow(operations: UInt64) -> MemoryRow {
        // The clients' own histograms do not belong to the cache.
        let own = ended.clientMetrics.reduce(0) { $0 + $1.footprintBytes }
        var row = MemoryRow(key: key)
        row.allocatedBytesBefore = memoryBefore.allocatedBytes
        row.allocatedBytesAfter = memoryAfter.allocatedBytes.map { $0 - min(own, $0) }
        row.residentBytesPeak = memoryAfter.residentBytesPeak
        if operations > 0 {
            row.allocationsPerOperation = rate(\.allocationCount, per: operations)
            row.allocatedBytesPerOperation = rate(\.allocatedBytesTotal, per: operations, without: own)
        }
        return row
    }

    private func rate(
        _ counter: KeyPath<MemoryReading, UInt64?>, per operations: UInt64, without own: UInt64 = 0
    ) -> Double? {
        guard let before = memoryBefore[keyPath: counter], let after = memoryAfter[keyPath: counter], after >= before
        else { return nil }
        return Double(after - before - min(own, after - before)) / Double(operations)
    }

    private func sum(_ part: KeyPath<ClientMetrics, UInt64>) -> UInt64 {
        ended.clientMetrics.reduce(0) { $0 &+ $1[keyPath: part] }
    }

    private func difference(_ counter: KeyPath<CacheStatistics, UInt64?>) -> UInt64? {
        guard let after = statisticsAfter[keyPath: counter] else { return nil }
        let before = statisticsBefore[keyPath: counter] ?? 0
        return after >= before ? after - before : nil
    }
}

extension HitRateRow {
    /// Makes a row of a recorder's counts; bytes and figures from other sources are left out.
    init(key: RowKey, pool: Selection<String> = .all, capacity: Capacity, _ recorder: ClientRecorder) {
        func count(_ outcome: Outcome) -> UInt64 {
            [OperationKind.read, .load, .burst].reduce(0) { $0 + recorder.count($1, outcome) }
        }
        let hits = count(.hit)
        let others = count(.miss) + count(.joined) + count(.failed) + count(.cancelled)
        self.init(
            key: key, pool: pool, capacity: capacity, lookups: hits + others, hits: hits, misses: others)
        (writes, removals) = (recorder.count(.write, .done), recorder.count(.remove, .done))
        (joinedLoads, failedLoads) = (count(.joined), count(.failed))
    }
}
