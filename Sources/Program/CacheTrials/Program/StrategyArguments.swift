import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
package import Reports
import ScenarioFiles
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// The scenarios that a verb works on.
struct ScenarioArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Scenario files, or folders: all *.yaml but reference.yaml and sweeps.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml"]))
    var scenarios: [String] = []

    /// Refuses a command without scenarios.
    ///
    /// - Throws: `ValidationError`.
    func requireSome() throws {
        guard !scenarios.isEmpty else {
            throw ValidationError("Name at least one scenario file or folder, such as 'Scenarios'.")
        }
    }

    /// A scenario and its file.
    struct File {
        var path: String
        var scenario: Scenario
        /// The digest of its bytes; `nil` to compute it.
        var sha256: String?
    }

    /// Refuses the first file with something that a verb does not support.
    ///
    /// - Parameter obstacle: what comes after the name of the file: the reason and the remedy.
    /// - Throws: ``Refusal`` with exit code 64.
    static func refuse(_ files: [File], _ obstacle: (Scenario) -> String?) throws(Refusal) {
        for file in files {
            if let text = obstacle(file.scenario) { throw Refusal(file.path + text, .usage) }
        }
    }

    /// Refuses scenarios that are checked, for verbs and modes that check nothing.
    ///
    /// - Parameter verb: what refuses them, as a user writes it.
    static func refuseChecked(_ files: [File], for verb: String, because reason: String) throws(Refusal) {
        try refuse(files) { scenario in
            guard scenario.check else { return nil }
            return " has 'check: true', and '\(verb)' checks nothing, because \(reason): leave one of them out"
        }
    }

    /// Refuses scenarios that are swept.
    ///
    /// - Parameter verb: the verb that takes no sweep, as a user writes it.
    static func refuseSwept(_ files: [File], for verb: String, because reason: String) throws(Refusal) {
        try refuse(files) { scenario in
            guard scenario.isSwept else { return nil }
            return ": '\(verb)' takes no sweep, because \(reason): leave out '--sweep', and the scenario's 'sweep'"
        }
    }

    /// Reads every file, and reports the mistakes of all of them together on standard error.
    ///
    /// - Parameters:
    ///   - strategies: the names that a scenario may list; `nil` for any, where others replace them.
    ///   - allowsScripts: whether phases may have scripts, which can't be timed.
    ///   - sweep: sweeps besides those of the files; each point of a sweep is a scenario of its own.
    /// - Throws: exit code 65 when a file is bad.
    func read(strategies: [String]?, allowsScripts: Bool = false, sweep: [String] = []) throws -> [File] {
        let (files, isBad) = try readGood(strategies: strategies, allowsScripts: allowsScripts, sweep: sweep)
        if isBad { throw ExitCode(TrialExitCode.badInput.rawValue) }
        return files
    }

    /// Reads every file, returns the good ones, and says whether others are bad.
    ///
    /// - Parameter takesSweeps: whether a folder includes scenarios with a sweep of their own. They are many trials, so
    ///   they are run only when they are named.
    func readGood(
        strategies: [String]?, allowsScripts: Bool, sweep: [String] = [], takesSweeps: Bool = false
    ) throws -> (files: [File], isBad: Bool) {
        var leftOut: [String] = []
        let reader = Self.reader(strategies: strategies)
        var files: [File] = []
        var isBad = false
        for (path, isNamed) in try paths() {
            do {
                let points = try reader.points(path: path, sweep: sweep)
                if !takesSweeps, sweep.isEmpty, !isNamed, points.contains(where: \.isSwept) {
                    leftOut += points.prefix(1).map(\.name)
                } else {
                    files += points.map { File(path: path, scenario: $0) }
                }
            } catch {
                isBad = true
                for mistake in error.mistakes { StandardError.write(mistake.description) }
            }
        }
        if !leftOut.isEmpty {
            StandardError.write(
                "note: \(leftOut.joined(separator: ", ")): left out, as a scenario with a sweep is run only when it is named"
            )
        }
        for (name, sameName) in Dictionary(grouping: files, by: \.scenario.point).sorted(by: { $0.key < $1.key })
        where sameName.count > 1 {
            isBad = true
            let paths = sameName.map(\.path).distinct
            StandardError.error(
                paths.count == 1
                    ? "\(paths[0]): two values of the sweep are the point '\(name)'; leave one out"
                    : "two scenarios are called '\(name)': \(paths.joined(separator: ", ")); rename one file")
        }
        for file in files where !allowsScripts {
            guard let phase = file.scenario.phases.first(where: { $0.script != nil }) else { continue }
            isBad = true
            StandardError.error(
                "\(file.path): phase \(phase.name) has a script; use '\(ThisProgram.name) explore'")
        }
        return (files, isBad)
    }

    /// A reader of scenarios that reads their traces as well.
    static func reader(strategies: [String]?) -> ScenarioReader {
        ScenarioReader(knownStrategies: strategies, otherStrategies: StrategyRegistry.current.sharingNames) {
            try TraceWorkload($0).facts
        }
    }

    /// The files that the arguments name, each once; a folder is replaced by its files. A file may be named, and be in a
    /// folder as well.
    private func paths() throws -> [(path: String, isNamed: Bool)] {
        var paths: [(path: String, isNamed: Bool)] = []
        var places: [String: Int] = [:]
        func add(_ path: String, isNamed: Bool) {
            if let place = places[Self.place(of: path)] {
                if isNamed { paths[place].isNamed = true }
                return
            }
            places[Self.place(of: path)] = paths.count
            paths.append((path, isNamed))
        }
        for argument in scenarios {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder), isFolder.boolValue else {
                add(argument, isNamed: true)
                continue
            }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: argument) else {
                throw Refusal("\(argument): the folder can't be read; check its permissions")
            }
            let found = names.sorted().filter { $0.hasSuffix(".yaml") && $0 != "reference.yaml" }
            if found.isEmpty { throw Refusal("\(argument): no *.yaml file in this folder; name a scenario file") }
            for name in found { add(argument.hasSuffix("/") ? argument + name : "\(argument)/\(name)", isNamed: false) }
        }
        return paths
    }

    /// The same text for every path of a file. A link with another name is another scenario.
    private static func place(of path: String) -> String {
        let file = URL(fileURLWithPath: path)
        let folder = file.deletingLastPathComponent().resolvingSymlinksInPath().standardizedFileURL
        return "\(folder.path)/\(file.lastPathComponent)"
    }
}

