import CacheStrategies
import HistoryChecking
import Origins
import Platform
import TimedStrategies
import TrialModel

/// The records of a checked trial's clients, over all its phases, and the findings about the strategy's promises.
struct TrialHistory {
    /// A sender of operations: a client, or a caller of its bursts; -1 for a prefetch, -2 for
    /// events that remove keys. A client of a later phase
    /// continues as the same one.
    private struct Caller: Hashable {
        var client: Int
        var lane: Int
    }

    private var history = History()
    private var positions: [Caller: Int] = [:]
    private var unrecorded: UInt64 = 0
    /// How many operations the clients counted, independent of their records.
    private var sentCount: UInt64 = 0

    /// Adds the clients' records of a phase. O(operations).
    mutating func add(_ clientMetrics: [ClientMetrics]) {
        for (client, metrics) in clientMetrics.enumerated() {
            sentCount &+= metrics.issued
            guard let recorded = metrics.instruments.first(OperationRecords.self) else { continue }
            unrecorded &+= recorded.unrecorded
            for (lane, records) in recorded.callers.enumerated() where !records.isEmpty {
                append(records, of: Caller(client: client, lane: lane))
            }
        }
    }

    /// Adds the fetches of prefetches: loads whose callers did not wait, so their results and the times of their
    /// effects are unknown. A load lasts longer than its fetch: a caller that joins it late gets the error of a fetch
    /// that has failed already. O(fetches · fetches at a time).
    mutating func add(_ prefetches: [PrefetchLog.Fetch]) {
        var lanes: [UInt64] = []
        for fetch in prefetches {
            // One caller has one operation at a time.
            let lane = lanes.firstIndex { $0 <= fetch.began } ?? lanes.count
            if lane == lanes.count { lanes.append(0) }
            let ended = max(fetch.ended, fetch.loadEnded)
            lanes[lane] = ended
            var record = OperationRecord(.load, key: fetch.key, outcome: .cancelled, call: fetch.began, answer: ended)
            record.mayGiveUp = true
            append([record], of: Caller(client: -1, lane: lane))
        }
        sentCount &+= UInt64(prefetches.count)
    }

    /// Adds the removals of a phase's events, which come from one caller.
    mutating func add(removals: [OperationRecord]) {
        sentCount &+= UInt64(removals.count)
        if !removals.isEmpty { append(removals, of: Caller(client: -2, lane: 0)) }
    }

    private mutating func append(_ records: [OperationRecord], of caller: Caller) {
        if let position = positions[caller] {
            history.callers[position].append(contentsOf: records)
        } else {
            positions[caller] = history.callers.count
            history.callers.append(records)
        }
    }

    /// Adds the origin's log of requests. O(requests).
    ///
    /// - Parameter mayFailUnseen: whether a fetch may fail before the origin sees it.
    mutating func add(_ list: OriginRequestList, mayFailUnseen: Bool) {
        history.requests = list.entries.map { entry in
            // The server has sent an answer even when it damaged it.
            RequestRecord(
                key: UInt32(clamping: entry.key), version: entry.version, start: entry.startNanoseconds,
                end: entry.endNanoseconds, isAnswered: entry.ending == .answered && entry.fault?.isFailure != true)
        }
        history.droppedRequests = list.droppedCount
        history.answeredFetchCount = list.answeredFetchCount
        history.mayFailUnseen = mayFailUnseen
    }

    /// Marks writes that the cache may have refused as failed: such a write may have had no effect.
    ///
    /// - Parameter mayRefuse: whether the cost of a version of a key is large enough for a refusal. Called once for
    ///   each write.
    mutating func noteRefusals(_ mayRefuse: (_ key: UInt64, _ version: UInt64) -> Bool) {
        for caller in history.callers.indices {
            for position in history.callers[caller].indices {
                let record = history.callers[caller][position]
                guard record.kind == .write, mayRefuse(UInt64(record.key), record.version) else { continue }
                history.callers[caller][position].outcome = .failed
            }
        }
    }

