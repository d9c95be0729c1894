import CacheStrategies
package import Reports
package import TimedStrategies
package import TrialModel
import WorkloadGeneration

/// Runs the trials of a plan one after the other, and keeps every result as soon as it exists.
package struct RunSession: Sendable {
    /// The trials to run, in order.
    package var plan: RunPlan
    /// The folder of the rows.
    package var folder: ResultFolder
    /// The display of progress.
    package var progress: RunProgress
    /// Makes the trial runner before the first trial.
    package var runner: MakeTrialRunner
    /// The strategies that this program knows, including the controls of its checks.
    package var registry: StrategyRegistry
    /// The time limit of all trials; trials that do not fit are left out.
    package var budget: Duration?
    /// When repetitions are enough; `nil` runs the whole plan.
    package var rule: RepetitionRule?
    /// The orders that a check tries besides its trials; `nil` tries none.
    package var orders: OrderTrials?
    /// Whether the strategies of a scenario take turns in each repetition.
    package var interleaves: @Sendable (Scenario) -> Bool = { _ in false }

    package init(
        plan: RunPlan, folder: ResultFolder, progress: RunProgress, registry: StrategyRegistry,
        budget: Duration?, rule: RepetitionRule? = nil, runner: @escaping MakeTrialRunner
    ) {
        self.plan = plan
        self.folder = folder
        self.progress = progress
        self.runner = runner
        self.registry = registry
        self.budget = budget
        self.rule = rule
    }

    /// What a session returns, besides the rows in its folder.
    package struct Summary: Sendable {
        /// Trials that did not fit into the budget.
        package var leftOut: [TrialIdentity] = []
        /// Repetitions of trials that had hung twice: each takes some seconds, and shows nothing new.
        package var hanging: [TrialIdentity] = []
        /// Controls of the check of promises that were not noticed, a line each; then no trial was run. `nil` when no
        /// promises are checked.
        package var missedControls: [String]?
        /// The strategies whose orders were tried, and those whose were not.
        package var orders: OrderTrials.Report?
    }

    /// How many steps the controls of a plan take.
    package static func controlCount(of plan: RunPlan) -> Int {
        isChecked(plan) ? CheckControls.all.count : 0
    }

    private static func isChecked(_ plan: RunPlan) -> Bool { plan.entries.contains(where: \.scenario.check) }

    /// Runs the trials.
    ///
    /// When its task is cancelled, it ends the trial in progress, drops it, and returns the finished ones.
    ///
    /// - Throws: ``HarnessError``, and the folder's errors when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var summary = Summary()
        var clock = TimeBudget(limit: budget)
        var runner = try runner()
        var checks = Self.isChecked(plan) ? PromiseChecks(registry: registry) : nil
        var optima: [Workload: [String: Double]] = [:]
        var hangs: [TrialIdentity: Int] = [:]
        var rule = rule
        try await Steps.takeUntilCancelled(progress) {
            if checks != nil {
                let missed = try await CheckControls.missed(
                    registry: registry, runner: &runner, checks: &checks, progress: progress)
                summary.missedControls = missed
                guard missed.isEmpty else { return }
                // The controls are for histories and probes.
                checks?.orders = orders
            }
            for block in plan.blocks {
                let hanging = block.filter { hangs[$0.place, default: 0] >= PromiseProbe.hangsMax }.map(\.identity)
                summary.hanging += hanging
                let wanted = block.filter { !hanging.contains($0.identity) && rule?.wants($0.identity) ?? true }
                let interleaves = block.first.map { self.interleaves($0.scenario) } ?? false
                for _ in wanted.count..<block.count { progress.forgo() }
                for group in interleaves ? [wanted] : wanted.map({ [$0] }) {
                    let entries = group.filter { entry in
                        let isAllowed = clock.allows(entry, of: wanted, interleaves: interleaves)
                        if !isAllowed { summary.leftOut.append(entry.identity) }
                        return isAllowed
                    }
                    guard let first = entries.first else { continue }
                    let start = ContinuousClock.now
                    progress.begin(first.identity)
                    for workload in entries.map(Workload.init) where optima[workload] == nil {
                        optima[workload] = try Self.optimum(workload.scenario)
                    }
                    for (entry, outcome) in zip(entries, try await runner.run(entries)) {
                        let optimum = optima[Workload(entry)] ?? [:]
                        let results = outcome.results.map { $0.withOptimum(optimum) }
                        if results.contains(where: { $0.trial.status == .hung }) {
                            hangs[entry.place, default: 0] += 1
                        }
                        var consistency: [ConsistencyEntry] = []
                        if entry.scenario.check {
                            consistency = try await checks?.entries(for: entry, outcome, asking: runner) ?? []
                        }
                        try folder.append(results, consistency: consistency)
                        rule?.note(results)
                        note(entry, results, consistency)
                    }
                    let share = (ContinuousClock.now - start) / entries.count
                    for entry in entries { clock.note(entry.place, took: share) }
                }
            }
        } close: {
            await runner.close()
            checks?.orders?.close()
        }
        summary.orders = checks?.orders?.report
        return summary
    }

    /// Reports how a trial ended: the reason why it did not complete, or else the promises that it broke.
    private func note(_ entry: RunPlan.Entry, _ results: [PhaseResult], _ consistency: [ConsistencyEntry]) {
        if let worst = results.first(where: { $0.trial.status != .completed })?.trial {
            return progress.end(entry.identity, status: worst.status, reason: worst.reason)
        }
        let broken = consistency.map(\.row).filter { $0.verdict == .inconsistent }.map(\.promise.rawValue)
        guard !broken.isEmpty else { return progress.end(entry.identity, status: .completed) }
        let role = entry.registration.declaration.role
        progress.end(
            entry.identity, verdict: "inconsistent", isTrouble: role == .candidate || role == .baseline,
            reason: "broke \(broken.joined(separator: ", "))")
    }

    /// A scenario as a strategy gets it: without the operations that it lacks a call for.
    private struct Workload: Hashable {
        let scenario: Scenario

        init(_ entry: RunPlan.Entry) { scenario = entry.scenario.sending(only: entry.registration.operations) }
    }

    /// The best hit ratio of each phase, as far as it can be known.
    private static func optimum(_ scenario: Scenario) throws -> [String: Double] {
        let trace = try scenario.keys.trace.map { try TraceWorkload($0, keepsTimes: false) }
        return OptimalHitRatios(scenario, trace: trace)?.ratios ?? [:]
    }
}