extension ScenarioArguments.File {
    /// The SHA-256 of the file's bytes, in hexadecimal.
    func digest() throws(FileDigestError) -> String {
        if let sha256 { return sha256 }
        return try FileDigest.sha256(ofFile: path)
    }
}

/// The strategies that a verb works on.
struct StrategyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Strategies, separated by commas, such as lru,shared+lru, whose callers share loads; groups are candidates, baselines, references, controls, engines, synchronized, meters, all. (default: the scenario's, else candidates,baselines)",
            valueName: "names"),
        completion: .list(
            StrategyRegistry.current.names + groups.map(\.name) + StrategyRegistry.current.groups + ["all"]))
    var strategies: String?

    /// Names of groups, which no strategy may have.
    static var reservedNames: Set<String> { Set(groups.map(\.name) + StrategyRegistry.current.groups + ["all"]) }

    private static let groups: [(name: String, role: StrategyRole)] = [
        ("candidates", .candidate), ("baselines", .baseline), ("references", .reference),
        ("controls", .control),
    ]

    func validate() throws {
        _ = try chosen()
    }

    /// The strategies named on the command line, each once, in the order of the names; `nil` when none are named.
    func chosen() throws -> [Strategy]? {
        try strategies.map(Self.chosen)
    }

    /// The names that a scenario may list; `nil`, which means any, when the command line names the strategies.
    func allowed(of known: [String]) -> [String]? { strategies == nil ? known : nil }

    /// The strategies of a list of names, each once, in the order of the names.
    static func chosen(_ strategies: String) throws -> [Strategy] {
        var chosen: [Strategy] = []
        for name in strategies.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            for strategy in try self.strategies(called: name)
            where !chosen.contains(where: { $0.declaration.name == strategy.declaration.name }) {
                chosen.append(strategy)
            }
        }
        guard !chosen.isEmpty else { throw ValidationError("'--strategies' names no strategy.") }
        return chosen
    }

    private static func strategies(called name: String) throws -> [Strategy] {
        let registry = StrategyRegistry.current
        if name == "all" { return registry.strategies.filter { $0.group == nil } }
        if registry.groups.contains(name) { return registry.strategies(in: name) }
        if let role = groups.first(where: { $0.name == name })?.role { return registry.strategies(of: role) }
        if let strategy = registry[name] { return [strategy] }
        let base = StrategyRegistry.base(of: name) ?? name
        if let off = StrategyRegistry.off.first(where: { $0.name == base }) {
            throw ValidationError("The strategy '\(base)' is off: \(off.reason).")
        }
        if let reason = registry.reasonAgainstSharing(name) {
            throw ValidationError("There is no '\(name)': \(reason). Name \(base) itself.")
        }
        let known = StrategyRegistry.knownNames + groups.map(\.name) + StrategyRegistry.current.groups + ["all"]
        let hint =
            NearestName.of(name, in: known + registry.sharingNames).map { "did you mean '\($0)'?" }
            ?? "\(NearestName.hint(for: name, in: known)). The prefix shared+ lets callers share loads."
        throw ValidationError("There is no strategy called '\(name)'; \(hint)")
    }
}

