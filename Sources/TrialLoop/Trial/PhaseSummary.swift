import CacheStrategies
import Measurement
import Origins
import TrialModel

/// Everything that was counted while a phase ran, and the rows made of it.
struct PhaseSummary {
    let key: RowKey
    let scenario: Scenario
    let phase: Phase
    let driver: Driver
    let outcome: PhaseOutcome
    let originLog: OriginLog
    let statisticsBefore: CacheStatistics
    let statisticsAfter: CacheStatistics
    let memoryBefore: MemoryReading
    let memoryAfter: MemoryReading
    /// When the clients started, in seconds since 1970; `nil` where distributions are not kept.
    let startSeconds: Double?
    /// The gate of the clients' turns, where they took turns with those of other processes.
    var turns: TurnGate?
    /// What was observed of memory pressure; `nil` without it.
    var pressure: PressureDelivery.Outcome?
    /// The prefetches of the phase; `nil` in a phase without them.
    var prefetching: PhasePrefetching?
    /// The hit ratio of the phase before.
    var hitRatioBefore: Double?
    /// Whether callers share loads.
    var sharesLoads = false

    /// The hit ratio over all lookups of the phase, including those of a warm-up; `nil` without lookups.
    var hitRatio: Double? {
        var counts = ClientRecorder(measured: false)
        for metrics in outcome.clientMetrics { counts.count(metrics.recorder) }
        return HitRateRow(key: key, capacity: scenario.capacity, counts).hitRatio
    }

    /// The rows of the phase. A warm-up only has those in `trials.csv` and `timeline.csv`.
    func result() -> PhaseResult {
        let recorder = merged()
        var counts = ClientRecorder(measured: false)
        counts.count(recorder)
        for metrics in outcome.clientMetrics { counts.count(metrics.leadInRecorder) }
        let trial = trialRow(counts, recorder)
        let contended = scenario.check ? nil : ContendedOperations.count(outcome.clientMetrics)
        let timeline = Timeline(outcome.clientMetrics.flatMap(\.slices)).rows(
            key: key, interval: scenario.timelineInterval)
        guard !phase.warmUp else {
            return PhaseResult(trial: trial, timeline: timeline, contendedOperations: contended)
        }
        let pools = pools()
        var result = PhaseResult(
            trial: trial,
            latency: latencyRows(recorder), timeline: timeline,
            hitRate: hitRateRow(counts), memory: memoryRow(operations: counts.operations),
            contendedOperations: contended)
        if let turns { (result.slices, result.shareOutsideTurns) = turns.phaseEnded(key) }
        if let frames = outcome.frames { (result.frames, result.frameTimes) = (frames.row(key), frames.timeRows(key)) }
        result.hitRates += pools.map(\.hitRate)
        addTiers(to: &result)
        addStages(to: &result)
        if let pressure {
            let summary = PressureSummary(
                outcome: pressure, clientMetrics: outcome.clientMetrics.compactMap(\.pressure), atEnd: statisticsAfter,
                hitRatioBefore: hitRatioBefore, sharesLoads: sharesLoads)
            result.pressure = summary.row(key: key)
        }
        if let prefetching {
            let summary = PrefetchSummary(prefetching, outcome.clientMetrics.compactMap(\.prefetches))
            result.prefetch = summary.row(key: key)
        }
        result.isHarnessLimited = generatorTrouble(recorder) != nil
        result.latency += pools.flatMap(\.latency)
        judge(&result)
        if let startSeconds {
            result.startSeconds = startSeconds
            result.distributions = recorder.encodedDistributions()
            if phase.arrival.isOpen {
                result.distributions += merged(\.responseRecorder).encodedDistributions(basis: .response)
            }
            result.distributions += pools.flatMap(\.distributions) + tierDistributions
        }
        return result
    }