extension PhaseResult {
    /// The result with the best hit ratio of its phase, as far as it is known.
    fileprivate func withOptimum(_ ratios: [String: Double]) -> PhaseResult {
        with { $0.hitRate?.optimalHitRatio = ratios[trial.key.phase] }
    }
}

/// The steps of any session.
enum Steps {
    /// Takes the steps, and shows the progress. When the task is cancelled, finished steps are kept.
    ///
    /// - Parameters:
    ///   - progress: the display of progress.
    ///   - close: releases what the steps share, after any ending.
    /// - Throws: what a step throws, unless the task was cancelled.
    static func takeUntilCancelled(
        _ progress: RunProgress? = nil, _ steps: () async throws -> Void, close: () async -> Void
    ) async throws {
        let ticking = Task { await progress?.keepTicking() }
        defer {
            ticking.cancel()
            progress?.finish()
        }
        do {
            try await steps()
        } catch {
            await close()
            guard Task.isCancelled else { throw error }
            return
        }
        await close()
    }
}

/// A scenario as it is run, its file, and the strategies on trial.
package struct WorkSubject: Sendable {
    package var scenario: Scenario
    package var path: String
    /// The digest of the file's bytes; `nil` to compute it.
    package var sha256: String?
    package var strategies: [Strategy]

    package init(scenario: Scenario, path: String, sha256: String? = nil, strategies: [Strategy]) {
        (self.scenario, self.path, self.sha256, self.strategies) = (scenario, path, sha256, strategies)
    }

    /// Each strategy once.
    package var trials: [TrialIdentity] {
        strategies.map { TrialIdentity(scenario: scenario.point, strategy: $0.declaration.name, repetition: 1) }
    }
}
