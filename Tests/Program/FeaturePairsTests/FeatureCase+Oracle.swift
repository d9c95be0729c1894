import BuiltProgram
import Foundation
import Reports
import TrialModel

/// What a case must show.
extension FeatureCase {
    /// What is wrong with a case that must complete; empty when it has all the rows that it should have.
    func problems(of outcome: Outcome) throws -> [String] {
        let (ending, verb) = (outcome.ending, outcome.command[0])
        guard ending.exitCode == 0 || outcome.isMachineBusy else {
            return ["'\(verb)' exits with \(ending.exitCode): \(ending.errors.suffix(700))"]
        }
        if self["mode"] == "explored" { return try problemsOfExploration(at: "\(outcome.folder.path)/out") }
        var found: [String] = []
        for folder in folders.map({ "\(outcome.folder.path)/\($0)" }) {
            found += try problems(in: folder) + missingFiles(["run.json", "trials.csv"], in: folder)
        }
        if self["mode"] == "interleaved", self["machines"] == "one" {
            let reasons = try ResultFolder.read(at: "\(outcome.folder.path)/out").map(\.trial.reason)
            let isMissing = reasons.contains { $0.contains(TrialRow.aloneMark) }
            if ending.errors.contains("note: strategies alternated in slices, but ") != isMissing {
                found.append("it does not say what ran alone, or says so without a reason")
            }
        }
        let closing =
            self["mode"] == "live"
            ? ["comparison.csv", "comparison.html"] : self["machines"] == "one" ? ["report.html"] : []
        return found + missingFiles(["verdict.json", "junit.xml"] + closing, in: "\(outcome.folder.path)/out")
    }

    /// What is wrong with a case that must be refused before its first trial.
    func problemsOfRefusal(_ outcome: Outcome, saying words: String) -> [String] {
        var problems: [String] = []
        let ending = outcome.ending
        if ending.exitCode != 64 && ending.exitCode != 65 {
            problems.append(
                "it is not refused with 64 or 65, but ends with \(ending.exitCode): \(ending.errors.suffix(700))")
        }
        if !ending.errors.contains(words) {
            problems.append("it does not say '\(words)': \(ending.errors.suffix(700))")
        }
        let files = FileManager.default.enumerator(atPath: outcome.folder.path)?.compactMap { $0 as? String } ?? []
        for file in files where file.hasSuffix("trials.csv") {
            let text = (try? String(contentsOfFile: "\(outcome.folder.path)/\(file)", encoding: .utf8)) ?? ""
            if text.split(whereSeparator: \.isNewline).count > 1 { problems.append("\(file) has rows of trials") }
        }
        return problems
    }

