import CacheStrategies
import HistoryChecking
import Origins
import TimedStrategies
import TrialModel

/// The terms by which the history of a trial is judged.
extension TrialExecution {
    /// The limits and lifetimes that the strategy was opened with, as far as it promised to keep them.
    func terms(_ payloads: PayloadFactory) -> HistoryTerms {
        let promises = declaration.promises
        let isBounded = promises.limit == .hard || promises.limit == .soft
        let kept = isBounded ? declaration.bounds : []
        let common = scenario.values.timeToLive
        let isOwn = promises.timeToLive.perEntry
        return HistoryTerms(
            entryLimit: kept.contains(.entries) ? scenario.capacity.entries : nil,
            costLimit: kept.contains(.cost) ? scenario.capacity.bytes : nil,
            worksInBackground: declaration.worksInBackground,
            // A picture may be held encoded, and then costs less than in memory.
            costsAreExact: scenario.values.kind != .image,
            cost: { payloads.size(ofKey: UInt64($0), version: $1) },
            lifetime: { key in
                let own = isOwn ? payloads.lifetime(ofKey: UInt64(key)) : 0
                return own > 0 ? own : common
            })
    }

    /// Whether the strategy's statistics are sampled while clients are running: it must allow calls from several
    /// threads, and its figures must say something about limits.
    var samplesStatistics: Bool {
        guard scenario.check, specification.purpose == .times, !strategy.isUnguarded else { return false }
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
