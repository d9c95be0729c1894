import ArgumentParser
import BuiltInStrategies
import Foundation
import HistoryChecking
import Reports
import TrialModel
import TrialSessions

/// `merge`: puts the results of shards together.
struct MergeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges the result folders of all shards into one, as a single machine writes it.",
        discussion: """
            Examples:
              \(ThisProgram.name) merge results/* --output merged
              \(ThisProgram.name) merge results/1 results/2 results/3 results/4 --output merged
              \(ThisProgram.name) merge results/* --output so-far --allow-missing

            Rows have the order of a single run; machines.csv says where each trial ran.
            Shards of other files, options, versions or builds are refused, as are
            duplicate and missing shards. The exit code is that of a single run of
            everything: a shard itself ends with 0, whatever it found.
            """)

    @Argument(help: ArgumentHelp("Result folders of shards.", valueName: "result"), completion: .directory)
    var results: [String]

    @Option(help: ArgumentHelp("A new folder for the results.", valueName: "folder"), completion: .directory)
    var output: String

    @Flag(help: "Merge what is there, and mark the result as partial.")
    var allowMissing = false

    @Option(help: ArgumentHelp("The format of the closing table.", valueName: "form"))
    var format = TableFormat.table

    func validate() throws {
        guard !results.isEmpty else { throw ValidationError("Name the result folders of the shards.") }
        if results.contains("") { throw ValidationError("A result folder needs a name.") }
        try OutputArguments.check(output)
    }

    /// Merges the results.
    ///
    /// - Returns: the exit code that a single run of everything would have.
    /// - Throws: ``Refusal``, `ReportsError`.
    func carryOut() throws -> TrialExitCode {
        // In the order of the shards, not of the arguments.
        let parts = try results.compactMap(part).sorted { $0.shard.number < $1.shard.number }
        try MergeCheck.requireOnePlan(parts)
        try MergeCheck.requireDistributions(parts)
        let merge = ResultMerge(parts)
        if !allowMissing { try MergeCheck.requireAll(parts, merge) }
        let files = parts.reduce(into: Set<ResultFile>()) { $0.formUnion($1.files) }
        let folder = try ResultFolder.create(
            at: output, files: ResultFile.allCases.filter(files.contains) + [.machines])
        try folder.append(merge.contents.results, consistency: merge.contents.consistency)
        try folder.append(merge.replays)
        try folder.append(merge.machines)
        try folder.append(merge.races)
        try folder.append(merge.explorations)
        try folder.append(parts.flatMap(\.controls))
        for part in parts {
            try copyPages(of: part, into: folder)
            try copyScripts(of: part, into: folder)
        }
        let description = try description(parts, merge)
        let verdict = verdict(parts, merge)
        try WorkJudgement(gates: [], cases: JUnitXML.cases(of: merge.contents), suite: "cache-trials merge")
            .write(verdict, to: folder)
        try folder.writeRun(description)
        try say(merge, parts, folder, description, verdict)
        return verdict.code
    }

    /// - Returns: `nil` for a folder of a shard that never began, when shards may be missing.
    private func part(_ path: String) throws -> ResultMerge.Part? {
        if try ResultFolder.bytes(of: ResultFile.machines.rawValue, in: path) != nil {
            throw Refusal("\(path): was merged before; name the folders of its shards")
        }
        if allowMissing, try ResultFolder.bytes(of: "run.json", in: path) == nil {
            StandardError.write("note: \(path) is left out: no shard began there")
            return nil
        }
        let run = try ResultFolder.readRun(at: path)
        guard let shard = run.shard else {
            throw Refusal("\(path): no shard ran there; name result folders of a verb with '--shard'")
        }
        var part = ResultMerge.Part(path: path, shard: shard, run: run)
        part.files = try ResultFolder.files(at: path, or: .exploration)
        for line in try ResultFolder.missingColumns(at: path) { StandardError.write("note: \(line)") }
        if part.files.contains(.trials) { part.contents = try ResultFolder.readContents(at: path) }
        for index in part.contents.consistency.indices {
            let scripts = "\(output)/\(Self.scripts(of: shard))"
            part.contents.consistency[index].row.example.moveScripts(to: scripts)
            part.contents.consistency[index].example = part.contents.consistency[index].example.map {
                Self.moveScripts(of: $0, to: scripts)
            }
        }
        part.replays = try ResultFolder.rows(of: ReplayRow.self, at: path)
        part.races = try ResultFolder.rows(of: RaceRow.self, at: path)
        part.controls = try ResultFolder.rows(of: ControlRow.self, at: path)
        part.explorations = try ResultFolder.rows(of: ExplorationRow.self, at: path)
        for index in part.explorations.indices where !part.explorations[index].scriptFile.isEmpty {
            // The file is one of this folder, whatever its row says.
            let name = URL(fileURLWithPath: part.explorations[index].scriptFile).lastPathComponent
            part.explorations[index].scriptFile = "\(Self.scripts(of: shard))/\(name)"
        }
        return part
    }

    /// The folder of a shard's scripts in the merged folder.
    private static func scripts(of shard: RunDescription.Shard) -> String { "scripts/\(shard.number)" }

    /// The example of a broken promise, whose commands name the merged scripts.
    private static func moveScripts(of example: String, to folder: String) -> String {
        guard var read = try? JSONDecoder().decode(Counterexample.self, from: Data(example.utf8)) else {
            return example
        }
        let before = read
        for index in read.details.indices { read.details[index].moveScripts(to: folder) }
        return read == before ? example : read.json
    }

    /// Copies the scripts of orders that break a promise.
    private func copyScripts(of part: ResultMerge.Part, into folder: ResultFolder) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(part.path)/scripts")) ?? []
        for name in names.sorted() {
            guard let bytes = try ResultFolder.bytes(of: "scripts/\(name)", in: part.path) else { continue }
            _ = try folder.write(String(decoding: bytes, as: UTF8.self), as: name, in: Self.scripts(of: part.shard))
        }
    }

    /// Copies the sanitizer's reports, to which rows of `races.csv` refer, and the pages of evidence.
    private func copyPages(of part: ResultMerge.Part, into folder: ResultFolder) throws {
        guard part.files.contains(.races) else { return }
        for (from, to) in [("reports", "reports"), ("evidence", "evidence/\(part.shard.number)")] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(part.path)/\(from)")) ?? []
            for name in names.sorted() {
                guard let bytes = try ResultFolder.bytes(of: "\(from)/\(name)", in: part.path) else { continue }
                _ = try folder.write(String(decoding: bytes, as: UTF8.self), as: name, in: to)
            }
        }
    }

    private func description(_ parts: [ResultMerge.Part], _ merge: ResultMerge) throws -> RunDescription {
        let kinds = try MachineSelection(merge.machines)
        // The machine that is compared; all machines are listed below.
        let chief = parts.first { $0.run.host.kind == kinds.chosen } ?? parts[0]
        var run = chief.run
        let positions = Dictionary(
            parts.flatMap(\.shard.trials).map { ($0.scenario, $0.position) }, uniquingKeysWith: min)
        var seen: Set<ScenarioPoint> = []
        run.scenarios = parts.flatMap(\.run.scenarios)
            .sorted { (positions[$0.name] ?? 0, $0.name) < (positions[$1.name] ?? 0, $1.name) }
            .filter { seen.insert($0.name).inserted }
        run.strategies = StrategyRegistry.current.ordered(Set(parts.flatMap(\.run.strategies)))
        let inBackground = Set(parts.flatMap { $0.run.backgroundStrategies ?? [] })
        run.backgroundStrategies = inBackground.isEmpty ? nil : StrategyRegistry.current.ordered(inBackground)
        run.commandLine = CommandLine.arguments
        run.start = parts.map(\.run.start).min() ?? run.start
        let ends = parts.compactMap(\.run.end)
        run.end = ends.count == parts.count ? ends.max() : nil
        let missing =
            merge.missing.map { RunDescription.LeftOut(what: $0.label, reason: "not in any shard's results") }
            + MergeCheck.missingShards(parts).map {
                RunDescription.LeftOut(what: "shard \($0)", reason: "no result folder of it was merged")
            }
        run.leftOut = parts.flatMap(\.run.leftOut) + missing
        run.partial = !missing.isEmpty || parts.contains { $0.run.partial }
        // The values of each part are listed with its machine.
        (run.noise, run.loadBefore, run.loadAfter, run.shard) = (nil, nil, nil, nil)
        run.merged = RunDescription.Merged(
            plan: chief.shard.plan, parts: parts.map { RunDescription.MergedPart($0.run) })
        return run
    }

    /// The gates of a single run of everything, and the reasons why a shard did not end.
    private func verdict(_ parts: [ResultMerge.Part], _ merge: ResultMerge) -> RunVerdict {
        let files = parts.reduce(into: Set<ResultFile>()) { $0.formUnion($1.files) }
        var gates: [VerdictGate] = []
        // Nothing is judged in a replay.
        if files.contains(.replay) { return RunVerdict(gates: []) }
        if files.contains(.exploration) {
            gates = StrategyRegistry.current.gates(for: merge.explorations)
        } else if files.contains(.races) {
            gates = StrategyRegistry.current.gates(for: merge.races, controls: parts.flatMap(\.controls))
        } else if files.contains(.trials) {
            gates = StrategyRegistry.current.gates(
                for: merge.contents.results.map(\.trial), promises: merge.contents.consistency.map(\.row),
                expecting: parts.reduce(into: []) { $0.formUnion($1.run.expecting) },
                missedControls: parts.contains { $0.run.check == true } ? [] : nil)
        }
        for part in parts {
            // Failures that the rows do not show: a harness that stopped early, controls that were not noticed.
            guard let own = try? ResultFolder.readVerdict(at: part.path) else {
                gates.append(
                    VerdictGate(
                        name: "shard \(part.shard.label)", passed: false,
                        reason: "\(part.path) holds no verdict: it was killed", exitCode: .harnessTrouble))
                continue
            }
            for gate in own.gates where !gate.passed && ["harness", "controls"].contains(gate.name) {
                gates.append(
                    VerdictGate(
                        name: "\(gate.name), shard \(part.shard.label)", passed: false, reason: gate.reason,
                        exitCode: gate.exitCode))
            }
        }
        return RunVerdict(gates: gates)
    }

    private func say(
        _ merge: ResultMerge, _ parts: [ResultMerge.Part], _ folder: ResultFolder, _ description: RunDescription,
        _ verdict: RunVerdict
    ) throws {
        if !merge.races.isEmpty {
            let table = RaceTable.table(
                merge.races, controls: parts.flatMap(\.controls), marks: StrategyRegistry.current.marks)
            try StandardOutput.write([table].rendered(as: format, width: StandardOutput.width))
        } else if !merge.explorations.isEmpty {
            let table = ExplorationTable.table(merge.explorations, marks: StrategyRegistry.current.marks)
            try StandardOutput.write([table].rendered(as: format, width: StandardOutput.width))
        } else if !merge.replays.isEmpty {
            try StandardOutput.write(ReplayTable.tidy(merge.replays).rendered(as: format))
        } else {
            try ClosingOutput(folder: folder).write(format: .tables(format))
        }
        verdict.sayFailures()
        for part in description.merged?.parts ?? [] {
            for warning in part.noise?.warnings ?? [] { StandardError.write("warning: \(part.host.name): \(warning)") }
        }
        if !description.leftOut.isEmpty {
            StandardError.write(
                "\(description.partial ? "Partial: " : "")\(description.leftOut.count) trials or shards were left out; "
                    + "run.json names them")
        }
        StandardError.write("Results: \(output)")
    }
}

