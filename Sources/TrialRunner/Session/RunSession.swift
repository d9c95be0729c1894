import Foundation
package import Reports
package import TrialModel
import WorkloadGeneration

/// Runs the trials of a plan one after the other and keeps every result as soon as it is there.
package struct RunSession: Sendable {
    /// The trials to run, in order.
    package var plan: RunPlan
    /// Where the rows go.
    package var folder: ResultFolder
    /// Who is told what happens.
    package var progress: RunProgress
    /// This program; trials and the fixture server are children that run it.
    package var executable: String
    /// The time for all trials; what does not fit is left out.
    package var budget: Duration?
    /// When a trial counts as hung; `nil` takes a generous limit from the scenario.
    package var deadline: Duration?

    package init(
        plan: RunPlan, folder: ResultFolder, progress: RunProgress, executable: String, budget: Duration?,
        deadline: Duration?
    ) {
        self.plan = plan
        self.folder = folder
        self.progress = progress
        self.executable = executable
        self.budget = budget
        self.deadline = deadline
    }

    /// What a session leaves behind, besides the rows in its folder.
    package struct Summary: Sendable {
        /// Trials that the budget had no time for.
        package var leftOut: [TrialIdentity] = []
        /// Whether the session was cancelled before its end.
        package var isPartial = false
    }

    /// Runs the trials.
    ///
    /// When its task is cancelled, it ends the trial under way, drops it, and returns what is finished as partial.
    ///
    /// - Throws: ``HarnessError``, and what the folder throws when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var summary = Summary()
        var clock = TimeBudget(limit: budget)
        var server: FixtureServerProcess?
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        var tables = KeyTableFiles(folder: try scratch.fresh("keys"))
        var optima: [String: [String: Double]] = [:]
        let ticking = Task { await progress.keepTicking() }
        defer {
            ticking.cancel()
            progress.finish()
        }
        do {
            for entry in plan.entries {
                guard clock.allows(entry, of: plan) else {
                    summary.leftOut.append(entry.identity)
                    continue
                }
                let start = ContinuousClock.now
                progress.begin(entry.identity)
                server = try await address(for: entry.scenario, server)
                let scenario = try tables.prepare(entry.scenario)
                let optimum = try optima[scenario.name] ?? Self.optimum(scenario)
                optima[scenario.name] = optimum
                var report = try await run(
                    entry, scenario, address: server?.address, directory: scratch.fresh())
                for index in report.results.indices {
                    let phase = report.results[index].trial.key.phase
                    report.results[index].hitRate?.optimalHitRatio = optimum[phase]
                }
                try folder.append(report.results)
                let took = ContinuousClock.now - start
                clock.note(entry.scenario.name, took: took)
                let worst = report.results.first { $0.trial.status != .completed }?.trial
                progress.end(entry.identity, status: worst?.status ?? .completed, reason: worst?.reason ?? "")
                if report.results.contains(where: { $0.trial.status != .completed }) {
                    // The server may be what is wrong, or still keeps the trial; the next one gets a new server.
                    await server?.stop()
                    server = nil
                }
            }
        } catch  where Task.isCancelled {
            summary.isPartial = true
        } catch {
            await server?.stop()
            throw error
        }
        await server?.stop()
        return summary
    }

    private func address(
        for scenario: Scenario, _ running: FixtureServerProcess?
    ) async throws -> FixtureServerProcess? {
        guard scenario.origin.kind == .server, running == nil else { return running }
        return try await FixtureServerProcess.start(executable: executable)
    }

    /// The best hit ratio of each phase, as far as it can be known.
    private static func optimum(_ scenario: Scenario) throws -> [String: Double] {
        let trace = try scenario.keys.trace.map { try TraceWorkload($0, keepsTimes: false) }
        return OptimalHitRatios(scenario, trace: trace)?.ratios ?? [:]
    }

    private func run(
        _ entry: RunPlan.Entry, _ scenario: Scenario, address: String?, directory: String
    ) async throws -> TrialProcess.Outcome {
        // Three times what it should take, and time for a slow machine to start a process.
        let limit = deadline ?? entry.scenario.expectedDuration * 3 + .seconds(30)
        let specification = TrialSpecification(
            identity: entry.identity, scenario: scenario,
            originAddress: scenario.origin.kind == .server ? address : nil, directory: directory)
        return try await TrialProcess(executable: executable, deadline: limit).run(specification)
    }
}
