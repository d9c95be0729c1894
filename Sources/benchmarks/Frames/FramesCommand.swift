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
        func own(_ item: FrameCase) -> [FrameFinding] { findings[item.name] ?? [] }
        func isMet(_ item: FrameCase) -> Bool {
            Double(own(item).count(where: \.holds)) >= item.share * Double(own(item).count)
        }
        let table = Table(
            title: "What frames show", of: chosen,
            [
                TableColumn("what") { .text($0.what) },
                TableColumn("seen", .right) { .text("\(own($0).count(where: \.holds)) of \(own($0).count)") },
                TableColumn("the last") { .text(own($0).last?.figure ?? "") },
                TableColumn("met") { .word(isMet($0)) },
            ])
        print(table.rendered(as: .markdown), terminator: "")
        if !chosen.allSatisfy(isMet) { throw ExitCode(1) }
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
