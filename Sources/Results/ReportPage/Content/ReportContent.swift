import Foundation
import HistoryChecking
package import Reports
package import TrialModel

/// Everything that one or several result folders hold, in the form that a page needs.
package struct ReportContent: Sendable {
    /// A folder that results come from.
    package struct Source: Sendable {
        /// The folder, as given.
        package var path: String
        /// The content of `run.json`; `nil` where it is missing, as in the folder of a `replay`.
        package var run: RunDescription?
        /// The content of `verdict.json`; `nil` where it is missing, as after a crash.
        package var verdict: RunVerdict?
        /// Whether both files should exist, because trials ran.
        package var hasTrials = true
        /// Whether it has times of trials; the folder of `races` has none.
        package var hasTimes = true
        /// Content that could not be used, and content that is missing, one line each.
        package var unusable: [String] = []
        /// The machines whose times are left out; `nil` where all machines are of one kind.
        package var machines: String?

        /// Why planned trials are missing; `nil` when the run says that all are there.
        var reasonForGaps: String? {
            guard let run else { return hasTrials ? "there is no `run.json`" : nil }
            return run.partial ? "it was interrupted or is still in progress" : nil
        }
    }

    /// The folders.
    package var sources: [Source] = []
    /// The phases of all trials.
    package var results: [PhaseResult] = []
    /// The latency distributions of the phases.
    package var distributions: [RowKey: [EncodedDistribution]] = [:]
    /// The rows of `races.csv`.
    package var races: [RaceRow] = []
    /// The rows of `controls.csv`.
    package var controls: [ControlRow] = []
    /// The rows of `replay.csv`.
    package var replay: [ReplayRow] = []
    /// The rows of `replay_intervals.csv`.
    package var replayIntervals: [ReplayIntervalRow] = []
    /// The rows of `comparison.csv`.
    package var comparisons: [ComparisonRow] = []
    /// The rows of `consistency.csv`.
    package var promises: [ConsistencyRow] = []
    /// The examples of broken promises as timelines, one element for each line.
    var drawings: [ConsistencyRow: [String]] = [:]
    /// The mark that replaces a rank, such as `bound`, by strategy.
    package var marks: [String: String] = ClosingTable.marks
    /// Promises that differ from those of most strategies, by strategy.
    package var contracts: [String: String] = [:]
    /// What strategies have, by name.
    package var abilities: [String: Set<StrategyNeed>] = [:]

    package init() {}

    /// Reads result folders.
    ///
    /// Each folder needs one of `trials.csv`, `races.csv`, `replay.csv` and `comparison.csv`; other files may be
    /// missing.
    ///
    /// - Throws: ``ReportsError`` when a path is not a result folder, or a file in it is damaged.
    package static func read(
        _ paths: [String], marks: [String: String], contracts: [String: String] = [:],
        abilities: [String: Set<StrategyNeed>] = [:]
    ) throws(ReportsError) -> ReportContent {
        var content = ReportContent()
        (content.contracts, content.abilities) = (contracts, abilities)
        content.marks.merge(marks) { _, new in new }
        for path in paths { try content.add(path) }
        return content
    }

    private mutating func add(_ path: String) throws(ReportsError) {
        let files = try ResultFolder.files(at: path)
        var source = Source(path: path, hasTrials: files.contains(.trials))
        source.hasTimes = files.contains(.trials)
        if files.contains(.trials) {
            let known = Set(results.map(\.trial.key))
            let all = try ResultFolder.read(at: path, isLenient: true)
            let found = try narrowed(all, path, &source)
            source.unusable += try ResultFolder.gaps(at: path, all)
            results += found.filter { !known.contains($0.trial.key) }
            let twice = Set(found.map(\.trial.key)).intersection(known).count
            if twice > 0 {
                source.unusable.append("\(twice) phases of \(path), which an earlier folder has as well")
            }
            distributions.merge(try ResultFolder.readDistributions(at: path)) { first, _ in first }
        }
        races += try ResultFolder.rows(of: RaceRow.self, at: path)
        controls += try ResultFolder.rows(of: ControlRow.self, at: path)
        try addReplays(path, &source)
        if try ResultFolder.bytes(of: "run.json", in: path) != nil { source.run = try ResultFolder.readRun(at: path) }
        if try ResultFolder.bytes(of: "verdict.json", in: path) != nil {
            source.verdict = try ResultFolder.readVerdict(at: path)
        }
        // Another version may have changed these columns. Unusable content is reported, and left out.
        do throws(ReportsError) {
            comparisons += try ResultFolder.rows(of: ComparisonRow.self, at: path)
        } catch {
            source.unusable.append("\(error)")
        }
        do throws(ReportsError) {
            // Those of a trial that an earlier folder has as well would count twice.
            let known = Dictionary(grouping: promises, by: \.trial).mapValues { Set($0.map(\.promise)) }
            let rows = try ResultFolder.rows(of: ConsistencyRow.self, at: path).filter {
                known[$0.trial]?.contains($0.promise) != true
            }
            for row in rows { drawings[row] = try Self.drawing(of: row, in: path) }
            promises += rows
        } catch {
            source.unusable.append("\(error)")
        }
        sources.append(source)
    }

    /// Adds the replays that no earlier folder has: a curve of two would have two points of one size.
    private mutating func addReplays(_ path: String, _ source: inout Source) throws(ReportsError) {
        struct Replay: Hashable {
            let trace: String
            let policy: String
            let capacity: Capacity
        }
        func replay(_ row: ReplayRow) -> Replay {
            Replay(trace: row.trace, policy: row.policy, capacity: row.capacity)
        }
        let known = Set(self.replay.map(replay))
        let found = try ResultFolder.rows(of: ReplayRow.self, at: path)
        self.replay += found.filter { !known.contains(replay($0)) }
        replayIntervals += try ResultFolder.rows(of: ReplayIntervalRow.self, at: path).filter {
            !known.contains(Replay(trace: $0.trace, policy: $0.policy, capacity: $0.capacity))
        }
        let twice = Set(found.map(replay)).intersection(known).count
        if twice > 0 {
            source.unusable.append(
                "\(Quantity.many(twice, "replay")) of \(path), which an earlier folder has as well")
        }
    }

    /// For a folder merged from several kinds of machines: without the times of all kinds but the most frequent one.
    private func narrowed(
        _ results: [PhaseResult], _ path: String, _ source: inout Source
    ) throws(ReportsError) -> [PhaseResult] {
        guard let selection = try? MachineSelection(try ResultFolder.rows(of: MachineRow.self, at: path)) else {
            return results
        }
        source.machines = selection.note
        let kept = Set(selection.selected(results).map(\.trial.key))
        return results.filter { kept.contains($0.trial.key) || $0.trial.status != .completed }
    }

    /// The example of a broken promise as a timeline, where the folder has one.
    private static func drawing(of row: ConsistencyRow, in path: String) throws(ReportsError) -> [String]? {
        guard row.verdict == .inconsistent,
            let bytes = try ResultFolder.bytes(of: ConsistencyEntry.path(of: row), in: path),
            let example = try? JSONDecoder().decode(Counterexample.self, from: Data(bytes))
        else { return nil }
        return CounterexampleDrawing(example).lines
    }

    /// What rankings are made by.
    var rules: RankingRules {
        var rules = RankingRules(marks: marks)
        rules.abilities = abilities
        for run in sources.compactMap(\.run) { rules.add(run) }
        return rules
    }
}
