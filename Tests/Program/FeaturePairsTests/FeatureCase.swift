import BuiltProgram
import CacheTrials
import Foundation

/// A value for every feature: a scenario, and the commands that run it.
struct FeatureCase: Sendable {
    /// The index of each feature's value.
    var values: [Int]

    private var chosen: [Feature.Value] { zip(Feature.all, values).map { $0.values[$1] } }

    /// The name of a feature's value.
    subscript(feature: String) -> String {
        zip(Feature.all, values).first { $0.0.name == feature }.map { $0.values[$1].name } ?? ""
    }

    /// The values that are not defaults, for a reader.
    var summary: String {
        let others = zip(Feature.all, values).filter { $1 > 0 }.map { "\($0.name): \($0.values[$1].name)" }
        return others.isEmpty ? "all defaults" : others.joined(separator: ", ")
    }

    /// Whether the case takes many seconds: it probes promises, simulates a processor, or runs as many trials as it takes.
    var isSlow: Bool {
        ["checked", "counted", "until decided", "live"].contains(self["mode"]) || self["check"] == "yes"
    }

    /// The text of the scenario.
    var scenario: String {
        var tree = ScenarioTree.mapping([])
        for (path, text) in Feature.defaults { tree.set(path, to: text) }
        for value in chosen { for (path, text) in value.keys { tree.set(path, to: text) } }
        // Operations that wait for the clock don't take turns.
        if self["mode"] == "interleaved", self["arrival"] == "closed", self["think time"] == "none" {
            // A slice is complete after up to 41 ms of work, of which operations that wait for the origin have enough.
            let waits = self["origin"] == "server" || self["faults"] == "no answer" || self["mix"] == "burst"
            switch self["length"] {
            case "operations": tree.set("phases[1].operations", to: waits ? "600" : "6000")
            case "duration": tree.set("phases[1].duration", to: "300 ms")
            default: break
            }
        }
        return tree.yaml
    }

    /// The text of a trace: thirty keys, with times, sizes and operations.
    static func trace(lifetimes: Bool) -> String {
        let header = "time,key,size,operation" + (lifetimes ? ",lifetime\n" : "\n")
        return header
            + (0..<80).map { index in
                let operation = index % 9 == 5 ? "write" : index % 13 == 7 ? "remove" : "read"
                let key = index * index % 31
                let line = "\(Double(index) / 200),k\(key),\(64 + key),\(operation)"
                return line + (lifetimes ? ",\(index % 4 == 0 ? 1 : 100)\n" : "\n")
            }.joined()
    }

    // MARK: Commands

    /// The commands in sequence, as a user types them in the folder of the scenario.
    var commands: [[String]] {
        let mode = chosen.map(\.arguments).first { !$0.isEmpty && !$0[0].hasPrefix("-") } ?? ["run"]
        let options = mode.dropFirst() + chosen.map(\.arguments).filter { $0.first?.hasPrefix("-") == true }.joined()
        if self["machines"] == "planned" {
            return [
                ["plan", "--format", "commands", mode[0], "pair.yaml", "beside.yaml", "--output", "parts"] + options
            ]
        }
        if self["mode"] == "live" {
            return resumed(
                ["compare", "--live", Program.path, Program.path, "pair.yaml", "--output", "out"] + options)
        }
        guard self["machines"] == "two" else { return resumed([mode[0], "pair.yaml", "--output", "out"] + options) }
        // Two machines need two parts, and one of them is the scenario beside it.
        return (1...2).flatMap { part in
            resumed(
                [mode[0], "pair.yaml", "beside.yaml", "--output", "parts/\(part)"]
                    + options.map { $0 == "1/2" ? "\(part)/2" : $0 })
        } + [["merge", "parts/1", "parts/2", "--output", "out"]]
    }

    /// A run that is resumed has been there before.
    private func resumed(_ command: [String]) -> [[String]] {
        command.contains("--resume") ? [command.filter { $0 != "--resume" }, command] : [command]
    }

    /// The folders that the commands fill.
    var folders: [String] { self["mode"] == "live" ? ["out/baseline", "out/candidate"] : ["out"] }

    /// The scenario and the commands, as text that repeats the case.
    var repetition: String {
        let lines = commands.map { words in
            "cache-trials " + words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        }
        let planned = self["machines"] == "planned" ? " | sh\ncache-trials merge parts/* --output out" : ""
        return "pair.yaml:\n\(scenario)\n"
            + lines.joined(separator: "\n").replacing(Program.path, with: "cache-trials") + planned
    }

    // MARK: Running

    /// How a case ended: the first command that failed, or the last one.
    struct Outcome: Sendable {
        let folder: TemporaryFolder
        let ending: Program.Ending
        let command: [String]

        /// Whether the machine was too busy to send operations when they were due: the program says so, and no more is
        /// known.
        var isMachineBusy: Bool { ending.exitCode == 2 && ending.errors.contains("were not sent in time") }
    }

    /// The files and folders that commands name.
    private static let files: Set = ["pair.yaml", "beside.yaml", "out", "parts", "parts/1", "parts/2"]

    /// Runs the commands in a folder of their own, up to the first that fails.
    func run() async throws -> Outcome {
        let folder = try TemporaryFolder()
        _ = try folder.write(scenario, to: "pair.yaml")
        _ = try folder.write(FeatureCase(values: values.map { _ in 0 }).scenario, to: "beside.yaml")
        _ = try folder.write(Self.trace(lifetimes: false), to: "trace.csv")
        _ = try folder.write(Self.trace(lifetimes: true), to: "lifetimes.csv")
        var outcome: Outcome?
        for command in commands where (outcome?.ending.exitCode ?? 0) == 0 {
            // In this process, in a fraction of the time that a process takes. Trials are processes all the same.
            let words = command.map { Self.files.contains($0) ? "\(folder.path)/\($0)" : $0 }
            let ending = await Surroundings.run(words, program: Program.path)
            outcome = Outcome(
                folder: folder,
                ending: Program.Ending(exitCode: ending.exitCode, output: ending.output, errors: ending.errors),
                command: command)
        }
        if outcome?.command[0] == "plan", let plan = outcome, plan.ending.exitCode == 0 {
            outcome = try await Self.runUnits(of: plan)
        }
        guard let outcome else { throw CancellationError() }
        return outcome
    }

    /// Runs the commands of a plan in a shell, up to the first that fails, and merges their folders.
    private static func runUnits(of plan: Outcome) async throws -> Outcome {
        let folder = plan.folder
        let lines = plan.ending.output.split(separator: "\n").map(String.init)
        for line in lines {
            let unit = try await Program.start(tool: "sh", ["-c", line], in: folder.path).ending()
            guard unit.exitCode == 0 else { return Outcome(folder: folder, ending: unit, command: [line]) }
        }
        let merge = ["merge"] + (1...lines.count).map { "\(folder.path)/parts/\($0)" }
        let ending = await Surroundings.run(merge + ["--output", "\(folder.path)/out"], program: Program.path)
        return Outcome(
            folder: folder,
            ending: Program.Ending(exitCode: ending.exitCode, output: ending.output, errors: ending.errors),
            command: merge)
    }
}