/// The results of the shards of one plan, put together to the results of a single run.
struct ResultMerge: Sendable {
    /// The result folder of one shard.
    struct Part: Sendable {
        var path: String
        var shard: RunDescription.Shard
        var run: RunDescription
        /// The files of its rows, which say what ran: trials, races, explorations or replays.
        var files: Set<ResultFile> = []
        var contents = ResultContents()
        var races: [RaceRow] = []
        var controls: [ControlRow] = []
        var replays: [ReplayRow] = []
        var explorations: [ExplorationRow] = []

        /// Whether a trial has rows, or was left out for a reason that is no mistake.
        func accounts(for trial: RunDescription.Shard.Trial) -> Bool {
            // Repetitions that only an open question needs are not missing.
            has(trial.identity) || run.leftOut.contains { $0.what == trial.identity.label }
                || run.untilDecided == true && trial.repetition > 1 && !run.partial
        }

        fileprivate func has(_ trial: TrialIdentity) -> Bool {
            contents.results.contains { $0.trial.key.trial == trial }
                || races.contains { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
                || explorations.contains { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
                || replays.contains { $0.trace == trial.scenario.name && $0.policy == trial.strategy }
        }
    }

    /// The rows, in the order of a single run.
    private(set) var contents = ResultContents()
    private(set) var races: [RaceRow] = []
    private(set) var replays: [ReplayRow] = []
    private(set) var explorations: [ExplorationRow] = []
    private(set) var machines: [MachineRow] = []
    /// Trials of the parts without rows and without a reason, in the order of a single run.
    private(set) var missing: [TrialIdentity] = []

    /// Puts together parts that ``MergeCheck`` has found to belong together.
    init(_ parts: [Part]) {
        let results = parts.map { Dictionary(grouping: $0.contents.results, by: \.trial.key.trial) }
        let promises = parts.map { Dictionary(grouping: $0.contents.consistency, by: \.row.trial) }
        let trials = parts.enumerated().flatMap { part in part.element.shard.trials.map { (part: part.offset, $0) } }
        var explored: [(trial: TrialIdentity, rows: [[ExplorationRow]])] = []
        for (index, trial) in trials.sorted(by: { ($0.1.position, $0.0) < ($1.1.position, $1.0) }) {
            let (part, identity) = (parts[index], trial.identity)
            let own = results[index][identity] ?? []
            let ownRaces = part.races.filter { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
            let ownReplays = part.replays.filter { $0.trace == trial.scenario.name && $0.policy == trial.strategy }
            let ownOrders = part.explorations.filter { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
            guard !own.isEmpty || !ownRaces.isEmpty || !ownReplays.isEmpty || !ownOrders.isEmpty else {
                if !part.accounts(for: trial) { missing.append(identity) }
                continue
            }
            contents.results += own
            contents.consistency += promises[index][identity] ?? []
            races += ownRaces
            replays += ownReplays
            if explored.last?.trial != identity { explored.append((identity, [])) }
            explored[explored.count - 1].rows.append(ownOrders)
            // Every machine explored it.
            guard ownOrders.isEmpty else { continue }
            machines.append(
                MachineRow().with {
                    ($0.trial, $0.shard) = (identity, UInt64(clamping: part.shard.number))
                    ($0.machine, $0.kind) = (part.run.host.name, part.run.host.kind)
                })
        }
        explorations = explored.flatMap { ExplorationRow.merged($0.rows) }
    }
}

extension String {
    /// Replaces the folder of a script in a command that explores it, which was the folder of a shard.
    fileprivate mutating func moveScripts(to folder: String) {
        // The name of a script needs no quotes, but its folder may.
        replace(#/ explore .+?\/scripts\/([^\/ ']+)'? --orders /#) {
            " explore \("\(folder)/\($0.1)".shellQuoted) --orders "
        }
    }
}
