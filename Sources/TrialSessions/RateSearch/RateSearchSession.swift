package import CacheStrategies
package import Reports
package import TimedStrategies
package import TrialModel

/// Searches for the highest rate of every strategy under every scenario, one search after the other.
///
/// A search is kept once it is over; one that is cut short leaves nothing, and begins anew when the run carries on:
/// half a search would mix trials of another hour into its verdicts.
package struct RateSearchSession: Sendable {
    /// One search to come.
    package struct Entry: Sendable {
        package var searched: SearchedScenario
        package var registration: Strategy

        package init(searched: SearchedScenario, registration: Strategy) {
            self.searched = searched
            self.registration = registration
        }

        /// Stands for the whole search where trials have names.
        package var identity: TrialIdentity {
            TrialIdentity(
                scenario: searched.scenario.name, strategy: registration.declaration.name, repetition: 1)
        }
    }

    private let entries: [Entry]
    private let settings: RateSearchSettings
    private let folder: ResultFolder
    private let progress: RunProgress
    private let executable: String
    private let budget: Duration?
    private let deadline: Duration?
    private let servers: CacheServers?

    /// - Parameters:
    ///   - entries: the searches, in order.
    ///   - executable: this program; trials and the fixture server are children that run it.
    ///   - budget: the time for all searches; those that don't fit are left out.
    ///   - deadline: when a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: that run already, for strategies that would start their own otherwise.
    package init(
        entries: [Entry], settings: RateSearchSettings, folder: ResultFolder, progress: RunProgress,
        executable: String, budget: Duration?, deadline: Duration?, servers: CacheServers? = nil
    ) {
        self.entries = entries
        self.settings = settings
        self.folder = folder
        self.progress = progress
        self.executable = executable
        self.budget = budget
        self.deadline = deadline
        self.servers = servers
    }

    /// Runs the searches.
    ///
    /// When its task is cancelled, it ends the trial under way, drops its search, and returns what is finished as partial.
    ///
    /// - Throws: ``HarnessError``, and what the folder throws when a row can't be written.
    @concurrent
    package func run() async throws -> RunSession.Summary {
        var summary = RunSession.Summary()
        var trials = HostedRateTrials(
            host: try TrialHost(executable: executable, deadline: deadline, servers: servers), progress: progress,
            settings: settings, end: budget.map { .now + $0 })
        var clock = TimeBudget(limit: budget)
        let ticking = Task { await progress.keepTicking() }
        defer {
            ticking.cancel()
            progress.finish()
        }
        do {
            for entry in entries {
                let start = ContinuousClock.now
                guard clock.allows(entry.expectedDuration, of: entry.searched.scenario.name) else {
                    summary.leftOut.append(entry.identity)
                    continue
                }
                do {
                    try await search(entry, &trials)
                } catch is BudgetSpent {
                    progress.end(entry.identity, verdict: "left out", isTrouble: false, reason: "time budget")
                    summary.leftOut.append(entry.identity)
                }
                clock.note(entry.searched.scenario.name, took: .now - start)
            }
        } catch  where Task.isCancelled {
            summary.isPartial = true
        } catch {
            await trials.host.close()
            throw error
        }
        await trials.host.close()
        return summary
    }

    private func search(_ entry: Entry, _ trials: inout HostedRateTrials) async throws {
        progress.begin(entry.identity)
        trials.identity = entry.identity
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

/// The time for all searches is over.
private struct BudgetSpent: Error {}

/// Trials of a search in processes of their own.
private struct HostedRateTrials: RateTrials {
    var host: TrialHost
    /// The search under way.
    var identity = TrialIdentity(scenario: "", strategy: "", repetition: 1)
    private let progress: RunProgress
    private let settings: RateSearchSettings
    private let end: ContinuousClock.Instant?

    init(host: TrialHost, progress: RunProgress, settings: RateSearchSettings, end: ContinuousClock.Instant?) {
        self.host = host
        self.progress = progress
        self.settings = settings
        self.end = end
    }

    mutating func run(_ scenario: Scenario, step: Int, repetition: Int) async throws -> [PhaseResult] {
        if let end, ContinuousClock.now >= end { throw BudgetSpent() }
        var trial = identity
        trial.repetition = repetition
        return try await host.run(trial, scenario, step: step).results
    }

    func note(_ row: RateSearchRow) {
        progress.step(RateSearchText.line(row, objective: settings.objective))
    }
}
