import HistoryChecking
import Schedules
import TrialModel

/// Explores one strategy under one scenario in a process of its own, and again after that process died.
struct StrategyExploration: Sendable {
    let runner: any ExplorationRunner
    let plan: ExplorationPlan

    /// The findings, before they have a place in a result folder.
    struct Result: Sendable {
        var report: ExplorationReport?
        /// How the process died or hung, if it did.
        var death: Death?
    }

    /// A schedule that the process did not survive.
    struct Death: Sendable {
        var seed: UInt64?
        var isHung: Bool
        var reason: String
        /// The smallest script found that still kills the process.
        var smallest: SmallestScript?
    }

    /// Explores. A schedule that kills the process is the last one; the schedules before it run again to report their
    /// findings.
    func run() async throws -> Result {
        let outcome = try await runner.run(plan)
        guard case .died(let seed, let isHung, let reason) = outcome else {
            if case .finished(let report) = outcome { return result(report) }
            return Result()
        }
        guard let seed else {
            // It died while it looked for smaller scripts.
            return try await runAgain(plan.schedules, Death(seed: nil, isHung: isHung, reason: reason))
        }
        var death = Death(seed: seed, isHung: isHung, reason: reason)
        if !isHung { death.smallest = try await smallestDeath(from: plan.script(ofSeed: seed), seed: seed) }
        return try await runAgain(Int(clamping: seed &- plan.seed), death)
    }

    private func result(_ report: ExplorationReport) -> Result {
        guard let seed = report.endlessSeed else { return Result(report: report) }
        return Result(
            report: report, death: Death(seed: seed, isHung: true, reason: "a schedule of \(plan.strategy) did not end")
        )
    }

    private func runAgain(_ schedules: Int, _ death: Death) async throws -> Result {
        guard schedules > 0 else { return Result(death: death) }
        var before = plan
        before.schedules = schedules
        before.shrinks = death.seed != nil
        var outcome = try await runner.run(before)
        if case .died = outcome, before.shrinks {
            before.shrinks = false
            outcome = try await runner.run(before)
        }
        guard case .finished(let report) = outcome else { return Result(death: death) }
        return Result(report: report, death: death.seed == nil ? nil : death)
    }

    /// The smallest script that still kills the process; each candidate runs in a process of its own.
    private func smallestDeath(from script: ScheduleScript, seed: UInt64) async throws -> SmallestScript {
        var best = SmallestScript(script: script, seed: seed, example: nil)
        while let smaller = try await smallerDeath(than: best) { best = smaller }
        return best
    }

    private func smallerDeath(than best: SmallestScript) async throws -> SmallestScript? {
        for candidate in ScriptShrinker.candidates(best.script) {
            var smaller = plan
            smaller.script = candidate
            smaller.seed = best.seed
            smaller.schedules = Int(clamping: ScriptShrinker.seedsPerCandidate)
            smaller.shrinks = false
            if case .died(let seed?, isHung: false, _) = try await runner.run(smaller) {
                return SmallestScript(script: candidate, seed: seed, example: nil)
            }
        }
        return nil
    }
}
