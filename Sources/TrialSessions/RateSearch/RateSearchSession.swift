import CacheStrategies
package import Reports
package import TimedStrategies
package import TrialModel

/// Searches for the highest rate of every strategy under every scenario, one search after the other.
///
/// A search is kept when it is complete. An interrupted search leaves nothing, and starts again when the run continues:
/// half a search would mix trials of another hour into its verdicts.
package struct RateSearchSession: Sendable {
    /// One planned search.
    package struct Entry: Sendable {
        package var searched: SearchedScenario
        package var registration: Strategy

        package init(searched: SearchedScenario, registration: Strategy) {
            self.searched = searched
            self.registration = registration
        }

        /// The identity of the whole search in messages and rows.
        package var identity: TrialIdentity {
            TrialIdentity(
                scenario: searched.scenario.point, strategy: registration.declaration.name, repetition: 1)
        }
    }

    private let entries: [Entry]
    private let settings: RateSearchSettings
    private let folder: ResultFolder
    private let progress: RunProgress
    private let budget: Duration?
    private let runner: MakeTrialRunner

    /// - Parameters:
    ///   - entries: the searches, in order.
    ///   - budget: the time limit of all searches; those that don't fit are left out.
    ///   - runner: makes the trial runner.
    package init(
        entries: [Entry], settings: RateSearchSettings, folder: ResultFolder, progress: RunProgress,
        budget: Duration?, runner: @escaping MakeTrialRunner
    ) {
        self.entries = entries
        self.settings = settings
        self.folder = folder
        self.progress = progress
        self.budget = budget
        self.runner = runner
    }

    /// Runs the searches.
    ///
    /// When its task is cancelled, it ends the trial in progress, drops its search, and returns the finished ones as
    /// partial.
    ///
    /// - Throws: ``HarnessError``, and the folder's errors when a row can't be written.
    @concurrent
    package func run() async throws -> RunSession.Summary {
        var summary = RunSession.Summary()
        var trials = HostedRateTrials(
            runner: try runner(), progress: progress, settings: settings, end: budget.map { .now + $0 })
        var clock = TimeBudget(limit: budget)
        try await Steps.takeUntilCancelled(progress) {
            for entry in entries {
                let start = ContinuousClock.now
                guard clock.allows(entry.expectedDuration, of: entry.searched.scenario.point) else {
                    summary.leftOut.append(entry.identity)
                    continue
                }
                do {
                    try await search(entry, &trials)
                } catch is BudgetSpent {
                    progress.end(entry.identity, verdict: "left out", isTrouble: false, reason: "time budget")
                    summary.leftOut.append(entry.identity)
                }
                let place = RunPlan.Place(scenario: entry.identity.scenario, strategy: entry.identity.strategy)
                clock.note(place, took: .now - start)
            }
        } close: {
            await trials.runner.close()
        }
        return summary
    }

    private func search(_ entry: Entry, _ trials: inout HostedRateTrials) async throws {
        progress.begin(entry.identity)
        trials.entry = entry
        var search = StrategyRateSearch(entry.searched, settings, strategy: entry.identity.strategy)
        let finding = try await search.run(on: &trials)
        try folder.append(finding.results, search: finding.rows)
        let worst = finding.results.first { $0.trial.status != .completed }?.trial
        let last = finding.results.last?.trial
        let verdict = last?.maxRatePerSecond.map { "\(Quantity.rate($0))/s" } ?? "no rate"
        progress.end(
            entry.identity, verdict: worst?.status.rawValue ?? verdict, isTrouble: worst != nil,
            reason: worst?.reason ?? last?.reason ?? "")
    }
}

extension RateSearchSession.Entry {
    /// How long a search usually takes: seven rates, two trials each, and a few more.
    fileprivate var expectedDuration: Duration { searched.sent(at: 1).expectedDuration * 16 }
}

/// The time limit of all searches has passed.
private struct BudgetSpent: Error {}

/// Runs the trials of a search as trials of a session.
private struct HostedRateTrials: RateTrials {
    var runner: TrialRunner
    /// The search in progress.
    var entry: RateSearchSession.Entry?
    private let progress: RunProgress
    private let settings: RateSearchSettings
    private let end: ContinuousClock.Instant?

    init(
        runner: TrialRunner, progress: RunProgress, settings: RateSearchSettings, end: ContinuousClock.Instant?
    ) {
        self.runner = runner
        self.progress = progress
        self.settings = settings
        self.end = end
    }

    mutating func run(_ scenario: Scenario, step: Int, repetition: Int) async throws -> [PhaseResult] {
        if let end, ContinuousClock.now >= end { throw BudgetSpent() }
        guard let entry else { return [] }
        var identity = entry.identity
        identity.repetition = repetition
        let trial = RunPlan.Entry(identity: identity, scenario: scenario, registration: entry.registration)
        return try await runner.run(trial, step: step).results
    }

    func note(_ row: RateSearchRow) {
        progress.step(RateSearchText.line(row, objective: settings.objective))
    }
}
