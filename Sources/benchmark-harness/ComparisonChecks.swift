import Comparison
import Foundation
import Locks
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// Real trials of a cache against itself, and against itself with a slowdown, as `compare` judges them.
struct ComparisonChecks {
    /// The time for all trials.
    let budget: Duration
    private let repetitions = 10
    /// Trials take turns, so that those with one number meet the same machine.
    private var settings: ComparisonSettings {
        var settings = ComparisonSettings()
        settings.isPaired = true
        return settings
    }
    private let metrics: [ComparisonMetric] = [.throughput, .p50, .p99]
    private let registration = Strategy(
        SpinningLRU<Int>.self, SpinningLRU<String>.self, SpinningLRU<URL>.self)

    /// - Parameter budget: the time for all trials.
    init(budget: Duration) {
        self.budget = budget
    }

    /// Both halves: no difference, and a planted one.
    ///
    /// - Throws: what kept a trial from ending.
    func measure() async throws -> (checks: [Check], goals: [Goal]) {
        let spin = try await spinning()
        BenchmarkHarness.say("against itself")
        let itself = try await rows(spin.base, spin.base, within: budget * 0.5)
        BenchmarkHarness.say("with a slowdown of 10 %")
        // Not p99: ten per cent are its smallest difference.
        let planted = try await rows(spin.base, spin.slower, within: budget * 0.4).filter { $0.metric != "p99" }
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

    /// As many comparisons as there is time for, of caches that spin for so many rounds.
    private func rows(_ baseline: Int, _ candidate: Int, within time: Duration) async throws -> [ComparisonRow] {
        let end = ContinuousClock.now + time
        var rows: [ComparisonRow] = []
        repeat {
            var sides: [[PhaseResult]] = [[], []]
            for repetition in 1...repetitions {
                // In turns, and in turns who is first, so that a machine that slows down is nobody's fault.
                for side in repetition.isMultiple(of: 2) ? [1, 0] : [0, 1] {
                    var result = try await trial(rounds: side == 1 ? candidate : baseline)
                    result.trial.key.trial.repetition = repetition
                    sides[side].append(result)
                }
            }
            let compared = ComparedRuns(baseline: sides[0], candidate: sides[1], metrics: metrics)
            rows += Judgement(settings).rows(compared.pairs)
        } while ContinuousClock.now < end
        return rows
    }

    private func trial(rounds: Int) async throws -> PhaseResult {
        Spinning.rounds.withLock { $0 = rounds }
        let phase = Phase(name: "main", length: .operations(100_000), clients: 1, mix: OperationMix([.load: 1]))
        return try await TrialInProcess.run(registration, TrialInProcess.scenario("against-itself", phase))
    }

    /// How many rounds make an operation about two microseconds long, and how many a tenth longer than that.
    ///
    /// Ten per cent of an operation of 100 ns would be less than the smallest difference that counts, 10 ns.
    private func spinning() async throws -> (base: Int, slower: Int) {
        let many = 4_000
        let (empty, long) = try await times(0, many)
        let perRound = max((long - empty) / Double(many), 0.1)
        let base = max(0, 2_000 - empty) / perRound
        let tenth = max(2_000, empty) * 0.1 / perRound
        return (Int(base.rounded()), Int((base + tenth).rounded()))
    }

    /// Nanoseconds that an operation takes with so many rounds of spinning, in turns.
    private func times(_ first: Int, _ second: Int) async throws -> (Double, Double) {
        var times: [[Double]] = [[], []]
        for _ in 1...7 {
            for (index, rounds) in [first, second].enumerated() {
                guard let rate = ComparisonMetric.throughput.value(try await trial(rounds: rounds)) else { continue }
                times[index].append(1e9 / rate)
            }
        }
        guard !times[0].isEmpty, !times[1].isEmpty else { throw HarnessError("a trial had no throughput") }
        return (Samples.median(times[0]), Samples.median(times[1]))
    }
}
