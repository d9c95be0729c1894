import Foundation
import Testing

/// Traces from standard input, and misses to standard output.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct TraceStreamTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Runs a line of a shell, in which `$0` is the program.
    private func shell(_ line: String) async throws -> Program.Ending {
        try await Program.start(tool: "sh", ["-c", line, Program.path], in: folder.path).ending()
    }

    @Test func `caches in a row are replays in a pipe`() async throws {
        // In a loop of 30 keys, LRU of 20 entries never hits, and the one behind it, with room for all, misses each once.
        _ = try folder.write("key,size\n" + (0..<3_000).map { "k\($0 % 30),10\n" }.joined(), to: "loop.csv")
        let tiers = try await shell(
            "$0 replay loop.csv --policies lru --capacities 20 --misses - 2>first | "
                + "$0 replay - --policies lru --capacities 300B --format csv --output second")
        #expect(tiers.exitCode == 0, "\(tiers.errors)")
        let second = try records(of: path("second/replay.csv"))
        #expect(second.map { $0["trace"] } == ["standard input"])
        #expect(second.map { $0["requests"] } == ["3000"] && second.map { $0["misses"] } == ["30"])
        let first = try String(contentsOfFile: path("first"), encoding: .utf8)
        #expect(first.contains("lru     0.00 %"), "\(first)")
        #expect(first.contains("misses: 3000 requests are in standard output"), "\(first)")
    }

    @Test func `a compressed trace and one whose format is given come from a pipe`() async throws {
        let text = (0..<900).map { "\($0 % 30)\n" }.joined()
        _ = try folder.write(text, to: "a.txt")
        for line in ["cat a.txt", "gzip -c a.txt"] {
            let ending = try await shell(
                "\(line) | $0 replay - --trace-format keys --policies lru --capacities 30 --format csv --output out-$$")
            #expect(ending.exitCode == 0 && ending.output.contains(",900,870,30,"), "\(line): \(ending.errors)")
        }
    }

    @Test(
        arguments: [
            ("replay - --policies lru", "'-': a size that is a share of the keys (5%)"),
            ("replay - --capacities 5 --warm-up 20%", "'-': a warm-up of a share of the requests"),
            ("replay - --capacities 5 --shard 1/2 --output out", "'-': --resume and --shard compare traces"),
            ("replay - - --capacities 5", "'-': standard input can be read once; name it once"),
            ("describe -", "'-': 'describe' reads a trace more than once"),
            ("advise -", "'-': 'advise' reads a trace more than once"),
            ("convert - --to csv --output x.csv", "'-': 'convert' reads a trace more than once"),
        ])
    func `what reads a trace twice is refused for standard input`(line: String, message: String) async throws {
        let ending = await Program.here(line.split(separator: " ").map(String.init))
        #expect(ending.exitCode == 64 && ending.errors.contains(message), "\(ending.errors)")
    }

    @Test(
        arguments: [
            ("--policies lru,fifo --capacities 5 --misses new.csv", "there are 1, 2 and 1"),
            ("--policies lru --capacities 5,6 --misses new.csv", "there are 1, 1 and 2"),
            (
                "--policies optimal --capacities 5 --misses new.csv",
                "optimal decides only when the whole trace was read"
            ),
            ("--policies lru --capacities 5 --sample 0.5 --misses new.csv", "leave out --sample"),
            ("--policies lru --capacities 5 --misses new.txt", "ends with .csv or .csv.zst"),
            ("--policies lru --capacities 5 --misses old.csv", "the file exists"),
            ("--policies lru --capacities 5 --misses none/new.csv", "no file can be written in"),
        ])
    func `misses of anything but one cache are refused before anything is written`(
        line: String, message: String
    ) async throws {
        _ = try folder.write("1\n2\n1\n", to: "a.lirs")
        _ = try folder.write("key\n", to: "old.csv")
        let words = line.split(separator: " ").map {
            $0.hasSuffix(".csv") || $0.hasSuffix(".txt") ? path("\($0)") : "\($0)"
        }
        let ending = await Program.here(["replay", path("a.lirs"), "--output", path("out")] + words)
        #expect(ending.exitCode == 64 && ending.errors.contains(message), "\(ending.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.lirs", "old.csv"])
    }

    @Test func `a replay that waits for standard input ends with SIGTERM`() async throws {
        let program = try Program.start(
            ["replay", "-", "--policies", "lru", "--capacities", "10", "--output", "out"], in: folder.path)
        await eventually { FileManager.default.fileExists(atPath: path("out/replay.csv")) }
        program.send(signal: SIGTERM)
        #expect(await program.ending().exitCode == 143)
    }

    @Test func `a replay of a stream without an end ends with SIGTERM`() async throws {
        let program = try Program.start(
            tool: "sh",
            [
                "-c", "yes | exec \"$0\" replay - --trace-format keys --policies lru --capacities 10 --output out",
                Program.path,
            ], in: folder.path)
        await eventually { !program.children(running: "replay").isEmpty || !program.isRunning }
        await eventually { FileManager.default.fileExists(atPath: path("out/replay.csv")) }
        for replay in program.children(running: "replay") { kill(replay, SIGTERM) }
        #expect(await program.ending().exitCode == 143)
    }

    @Test func `zeros without an end, and a pipe in place of a file, are refused at once`() async throws {
        let zeros = try await shell("timeout 60 $0 replay - --policies lru --capacities 10 </dev/zero")
        #expect(zeros.exitCode == 65, "\(zeros.errors)")
        let pipe = try await Program.start(
            tool: "bash", ["-c", "$0 replay <(yes) --policies lru --capacities 10", Program.path], in: folder.path
        ).ending()
        #expect(pipe.exitCode == 65 && pipe.errors.contains("is a FIFO; a trace is a regular file"), "\(pipe.errors)")
    }
}
