import CacheStrategies
import HistoryChecking
package import Reports
import Schedules
import TimedStrategies
package import TrialModel

/// The orders that a check tries of each strategy's tasks or threads: they show what depends on which of two steps comes
/// first, and what a trial meets by chance only.
package struct OrderTrials: Sendable {
    /// How many orders of each strategy.
    private let count: Int
    /// The share of this machine, by strategy; all orders of a strategy that is not named.
    package var shares: [String: Share] = [:]
    private let folder: ResultFolder
    private let makeRunner: @Sendable () throws -> ExplorationRunner
    private var runner: ExplorationRunner?
    /// What was found, by strategy.
    private var found: [String: [PromiseFinding]] = [:]
    /// The strategies that were explored, and those that were not and why, in order.
    private(set) var report = Report()

    /// The orders of a strategy that one of several machines tries.
    package struct Share: Sendable {
        /// The scenario under which one machine would try them all.
        package var scenario: Scenario
        /// Which of them, from 0.
        package var range: Range<Int>

        package init(scenario: Scenario, range: Range<Int>) { (self.scenario, self.range) = (scenario, range) }
    }

    /// What was tried and what was not.
    package struct Report: Sendable {
        /// How many orders were tried of each strategy, at least and at most.
        package var orders: ClosedRange<Int>?
        package var explored: [String] = []
        /// Those of the explored of which no order is known to be good, because not all can be chosen.
        package var undecided: [String] = []
        package var unexplored: [(strategy: String, reason: String)] = []
    }

    /// - Parameters:
    ///   - count: how many orders of each strategy.
    ///   - folder: where the smallest scripts go that break a promise.
    package init(
        count: Int, folder: ResultFolder, runner: @escaping @Sendable () throws -> ExplorationRunner
    ) {
        (self.count, self.folder) = (count, folder)
        makeRunner = runner
    }

    /// The findings about a strategy: once in a run, since scripts and orders are the same in every scenario.
    ///
    /// - Throws: `CancellationError`, and the folder's error when a script can't be written.
    mutating func findings(of strategy: Strategy, under scenario: Scenario) async throws -> [PromiseFinding] {
        let name = strategy.declaration.name
        if let known = found[name] { return known }
        found[name] = []
        if let reason = strategy.whyNotExplorable {
            report.unexplored.append((name, reason))
            return []
        }
        let share = shares[name] ?? Share(scenario: scenario, range: 0..<count)
        // With more machines than orders, some have none.
        guard !share.range.isEmpty else { return [] }
        let plan = ExplorationPlan(
            of: strategy, under: share.scenario, schedules: share.range.count, after: share.range.lowerBound)
        let result: StrategyExploration.Result
        do {
            let runner = try runner ?? makeRunner()
            self.runner = runner
            result = try await StrategyExploration(runner: runner, plan: plan).run()
        } catch let error as HarnessError {
            // Such as a package without the library that orders threads.
            report.unexplored.append((name, "\(error)"))
            return []
        }
        try Task.checkCancellation()
        let subject = WorkSubject(scenario: share.scenario, path: "", strategies: [strategy])
        let rows = try ExplorationRows(subject: subject, strategy: name, plan: plan).rows(result) { [folder] in
            try folder.write($0, as: $1, in: "scripts")
        }
        let tried = report.orders ?? share.range.count...share.range.count
        report.orders = min(tried.lowerBound, share.range.count)...max(tried.upperBound, share.range.count)
        report.explored.append(name)
        let findings = rows.map { finding($0) }
        if findings.allSatisfy({ $0.verdict == .unknown }) { report.undecided.append(name) }
        found[name] = findings
        return findings
    }

    /// Releases what explorations share.
    func close() { runner?.close() }

    private func finding(_ explored: ExplorationRows.Explored) -> PromiseFinding {
        let row = explored.row
        var finding = PromiseFinding(
            promise: row.promise, verdict: row.consistency.verdict, operationsChecked: row.operationsChecked,
            violations: row.violations, example: explored.example)
        guard finding.verdict == .inconsistent else {
            finding.example = row.example.isEmpty ? nil : Counterexample(summary: row.example, events: [])
            return finding
        }
        if let again = row.scriptCommand(in: folder.path) { finding.example?.details.append("again: \(again)") }
        finding.example?.details += explored.timeline
        return finding
    }
}

extension ExplorationRow {
    /// The command that runs the smallest script again; `nil` without one.
    ///
    /// - Parameter folder: the folder of the results.
    package func scriptCommand(in folder: String) -> String? {
        guard !scriptFile.isEmpty, let seed = scriptSeed else { return nil }
        let file = "\(folder)/\(scriptFile)".shellQuoted
        return "\(ProgramName.current) explore \(file) --orders 1 --seed \(seed)"
            + (scriptOrders.isEmpty ? "" : " --choice \(scriptOrders)")
    }
}

extension ExplorationPlan {
    /// The exploration of a strategy under a scenario.
    ///
    /// - Parameters:
    ///   - seed: the first seed; `nil` for the scenario's, or for the first of all orders where those are enumerated.
    ///   - orders: how orders are chosen; `nil` leaves it to the carrier.
    ///   - skipped: how many orders from the first seed on are left to other machines.
    init(
        of strategy: Strategy, under scenario: Scenario, schedules: Int, seed: UInt64? = nil,
        orders: OrderChoice? = nil, after skipped: Int = 0
    ) {
        self.init()
        self.strategy = strategy.declaration.name
        (capacity, keyCount, script) = (scenario.capacity, scenario.keys.count, scenario.script)
        self.seed = (seed ?? (orders == .preemptions ? 0 : scenario.seed)) &+ UInt64(skipped)
        (self.schedules, self.orders) = (schedules, orders)
        carrier = strategy.explorer?.carrier ?? .tasks
        fit(strategy.declaration)
    }
}
