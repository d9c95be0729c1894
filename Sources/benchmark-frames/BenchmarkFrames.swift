import ArgumentParser
import CacheTrials
import Foundation
import Reports
import TimedStrategies
import TrialModel

/// `cache-trials` with caches that have known faults, to test whether frames show them.
@main
enum BenchmarkFrames {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "measure" {
            MeasureCommand.main(Array(arguments.dropFirst()))
        } else {
            CacheTrialsCommand.main(adding: [Strategy(PlantedList<Int>.self), Strategy(PlantedTaskList<Int>.self)])
        }
    }
}

/// `measure`: runs cases whose findings are known beforehand.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark-frames measure",
        abstract:
            "Runs lists that scroll over caches with known faults, and counts the runs in which the fault was found.",
        discussion: """
            Examples:
              scripts/benchmark-frames --runs 5
              scripts/benchmark-frames --cases block,sound --runs 100

            Ends with 1 when an expected finding is missing.
            """)

    @Option(help: ArgumentHelp("How often each case runs, from 1 to 1000.", valueName: "count"))
    var runs = 3

    @Option(help: ArgumentHelp("Only these cases, separated by commas.", valueName: "names"))
    var cases: String?

    private var names: [String] { cases?.split(separator: ",").map(String.init) ?? [] }

    func validate() throws {
        guard (1...1_000).contains(runs) else {
            throw ValidationError("'--runs \(runs)': a whole number from 1 to 1000 is allowed.")
        }
        let known = FrameCase.all.map(\.name)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("'--cases': there is no '\(name)'. There are: \(known.joined(separator: ", ")).")
        }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("frames-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let chosen = FrameCase.all.filter { names.isEmpty || names.contains($0.name) }
        var findings: [String: [FrameFinding]] = [:]
        for run in 1...runs {
            for item in chosen {
                let found = try item.run(in: folder)
                findings[item.name, default: []] += found
                let text = found.map { "\($0.figure)\($0.holds ? "" : " (not as expected)")" }.joined(
                    separator: "; ")
                FileHandle.standardError.write(Data("[\(run)/\(runs)] \(item.name): \(text)\n".utf8))
            }
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
    func run(in folder: URL) throws -> [FrameFinding] {
        let results = folder.appendingPathComponent("results")
        try? FileManager.default.removeItem(at: results)
        let path = folder.appendingPathComponent("\(name).yaml")
        try scenario.write(to: path, atomically: true, encoding: .utf8)
        let busy = try (0..<load * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try Self.start("/bin/sh", ["-c", "while :; do :; done"])
        }
        defer {
            for process in busy {
                process.terminate()
                process.waitUntilExit()
            }
        }
        guard let program = Bundle.main.executablePath else {
            throw MeasureError("this program can't find its own file")
        }
        let process = try Self.start(
            program,
            [
                "run", path.path, "--strategies", strategy, "--repetitions", "1", "--output", results.path, "--quiet",
            ], with: [ListFault.variable: fault.rawValue])
        process.waitUntilExit()
        // 3: a strategy gave a wrong answer, as some cases must.
        guard [0, 3].contains(process.terminationStatus) else {
            throw MeasureError("\(name): the run ended with \(process.terminationStatus)")
        }
        return try ResultFolder.read(at: results.path).map(judge)
    }

    private static func start(
        _ program: String, _ arguments: [String], with variables: [String: String] = [:]
    ) throws -> Process {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}

/// What the user of the measurement has to know.
struct MeasureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