    private func missingFiles(_ names: [String], in folder: String) -> [String] {
        names.filter { (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))?.isEmpty ?? true }
            .map { "\($0) is missing or empty" }
    }

    // MARK: Trials

    private var isCounted: Bool { self["mode"] == "counted" }
    /// Whether it repeats what is inconclusive, in slices where times decide.
    private var isDecided: Bool {
        self["mode"] == "until decided"
            || ["timed", "interleaved"].contains(self["mode"]) && self["budget"] == "ample"
                && self["repetitions"] != "two"
                && self["smoke"] == "no" && !isChecked && self["machines"] == "one"
    }
    private var isSwept: Bool { self["own sweep"] != "none" || self["sweep"] != "none" }
    private var isChecked: Bool { self["check"] == "yes" || self["mode"] == "checked" }

    /// How many points the sweeps have.
    private var pointCount: Int {
        // With two clients there is nothing to count, and a note says so.
        let isHalved = isCounted && self["own sweep"] == "clients"
        let own = ["clients", "capacity"].contains(self["own sweep"]) && !isHalved ? 2 : 1
        guard self["sweep"] == "capacity" else { return own }
        // A dimension of the command replaces the same one of the file.
        return self["own sweep"] == "capacity" ? 2 : own * 2
    }

    /// The strategies that are named, in the file or on the command line.
    private var named: [String] {
        switch self["strategies"] {
        case "alone": ["sieve"]
        case "sharing": ["shared+lru", "expiring"]
        case "files": ["disk", "actor"]
        case "published": ["published-lock-dual", "published-actor"]
        case "control": ["stale", "lru"]
        case "of the command": ["arc", "none"]
        default: ["lru", "actor"]
        }
    }

    /// A sweep adds its bounds. There is nothing to check in the answers of `ceiling`.
    private var strategies: Set<String> {
        Set(named).union(isSwept ? ["none", "unbounded"] + (isChecked ? [] : ["ceiling"]) : [])
    }

    /// The rows of trials that are missing, doubled or not completed, and what the phases lack.
    private func problems(in folder: String) throws -> [String] {
        let results = try ResultFolder.read(at: folder).filter { $0.trial.key.scenario.name == "pair" }
        var problems: [String] = []
        let points = Set(results.map(\.trial.key.scenario))
        if points.count != pointCount { problems.append("\(points.count) points of \(pointCount): \(points)") }
        var repetitions = Set(results.map(\.trial.key.repetition))
        let wanted = Set(1...(self["repetitions"] == "two" ? 2 : 1))
        if isDecided || self["mode"] == "live" {
            // How many there are follows from what was seen, for each strategy.
            repetitions = [1]
        } else if repetitions != wanted {
            problems.append("the repetitions \(repetitions.sorted()), not \(wanted.sorted())")
        }
        for point in points {
            for strategy in strategies {
                for repetition in repetitions {
                    let trial = TrialIdentity(scenario: point, strategy: strategy, repetition: repetition)
                    let phases = results.filter { $0.trial.key.trial == trial }.map(\.trial.key.phase)
                    if phases != ["fill", "main"] { problems.append("\(trial): the phases \(phases)") }
                }
            }
        }
        let others = Set(results.map(\.trial.key.strategy)).subtracting(strategies)
        if !others.isEmpty { problems.append("trials of \(others)") }
        problems += results.flatMap(problemsOfPhase)
        if isChecked { problems += try problemsOfPromises(results, in: folder) }
        return problems
    }

    private func problemsOfPhase(_ result: PhaseResult) -> [String] {
        let trial = result.trial
        var problems: [String] = []
        func demand(_ holds: Bool, _ problem: String) {
            if !holds { problems.append("\(trial.key.trial), \(trial.key.phase): \(problem)") }
        }
        demand(trial.status == .completed, "\(trial.status): \(trial.reason)")
        demand(
            trial.wrongAnswers == 0 || Self.unsound.contains(trial.key.strategy),
            "\(trial.wrongAnswers.map { "\($0)" } ?? "no number of") wrong answers")
        let isMain = trial.key.phase == "main"
        let takesTurns = self["mode"] == "interleaved" || self["mode"] == "live" || isDecided
        // The start of a turn is not timed. The phase `fill` is over by then, and so are all phases of quick bounds.
        let isTimed = !takesTurns || isMain && named.contains(trial.key.strategy)
        guard isTimed, isMain || self["fill"] == "measured" else { return problems }
        demand(!result.latency.isEmpty, "no row in latency.csv")
        demand(result.hitRate != nil, "no row in hit-rate.csv")
        guard isMain else { return problems }
        if self["keys"].hasPrefix("pools") {
            demand(result.poolHitRates.count == 2, "\(result.poolHitRates.count) rows of pools in hit-rate.csv")
        }
        if isCounted {
            demand(result.latency.contains { $0.counts != nil }, "no instructions in latency.csv")
            if self["option of a mode"] == "profile" { demand(!result.functions.isEmpty, "no row in functions.csv") }
            return problems
        }
        demand(result.memory != nil, "no row in memory.csv")
        if !takesTurns { demand(!result.timeline.isEmpty, "no row in timeline.csv") }
        if self["length"] == "frames" {
            demand(result.frames != nil && !result.frameTimes.isEmpty, "no row in frames.csv or frame-times.csv")
        }
        if self["invalidate"] != "none" { demand(result.invalidation != nil, "no row in invalidation.csv") }
        if self["memory pressure"] != "none" { demand(result.pressure != nil, "no row in pressure.csv") }
        if self["mix"] == "prefetch" { demand(result.prefetch != nil, "no row in prefetch.csv") }
        if takesTurns {
            // On a busy machine a strategy may seem to use the pauses; then it runs alone, and may leave another alone.
            let isLeft = ["it used", "it writes files", "nothing else alternates with it"].contains {
                trial.reason.contains(TrialRow.aloneMark + $0)
            }
            // How long the operations take is the machine's.
            let isShort = trial.reason.hasSuffix(TrialRow.shortMark)
            let isAlone = isLeft || mayRunAlone && trial.reason.contains(TrialRow.aloneMark)
            demand(isAlone || isShort || isDecided || !result.slices.isEmpty, "no row in slices.csv: \(trial.reason)")
        }
        return problems
    }

    private static let loners = Set(PairRule.loners.flatMap(\.pairs).map(\.1))

    private var mayRunAlone: Bool {
        values.enumerated().contains { Self.loners.contains(Feature.Choice(feature: $0, value: $1)) }
    }

    // MARK: Files of a mode

    private static let unsound: Set = ["stale", "published-lock-dual", "published-actor"]

    private func problemsOfPromises(_ results: [PhaseResult], in folder: String) throws -> [String] {
        let rows = try ResultFolder.rows(of: ConsistencyRow.self, at: folder)
        let unchecked = Set(results.map(\.trial.key.trial)).subtracting(rows.map(\.trial))
        let broken = rows.filter { $0.verdict == .inconsistent && !Self.unsound.contains($0.trial.strategy) }
        return unchecked.map { "no row in consistency.csv: \($0)" }
            + broken.map { "\($0.trial) broke \($0.promise.rawValue): \($0.example)" }
    }

    private func problemsOfExploration(at folder: String) throws -> [String] {
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: folder)
        let missing = Set(named).subtracting(rows.map(\.strategy))
        let broken = rows.filter { $0.verdict == .inconsistent && !Self.unsound.contains($0.strategy) }
        return missing.map { "no row of \($0) in exploration.csv" }
            + broken.map { "\($0.strategy): \($0.promise.rawValue) is \($0.verdict.rawValue)" }
    }
}