    /// Adds the expectations that were not met to the row.
    private func judge(_ result: inout PhaseResult) {
        guard !phase.expectations.isEmpty else { return }
        let shortfalls = phase.expectations.compactMap { $0.shortfall(in: result) }
        result.trial.expectationsFailed = UInt64(shortfalls.count)
        result.trial.reason = ([result.trial.reason] + shortfalls).filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private func merged(_ part: KeyPath<ClientMetrics, ClientRecorder> = \.recorder) -> ClientRecorder {
        var all = ClientRecorder(measured: !phase.warmUp)
        for metrics in outcome.clientMetrics { all.merge(metrics[keyPath: part]) }
        return all
    }

    private func latencyRows(_ recorder: ClientRecorder) -> [LatencyRow] {
        let elapsed = outcome.measuredNanoseconds
        var rows = recorder.latencyRows(key: key, elapsedNanoseconds: elapsed)
        if phase.arrival.isOpen {
            rows += merged(\.responseRecorder).latencyRows(key: key, basis: .response, elapsedNanoseconds: elapsed)
        }
        return rows
    }

    /// The lateness that the harness itself caused in an open loop; `nil` in a closed loop.
    private var lateness: LatencyHistogram? {
        outcome.clientMetrics.lazy.compactMap(\.lateness).reduce(nil) { sum, next in
            guard var sum else { return next }
            sum.add(next)
            return sum
        }
    }

    /// - Parameters:
    ///   - counts: the counts of all operations.
    ///   - recorder: the recorder of the timed operations.
    private func trialRow(_ counts: ClientRecorder, _ recorder: ClientRecorder) -> TrialRow {
        var row = TrialRow(
            key: key, driver: driver, status: .completed, operations: counts.operations,
            elapsedNanoseconds: outcome.elapsedNanoseconds, wrongAnswers: sum(\.wrongAnswers))
        row.latenessP99Nanoseconds = lateness?.summary()?.p99
        let firsts = outcome.clientMetrics.compactMap(\.first)
        if !firsts.isEmpty, let start = outcome.clientMetrics.map(\.began).min() {
            let figures = FirstOperations.figures(firsts, from: start)
            row.firstHitNanoseconds = figures.firstHitNanoseconds
            row.hitsOfFirst100 = figures.hits
        }
        if let failure = cacheFailure {
            row.status = .crashed
            row.reason = failure
        } else if let trouble = trouble(counts, recorder) {
            row.status = .invalid
            row.reason = trouble
        } else if let wrong = outcome.clientMetrics.lazy.compactMap(\.firstWrongAnswer).first {
            row.reason = wrong
        }
        return row
    }

    /// A message about operations of the cache that failed; `nil` if none did.
    ///
    /// After a change that failed, a cache on a server continues under keys of its own, which no other generator
    /// requests. So its later phases do not measure the cache that the generators share, and their figures are left out
    /// of the sum.
    private var cacheFailure: String? {
        let first = "the first: \(statisticsAfter.firstFailure ?? "")"
        if let failures = difference(\.failures), failures > 0 {
            return "\(failures) operations of the cache failed; \(first)"
        }
        guard phase.share != nil, let earlier = statisticsBefore.failures, earlier > 0 else { return nil }
        return
            "\(earlier) operations of the cache failed in an earlier phase, and since then this generator may request "
            + "keys that the others don't; \(first)"
    }

    /// Why the figures can't be trusted; `nil` if they can.
    private func trouble(_ counts: ClientRecorder, _ recorder: ClientRecorder) -> String? {
        if !scenario.origin.isExpectedToFail, !phase.offline,
            let failure = outcome.clientMetrics.lazy.compactMap(\.originFailure).first
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
        if let trouble = generatorTrouble(recorder) { return trouble }
        if originLog.inFlight > 0 {
            return "\(originLog.inFlight) requests did not end, and may count in the next phase"
        }
        return nil
    }

    /// Why the generator of an open loop, and not the cache, limited the rate of operations; `nil` if it did not.
    private func generatorTrouble(_ recorder: ClientRecorder) -> String? {
        // With fewer operations a percentile says nothing.
        if let lateness, lateness.count >= 1000, let late = lateness.summary()?.p99, late > Phase.latenessLimit {
            return "one operation in a hundred was sent \(late / 1_000_000) ms late or more, though a client was "
                + "waiting for it: the machine was too busy"
        }
        let dropped = outcome.droppedOperations ?? 0
        let available = Double(outcome.elapsedNanoseconds) * Double(phase.clients)
        let busy = Double(recorder.totalNanoseconds) / Double(phase.mix[.burst] > 0 ? phase.burstWidth : 1)
        if dropped > 0, !phase.warmUp, busy < available / 2 {
            return "\(dropped) operations were not sent in time, though clients waited for the cache only "
                + "\(Int(busy / available * 100)) % of the time: the rate is too high for the harness"
        }
        return nil
    }

    /// How many operations a phase counted in operations must record. Bursts count their callers, so the number is only
    /// known where all operations are bursts, or none.
    private var operationsDue: UInt64? {
        guard let count = phase.operationCount else { return nil }
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
        row.droppedOperations = outcome.droppedOperations
        return row
    }

    private func memoryRow(operations: UInt64) -> MemoryRow {
        // The clients' own histograms do not belong to the cache.
        let own = outcome.clientMetrics.reduce(0) { $0 + $1.footprintBytes }
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
        outcome.clientMetrics.reduce(0) { $0 &+ $1[keyPath: part] }
    }

    private func difference(_ counter: KeyPath<CacheStatistics, UInt64?>) -> UInt64? {
        guard let after = statisticsAfter[keyPath: counter] else { return nil }
        let before = statisticsBefore[keyPath: counter] ?? 0
        return after >= before ? after - before : nil
    }
}