    /// Adds samples of the strategy's statistics, taken while clients were running, in a later phase than those added
    /// before.
    mutating func add(_ samples: [StatisticsSample]) { history.samples += samples }

    /// Notes that entries may have disappeared without a caller's operation, in a span of the clients' clock that is
    /// later than those noted before.
    mutating func noteLoss(in span: ClosedRange<UInt64>) { history.losses.append(span) }

    /// A finding for each promise that a history can break. O(n log n) in the operations.
    func findings(by promises: Promises, _ terms: HistoryTerms? = nil) -> [PromiseFinding] {
        guard let reason = whyIncomplete else {
            return HistoryCheck(promises: promises, terms: terms).findings(history)
        }
        return promises.judged(by: terms).map { .unknown($0, because: reason) }
    }

    private var whyIncomplete: String? {
        if unrecorded > 0 {
            return "\(unrecorded) operations were not written down: the trial is too long to be checked as a whole"
        }
        let recorded = UInt64(history.count)
        return recorded == sentCount
            ? nil : "invalid log: \(sentCount) operations were sent, and \(recorded) are recorded"
    }
}

/// The terms by which the history of a trial is judged.
extension TrialExecution {
    /// The limits and lifetimes that the strategy was opened with, as far as it promised to keep them.
    func terms(_ payloads: PayloadFactory) -> HistoryTerms {
        let promises = declaration.promises
        let kept = promises.limit == .none ? [] : declaration.bounds
        let common = scenario.values.timeToLive
        let isOwn = promises.timeToLive.perEntry
        let (changes, largest) = (scenario.values.changes == true, Int(clamping: scenario.values.largestSize))
        return HistoryTerms(
            entryLimit: kept.contains(.entries) ? scenario.capacity.entries : nil,
            costLimit: kept.contains(.cost) ? scenario.capacity.bytes : nil,
            worksInBackground: declaration.worksInBackground,
            // A picture may be held encoded, and then costs less than in memory.
            costsAreExact: scenario.values.kind != .image,
            cost: { $1 == 0 && changes ? largest : payloads.size(ofKey: UInt64($0), version: max($1, 1)) },
            lifetime: { key in
                let own = isOwn ? payloads.lifetime(ofKey: UInt64(key)) : 0
                return own > 0 ? own : common
            })
    }

    /// Whether the strategy's statistics are sampled while clients are running: it must allow calls from several
    /// threads. In a check its figures must say something about limits; under Thread Sanitizer it is one more caller.
    var samplesStatistics: Bool {
        guard !strategy.isUnguarded else { return false }
        if specification.purpose == .races { return true }
        guard scenario.check, specification.purpose == .times else { return false }
        return declaration.promises.limit == .hard || declaration.promises.limit == .soft
    }
}

/// Samples a strategy's statistics repeatedly, beside the clients and on a thread of its own. Timed operations do not
/// wait for the sampler, only for the strategy itself.
final class StatisticsSampler: Sendable {
    private let executors = ThreadExecutors(count: 1)
    private let task: Task<[StatisticsSample], Never>

    /// The time between two samples; it is longer where answers are slow, so that nine tenths of the time pass without
    /// a sample.
    private static let pause = Duration.microseconds(500)
    private static let countMax = 1 << 16

    init(_ strategy: OpenStrategy) {
        task = Task(executorPreference: executors[0]) {
            var samples: [StatisticsSample] = []
            while !Task.isCancelled, samples.count < Self.countMax {
                let call = Nanoclock.now()
                let known = await strategy.statistics()
                let answer = Nanoclock.now()
                samples.append(
                    StatisticsSample(
                        call: call, answer: answer, entryCount: known.entryCount, totalCost: known.totalCost,
                        evictions: known.evictions))
                let taken = Duration.nanoseconds(Int64(clamping: Nanoclock.elapsed(from: call, to: answer)))
                try? await Task.sleep(for: max(Self.pause, taken * 10))
            }
            return samples
        }
    }

    /// Ends it; returns the samples in the order of time.
    func samples() async -> [StatisticsSample] {
        task.cancel()
        let samples = await task.value
        executors.stop()
        return samples
    }
}