extension StrategyRegistry {
    /// What tables show in place of a rank: the roles other than candidate, by strategy.
    var marks: [String: String] {
        let roles = nameable.filter { $0.role != .candidate }
        return Dictionary(roles.map { ($0.name, $0.role.rawValue) }) { first, _ in first }
    }

    /// What rankings are made by, apart from what a run says of its scenarios.
    package var rankingRules: RankingRules {
        var rules = RankingRules(marks: marks)
        rules.abilities = abilities
        return rules
    }

    /// What strategies have that scenarios may need, by strategy.
    var abilities: [String: Set<StrategyNeed>] {
        Dictionary(nameable.map { ($0.name, $0.abilities) }) { first, _ in first }
    }

    /// How the promises of strategies differ from the usual ones, by strategy.
    var contracts: [String: String] {
        Dictionary(nameable.map { ($0.name, $0.contract) }) { first, _ in first }
    }
}

extension StrategyDeclaration {
    fileprivate var abilities: Set<StrategyNeed> {
        var abilities: Set<StrategyNeed> = []
        if promises.timeToLive != .none { abilities.insert(.lifetimes) }
        if promises.durability != .none { abilities.insert(.files) }
        return abilities
    }

    /// What tables say of a strategy whose promises differ from the usual ones: hard limits on entries and on cost, and
    /// loads that each caller makes alone and that never undo a write.
    fileprivate var contract: String {
        var words: [String] = []
        switch promises.limit {
        case .none: words.append("no limits")
        case _ where bounds.isEmpty: words.append("no limits")
        case .soft: words.append("soft limits")
        case .approximate: words.append("limits of its own measure")
        case .hard: break
        }
        if !bounds.isEmpty, bounds != [.entries, .cost] {
            words.append(bounds.contains(.entries) ? "no cost limit" : "no entry limit")
        }
        if promises.coalescesLoads { words.append("shares loads") }
        if !promises.keepsNewerWrites { words.append("loads may undo writes") }
        if promises.consistency != .linearizable { words.append("others see writes later") }
        if promises.admission == .notWhenFull { words.append("refuses when full") }
        return words.joined(separator: ", ")
    }
}
