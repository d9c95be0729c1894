import CacheStrategies
import Foundation
package import HistoryChecking
package import Reports
package import Schedules
import TimedStrategies
package import TrialModel

/// Explores strategies one after the other, and keeps every result as soon as it exists.
package struct ExplorationSession: Sendable {
    package var subjects: [SessionSubject]
    /// How many schedules to run of each strategy, and of each script of a scenario.
    package var schedules: Int
    /// The seed of the first schedule; `nil` takes the scenario's.
    package var seed: UInt64?
    /// How orders are chosen; `nil` leaves the choice to the driver.
    package var orders: OrderChoice?
    package var folder: ResultFolder
    package var progress: RunProgress
    /// Makes the exploration runner before the first exploration.
    package var runner: @Sendable () throws -> any ExplorationRunner

    package init(
        subjects: [SessionSubject], schedules: Int, seed: UInt64?, orders: OrderChoice? = nil, folder: ResultFolder,
        progress: RunProgress,
        runner: @escaping @Sendable () throws -> any ExplorationRunner
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
    /// When its task is cancelled, it drops the exploration in progress and returns the finished ones.
    ///
    /// - Throws: ``HarnessError``, and what the folder throws when a row can't be written.
    @concurrent
    package func run() async throws -> Summary {
        var summary = Summary()
        let runner = try runner()
        try await Steps.take(progress) {
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
        _ strategy: Strategy, under subject: SessionSubject, _ runner: any ExplorationRunner,
        _ summary: inout Summary
    ) async throws {
        let scenario = subject.scenario
        let name = strategy.declaration.name
        let identity = TrialIdentity(scenario: scenario.point, strategy: name, repetition: 1)
        progress.begin(identity)
        let plan = ExplorationPlan(
            strategy: name, capacity: scenario.capacity, keyCount: scenario.keys.count, script: scenario.script,
            // When all orders are tried, a seed is the place of one.
            seed: seed ?? (orders == .preemptions ? 0 : scenario.seed), schedules: schedules,
            carrier: strategy.explorer?.carrier ?? .tasks, orders: orders)
        let result = try await StrategyExploration(runner: runner, plan: plan).run()
        let rows = ExplorationRows(subject: subject, strategy: name, plan: plan)
        let found = try rows.rows(result) { text, name in try folder.write(text, as: name, in: "scripts") }
        try folder.append(found.map(\.row))
        summary.rows += found.map(\.row)
        summary.examples += found.compactMap { found in found.example.map { (found.row, $0, found.timeline) } }
        let worst = found.map(\.row).first { $0.verdict != .consistent && $0.verdict != .unknown }
        progress.end(
            identity, verdict: worst?.verdict.rawValue ?? "consistent", isTrouble: worst != nil,
            reason: worst.map { "\($0.promise.rawValue), seed \($0.firstSeed.map(String.init) ?? "unknown")" } ?? "")
    }
}

extension Scenario {
    /// The script of the first phase that has one.
    package var script: ScheduleScript? { phases.lazy.compactMap(\.script).first }
}
