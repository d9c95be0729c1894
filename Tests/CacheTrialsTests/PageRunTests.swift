import Foundation
import Testing

/// Runs every command that a page shows, in its order, in a folder where the files of the examples are.
///
/// That takes some minutes, so `scripts/stress pages` does it; the other tests only parse the commands.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["RUN_PAGES"] != nil), .serialized, .timeLimit(.minutes(30)))
struct PageRunTests {
    @Test(arguments: DocumentedPage.all) func `every command of a page runs`(page: DocumentedPage) async throws {
        let folder = try await ExampleFolder()
        for command in page.commands where Self.reasonNotToRun(command) == nil {
            let ending = try await folder.run(Self.small(command))
            #expect(ending.exitCode == 0, "\(command)\n\(ending.errors.suffix(2_000))")
        }
    }

    @Test func `more than two of three commands run`() {
        let commands = DocumentedPage.all.flatMap(\.commands)
        let left = commands.filter { Self.reasonNotToRun($0) != nil }
        #expect(left.count * 3 < commands.count, "\(left)")
    }

    /// Why an example can't run here, if it can't.
    private static func reasonNotToRun(_ command: String) -> String? {
        for (text, reason) in [
            (" serve ", "it serves until it is stopped"),
            ("--mode counted", "it counts instructions for minutes"),
            ("--find-max-rate", "it searches for minutes, at full size"),
            ("instructions_per_operation", "it compares results of counted runs"),
            ("10.0.0.", "it needs servers at these addresses"),
            ("redis", "it needs a server"),
            ("--redis", "it needs a server"),
            ("/shared/", "it needs a folder that machines share"),
            ("--plan /shared", "it needs a folder that machines share"),
            ("/var/tmp/", "it needs a recording of an app"),
            ("planted-lru", "the strategy is planted in another program"),
            ("Results/races", "it needs a run under Thread Sanitizer"),
            ("results/*", "it needs generators and a server"),
        ] where command.contains(text) { return reason }
        return nil
    }

    /// The command at a size that takes seconds.
    private static func small(_ command: String) -> String {
        var command = command.replacing("$(git rev-parse HEAD)", with: "1a2b3c4")
            .replacing("--explore 100000", with: "--explore 200").replacing("--repetitions 10", with: "--repetitions 2")
        let isFull =
            !command.contains("--smoke") && !command.contains("--explore") && !command.contains("--shard ")
            && !command.contains("--mode counted")
        if isFull { command = command.replacing("cache-trials run ", with: "cache-trials run --smoke ") }
        if command.contains(" run "), !command.contains("--strategies"), !command.contains("--shard ") {
            command = command.replacing("cache-trials run ", with: "cache-trials run --strategies lru,none ")
        }
        return command
    }
}

/// A folder of the test's own with the files that the examples of the pages name.
private struct ExampleFolder {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.path + "/Scenarios", withDestinationPath: Program.root + "/Scenarios")
        for side in ["old", "new"] {
            try files.createDirectory(atPath: "\(folder.path)/\(side)", withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: "\(folder.path)/\(side)/cache-trials", withDestinationPath: Program.path)
        }
        try files.copyItem(atPath: Program.root + "/Scenarios/scan.yaml", toPath: folder.path + "/my-scenario.yaml")
        let requests = (0..<5_000).map { "\($0),key-\($0 * $0 % 311),100,read" }
        _ = try folder.write("time,key,size,op\n" + requests.joined(separator: "\n") + "\n", to: "traffic.csv")
        for line in [
            "gzip --keep traffic.csv",
            "cache-trials convert traffic.csv --to keys --output huge.keys.zst",
            "mkdir traces && cp huge.keys.zst traces/one.zst",
            "cache-trials run Scenarios/scan.yaml --smoke --strategies lru,none --repetitions 3 --output Results/monday",
            "cache-trials history add Results/monday --file history.csv --commit 1f3a9c2",
            "cp -r Results/monday Results/tuesday && cp history.csv ours.csv && cp history.csv theirs.csv",
        ] {
            let ending = try await run(line)
            try #require(ending.exitCode == 0, "\(line)\n\(ending.errors)")
        }
    }

    /// Runs a line as a shell does, with the built program as `cache-trials`.
    func run(_ line: String) async throws -> Program.Ending {
        let programs = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try await Program.start(tool: "PATH=\(programs):\(path)", ["sh", "-c", line], in: folder.path).ending()
    }
}
