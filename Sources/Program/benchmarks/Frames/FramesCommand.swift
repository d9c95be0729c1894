import ArgumentParser
import CacheTrials
import Foundation
import Reports
import TrialModel

/// `frames`: runs cases whose findings are known beforehand.
struct FramesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames",
        abstract:
            "Runs lists that scroll over caches with injected bugs, and counts the runs in which the bug was found.",
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
        try NumberArgument.check(runs, "runs", in: 1...1_000)
    }

    func run() async throws {
        let chosen = cases.chosen
        let findings = try await ChildProgram.withFolder("frames") { folder in
            try await inTurns(
                runs,
                chosen.map { item in
                    {
                        let found = try item.run(in: folder)
                        let text = found.map { "\($0.figure)\($0.holds ? "" : " (not as expected)")" }
                        StandardError.write("\(item.name): \(text.joined(separator: "; "))")
                        return found
                    }
                })
        }
        let named = Dictionary(zip(chosen.map(\.name), findings)) { first, _ in first }
        func own(_ item: FrameCase) -> [FrameFinding] { named[item.name, default: []].flatMap { $0 } }
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
        let busy = try (0..<load * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            // Ends with this program, however that ends.
            try ChildProgram.start("/bin/sh", ["-c", "while kill -0 $PPID; do :; done"])
        }
        defer {
            for process in busy {
                // Threads of Dispatch block signals, and programs that they start inherit that.
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
        }
        // 3: a strategy gave a wrong answer, as some cases must.
        return try ChildProgram.results(
            of: scenario, strategy, in: folder, options: ["--repetitions", "1"],
            with: [ListFault.variable: fault.rawValue], allowed: [0, 3]
        ).map(judge)
    }
}
