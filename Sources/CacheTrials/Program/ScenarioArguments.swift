import ArgumentParser
import BuiltInStrategies
import Foundation
import Reports
import ScenarioFiles
import TimedStrategies
import TrialModel
import TrialSessions
import WorkloadGeneration

/// The scenarios that a verb works on.
struct ScenarioArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Scenario files, or folders: all *.yaml but reference.yaml and sweeps.",
            valueName: "scenario"),
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

    /// Refuses phases that need a single process and its own clock, for verbs that send operations otherwise.
    ///
    /// - Parameter verb: the verb that refuses them, as a user writes it.
    /// - Throws: ``Refusal`` with the remedy.
    static func refuseSingleProcess(_ files: [File], for verb: String) throws {
        for file in files {
            for phase in file.scenario.phases {
                guard let reason = phase.reasonForOneProcess else { continue }
                throw Refusal(
                    "\(file.path): '\(verb)' does not support \(reason): use another scenario, or one without "
                        + "'\(phase.name)'", .usage)
            }
        }
    }

    /// Refuses scenarios that are checked, for verbs and modes that check nothing.
    ///
    /// - Parameters:
    ///   - verb: what refuses them, as a user writes it.
    ///   - reason: why it does.
    /// - Throws: ``Refusal`` with the remedy.
    static func refuseChecked(_ files: [File], for verb: String, because reason: String) throws {
        guard let file = files.first(where: \.scenario.check) else { return }
        throw Refusal(
            "\(file.path) has 'check: true', and '\(verb)' checks nothing, because \(reason): leave one of them out",
            .usage)
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
        for path in try paths() {
            do {
                let points = try reader.points(path: path, sweep: sweep)
                if !takesSweeps, sweep.isEmpty, !scenarios.contains(path), points.contains(where: \.isSwept) {
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
            StandardError.error(
                "two scenarios are called '\(name)': \(sameName.map(\.path).joined(separator: ", ")); rename one file")
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

    /// The files that the arguments name; a folder is replaced by its files.
    private func paths() throws -> [String] {
        var paths: [String] = []
        for argument in scenarios {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder), isFolder.boolValue else {
                paths.append(argument)
                continue
            }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: argument) else {
                throw Refusal("\(argument): the folder can't be read; check its permissions")
            }
            let found = names.sorted().filter { $0.hasSuffix(".yaml") && $0 != "reference.yaml" }
            if found.isEmpty { throw Refusal("\(argument): no *.yaml file in this folder; name a scenario file") }
            paths += found.map { argument.hasSuffix("/") ? argument + $0 : "\(argument)/\($0)" }
        }
        return paths
    }
}

extension ScenarioArguments.File {
    /// The SHA-256 of the file's bytes, in hexadecimal.
    func digest() throws(FileDigestError) -> String {
        if let sha256 { return sha256 }
        return try FileDigest.sha256(ofFile: path)
    }
}
