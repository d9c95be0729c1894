import CacheStrategies
import Foundation
package import HistoryChecking
package import Reports
package import Schedules
package import TimedStrategies
package import TrialModel

/// Explores strategies one after the other, and keeps every result as soon as it exists.
package struct ExplorationSession: Sendable {
    package var subjects: [WorkSubject]
    /// How many schedules to run of each strategy, and of each script of a scenario.
    package var schedules: Int
    /// The seed of the first schedule; `nil` takes the scenario's.
    package var seed: UInt64?
    /// How many schedules from the first seed on are left to other machines.
    package var skipped = 0
    /// How orders are chosen; `nil` leaves the choice to the driver.
    package var orders: OrderChoice?
    package var folder: ResultFolder
    package var progress: RunProgress
    /// Makes the exploration runner before the first exploration.
    package var runner: @Sendable () throws -> ExplorationRunner

    package init(
        subjects: [WorkSubject], schedules: Int, seed: UInt64?, orders: OrderChoice? = nil, folder: ResultFolder,
        progress: RunProgress,
        runner: @escaping @Sendable () throws -> ExplorationRunner
    ) {
        self.subjects = subjects
        self.schedules = schedules
        self.seed = seed
        self.orders = orders
        self.folder = folder
        self.progress = progress
        self.runner = runner
    }

    /// What a session returns, besides the rows in its folder.
    package struct Summary: Sendable {
        package var rows: [ExplorationRow] = []
        /// The smallest counterexample of each broken promise, by its row.
        package var examples: [(row: ExplorationRow, example: Counterexample, timeline: [String])] = []
    }

    /// Explores all strategies under all scenarios.
    ///
    /// When its task is cancelled, it keeps what the exploration in progress has found so far.
    ///
    /// A strategy that can't be explored gets a row that says why, and the others their turn.
    ///
    /// - Throws: what the folder throws when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var summary = Summary()
        let runner = try runner()
        try await Steps.takeUntilCancelled(progress) {
            for subject in subjects {
                for strategy in subject.strategies {
                    try await explore(strategy, under: subject, runner, &summary)
                }
            }
        } close: {
            runner.close()
        }
        return summary
    }

    private func explore(
        _ strategy: Strategy, under subject: WorkSubject, _ runner: ExplorationRunner,
        _ summary: inout Summary
    ) async throws {
        let scenario = subject.scenario
        let name = strategy.declaration.name
        let identity = TrialIdentity(scenario: scenario.point, strategy: name, repetition: 1)
        progress.begin(identity)
        let plan = ExplorationPlan(
            of: strategy, under: scenario, schedules: schedules, seed: seed, orders: orders, after: skipped)
        let result: StrategyExploration.Result
        do {
            result = try await StrategyExploration(runner: runner, plan: plan).run()
        } catch let error as HarnessError where !Task.isCancelled {
            result = StrategyExploration.Result(failure: "\(error)")
        }
        if result.isEmpty { try Task.checkCancellation() }
        let rows = ExplorationRows(subject: subject, strategy: name, plan: plan)
        let found = try rows.rows(result) { text, name in try folder.write(text, as: name, in: "scripts") }
        try folder.append(found.map(\.row))
        summary.rows += found.map(\.row)
        summary.examples += found.compactMap { found in found.example.map { (found.row, $0, found.timeline) } }
        let worst = found.map(\.row).first { $0.verdict != .consistent && $0.verdict != .unknown }
        let isKnown = found.contains { $0.row.verdict == .consistent }
        progress.end(
            identity, verdict: worst?.verdict.rawValue ?? (isKnown ? "consistent" : "unknown"),
            isTrouble: worst != nil,
            reason: result.failure
                ?? worst.map { "\($0.promise.rawValue), seed \($0.firstSeed.map(String.init) ?? "unknown")" }
                ?? result.doubt ?? (isKnown ? "" : found.first?.row.example ?? ""))
        try Task.checkCancellation()
    }
}

extension Scenario {
    /// The script of the first phase that has one.
    package var script: ScheduleScript? { phases.lazy.compactMap(\.script).first }
}

/// The gates of explored schedules, from all rows.
extension StrategyRegistry {
    /// The gates. Findings in published strategies and in controls are expected and fail nothing.
    package func gates(for rows: [ExplorationRow]) -> [VerdictGate] {
        guard !rows.isEmpty else {
            let reason = "no interleaving was explored"
            return [VerdictGate(name: "explored", passed: false, reason: reason, exitCode: .harnessTrouble)]
        }
        let judged = rows.filter { !unjudged.contains($0.strategy) }
        var gates = [
            VerdictGate(
                "interleavings", .strategyFailed, judged,
                good: "no interleaving violated a guarantee of a judged strategy"
            ) {
                $0.verdict == .inconsistent ? "\($0.promise.rawValue): \($0.example)" : nil
            },
            VerdictGate(
                "ended", .strategyFailed, judged, good: "no interleaving of a judged strategy crashed or hung"
            ) {
                $0.verdict == .crashed || $0.verdict == .hung ? "\($0.verdict.rawValue): \($0.example)" : nil
            },
        ]
        let failed = VerdictGate("explored", .harnessTrouble, rows, good: "every strategy was explored") {
            $0.verdict == .failed ? "\($0.verdict.rawValue): \($0.example)" : nil
        }
        if !failed.passed { gates.append(failed) }
        return gates
    }
}

/// Explores one strategy under one scenario in a process of its own, and again after that process died.
struct StrategyExploration: Sendable {
    let runner: ExplorationRunner
    let plan: ExplorationPlan

    /// The findings, before they have a place in a result folder.
    struct Result: Sendable {
        var report: ExplorationReport?
        /// How the process died or hung, if it did.
        var death: Death?
        /// Why the strategy could not be explored.
        var failure: String?
        /// Why not all is known: what the process died of is not the strategy's fault for sure, or it was slow.
        var doubt: String?

        /// Whether nothing was tried yet.
        var isEmpty: Bool { report == nil && death == nil && failure == nil && doubt == nil }
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
        switch try await runner.run(plan) {
        case .finished(let report): return result(report)
        case .interrupted(let report): return Result(report: report)
        case .stuck(let report, let reason): return Result(report: report, failure: reason)
        case .diedBeside(let reason): return Result(doubt: reason)
        case .slow(nil, let reason): return Result(failure: reason)
        case .slow(let report?, let reason): return Result(report: report, doubt: reason)
        case .died(let seed?, let isHung, let reason):
            var death = Death(seed: seed, isHung: isHung, reason: reason)
            if !isHung { death.smallest = try await smallestDeath(from: plan.script(ofSeed: seed), seed: seed) }
            return try await runAgain(Int(clamping: seed &- plan.seed), death)
        case .died(nil, let isHung, let reason):
            // It died while it looked for smaller scripts.
            return try await runAgain(plan.schedules, Death(seed: nil, isHung: isHung, reason: reason))
        }
    }

    private func result(_ report: ExplorationReport) -> Result {
        guard let seed = report.endlessSeed else { return Result(report: report) }
        return Result(
            report: report,
            death: Death(seed: seed, isHung: true, reason: "an interleaving of \(plan.strategy) did not end")
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
        for candidate in ScriptShrinker.candidates(best.script) where !Task.isCancelled {
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
