import Comparison
import Foundation
import Locks
import Reports
import TrialModel
import TrialRunner

/// Real trials of a cache against itself, and against itself with a slowdown, as `compare` judges them.
struct ComparisonChecks {
    /// The time for all trials.
    let budget: Duration
    private let repetitions = 10
    private let metrics: [ComparisonMetric] = [.throughput, .p50, .p99]
    private let registration = StrategyRegistration(
        synchronous: SpinningLRU<Int>.self, SpinningLRU<String>.self, SpinningLRU<TrialURL>.self)

    /// - Parameter budget: the time for all trials.
    init(budget: Duration) {
        self.budget = budget
    }

    /// Both halves: no difference, and a planted one.
    ///
    /// - Throws: what kept a trial from ending.
    func measure() async throws -> (checks: [Check], goals: [Goal]) {
        let slow = try await roundsOfTenPerCent()
        BenchmarkHarness.say("against itself")
        let itself = try await rows(rounds: 0, within: budget * 0.5)
        BenchmarkHarness.say("with a slowdown of 10 %")
        let planted = try await rows(rounds: slow, within: budget * 0.4).filter { $0.metric != "p99" }
        let worse = share(.worse, itself)
        let ratios = planted.filter { $0.metric == "throughput" }.compactMap(\.ratio)
        return (
            [
                Check(
                    what: "\(itself.count) figures of a cache against itself: worse", expected: "at most 2 %",
                    seen: Quantity.percent(worse), holds: worse <= 0.02),
                Check(
                    what: "\(planted.count) figures of a cache that is slower: same", expected: "none",
                    seen: Quantity.percent(share(.same, planted)), holds: share(.same, planted) == 0),
            ],
            [
                Goal(
                    what: "figures of a cache that is slower, worse", side: .atLeast, limit: 95, unit: "%",
                    samples: [share(.worse, planted) * 100], places: 1),
                Goal(
                    what: "how much slower it was, by throughput", side: .atLeast, limit: 9, unit: "%",
                    samples: [ratios.isEmpty ? 0 : (1 / Samples.median(ratios) - 1) * 100], places: 1),
            ]
        )
    }

    private func share(_ verdict: ComparisonVerdict, _ rows: [ComparisonRow]) -> Double {
        rows.isEmpty ? 0 : Double(rows.count { $0.verdict == verdict }) / Double(rows.count)
    }

    /// As many comparisons as there is time for.
    private func rows(rounds: Int, within time: Duration) async throws -> [ComparisonRow] {
        let end = ContinuousClock.now + time
        var rows: [ComparisonRow] = []
        repeat {
            var sides: [[PhaseResult]] = [[], []]
            for repetition in 1...repetitions {
                // In turns, and in turns who is first, so that a machine that slows down is nobody's fault.
                for side in repetition.isMultiple(of: 2) ? [1, 0] : [0, 1] {
                    var result = try await trial(rounds: side == 1 ? rounds : 0)
                    result.trial.key.trial.repetition = repetition
                    sides[side].append(result)
                }
            }
            let compared = ComparedRuns(baseline: sides[0], candidate: sides[1], metrics: metrics)
            rows += Judgement(ComparisonSettings()).rows(compared.pairs)
        } while ContinuousClock.now < end
        return rows
    }

    private func trial(rounds: Int) async throws -> PhaseResult {
        Spinning.rounds.withLock { $0 = rounds }
        let phase = Phase(name: "main", length: .operations(40_000), clients: 1, mix: OperationMix([.load: 1]))
        return try await TrialInProcess.run(registration, TrialInProcess.scenario("against-itself", phase))
    }

    /// How many rounds make an operation a tenth longer, from trials without and with many.
    private func roundsOfTenPerCent() async throws -> Int {
        let many = 1_000
        var times: [[Double]] = [[], []]
        for _ in 1...5 {
            for (index, rounds) in [0, many].enumerated() {
                guard let rate = ComparisonMetric.throughput.value(try await trial(rounds: rounds)) else { continue }
                times[index].append(1 / rate)
            }
        }
        guard !times[0].isEmpty, !times[1].isEmpty else { throw HarnessError("a trial had no throughput") }
        let (base, slow) = (Samples.median(times[0]), Samples.median(times[1]))
        return max(1, Int((base * 0.1 / max(slow - base, base * 0.01) * Double(many)).rounded(.up)))
    }
}
