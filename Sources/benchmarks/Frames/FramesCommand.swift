import ArgumentParser
import Foundation
import Reports
import TrialModel

/// `frames`: runs cases whose findings are known beforehand.
struct FramesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames",
        abstract:
            "Runs lists that scroll over caches with known faults, and counts the runs in which the fault was found.",
        discussion: """
            Examples:
              scripts/benchmark frames --runs 5
              scripts/benchmark frames --cases block,sound --runs 100

            Ends with 1 when an expected finding is missing.
            """)

    @Option(help: ArgumentHelp("How often each case runs, from 1 to 1000.", valueName: "count"))
    var runs = 3

    @OptionGroup var cases: CaseArguments<FrameCase>

    func validate() throws {
        guard (1...1_000).contains(runs) else {
            throw ValidationError("'--runs \(runs)': a whole number from 1 to 1000 is allowed.")
        }
    }

    func run() throws {
        let chosen = cases.chosen
        let findings = try ChildProgram.withFolder("frames") { folder in
            var findings: [String: [FrameFinding]] = [:]
            for run in 1...runs {
                for item in chosen {
                    let found = try item.run(in: folder)
                    findings[item.name, default: []] += found
                    let text = found.map { "\($0.figure)\($0.holds ? "" : " (not as expected)")" }
                    FileHandle.standardError.write(
                        Data("[\(run)/\(runs)] \(item.name): \(text.joined(separator: "; "))\n".utf8))
                }
            }
            return findings
        }
        let rows = chosen.map { item -> [TableCell] in
            let own = findings[item.name] ?? []
            let seen = own.count(where: \.holds)
            return [
                .text(item.what), .text("\(seen) of \(own.count)"), .text(own.last?.figure ?? ""),
                .text(Double(seen) >= item.share * Double(own.count) ? "yes" : "no"),
            ]
        }
        let columns = [TableColumn("what"), TableColumn("seen", .right), TableColumn("the last"), TableColumn("met")]
        print(Table(title: "What frames show", columns: columns, rows: rows).rendered(as: .markdown), terminator: "")
        if rows.contains(where: { $0.last?.text == "no" }) { throw ExitCode(1) }
    }
}

extension FrameCase {
    /// Runs the case once.
    fileprivate func run(in folder: URL) throws -> [FrameFinding] {
        let results = folder.appendingPathComponent("results")
        try? FileManager.default.removeItem(at: results)
        let path = folder.appendingPathComponent("\(name).yaml")
        try scenario.write(to: path, atomically: true, encoding: .utf8)
        let busy = try (0..<load * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try ChildProgram.start("/bin/sh", ["-c", "while :; do :; done"])
        }
        defer {
            for process in busy {
                process.terminate()
                process.waitUntilExit()
            }
        }
        // 3: a strategy gave a wrong answer, as some cases must.
        try ChildProgram.run(
            ChildProgram.own(),
            [
                "run", path.path, "--strategies", strategy, "--repetitions", "1", "--output", results.path, "--quiet",
            ], with: [ListFault.variable: fault.rawValue], allowed: [0, 3])
        return try ResultFolder.read(at: results.path).map(judge)
    }
}
