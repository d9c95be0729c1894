import Foundation
import Testing

/// What the trace verbs refuse, print and leave behind.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct TraceCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) async throws -> Program.Ending { try await run(arguments) }

    private func run(_ arguments: [String]) async throws -> Program.Ending {
        let verb = ["replay", "convert"].contains(arguments[0])
        let absolute = arguments.map { verb && $0.wholeMatch(of: #/[a-z\/]+\.[a-z]+|out/#) != nil ? path($0) : $0 }
        return await Program.here(absolute)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func names(in name: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(name)")) ?? []
    }

    @Test func `a sample without keys has no hit ratio, and a note says why`() async throws {
        _ = try folder.write((0..<300).map { "\($0)\n" }.joined(), to: "tiny.lirs")
        let ending = try await run(
            "replay", "tiny.lirs", "--policies", "lru,optimal", "--sample", "0.0001", "--capacities", "10", "--output",
            "out")
        #expect(ending.exitCode == 0)
        #expect(!ending.output.contains("100.00 %"))
        #expect(ending.output.contains("are too few for an estimate"))
    }

    @Test func `a sample has no byte hit ratio and no cost saved, and a note says so`() async throws {
        _ = try folder.write(
            "time,key,size,ttl\n" + (0..<9_000).map { "\($0),\($0 * $0 % 1_999),7,99\n" }.joined(), to: "t.csv")
        let ending = try await run(
            "replay", "t.csv", "--policies", "lru", "--sample", "0.5", "--capacities", "500", "--origin-time", "1ms",
            "--output", "out")
        #expect(ending.output.contains("sample: byte hit ratio and cost saved are not estimated"), "\(ending.output)")
        #expect(ending.output.contains(" lookups of the sample ("), "\(ending.output)")
        let row = try #require(try records(of: "\(folder.path)/out/replay.csv").first)
        #expect(row["hit_ratio"] != "" && row["byte_hit_ratio"] == "" && row["cost_saved"] == "")
    }

    @Test(
        arguments: [
            (["--capacities", "64MiB", "--policies", "optimal"], 64), (["--capacities", "64MiB"], 65),
            (["--capacities", "5,,6"], 64), (["--capacities", "0x10%"], 64), (["--columns", "key"], 64),
            (["--keys", "words"], 64), (["--time-unit", "h"], 64), (["--capacities", "many"], 64),
            (["--sample", "0"], 64), (["--sample", "0.5", "--by", "bytes"], 64),
            (["--sample", "0.5", "--by", "cost", "--origin-time", "1ms"], 64),
            (["--jobs", "0"], 64), (["--trace-format", "zip"], 64),
        ] as [([String], Int32)])
    func `options that make no sense for a trace are refused`(options: [String], exitCode: Int32) async throws {
        _ = try folder.write("1\n2\n1\n", to: "tiny.lirs")
        let ending = await Program.here(["replay", path("tiny.lirs"), "--output", path("out")] + options)
        #expect(ending.exitCode == exitCode, "\(ending.errors)")
        #expect(ending.output.isEmpty)
    }

    @Test func `what a trace is read as, and what is ignored, is a line before the table`() async throws {
        _ = try folder.write("time,key,size,note\n1,a,5,x\n2,a,5,y\n", to: "t.csv")
        let table = try await run("replay", "t.csv", "--policies", "lru", "--capacities", "1", "--output", "out")
        #expect(table.output.hasPrefix("t.csv: read as csv: key, size; ignored: time, note\n"), "\(table.output)")
        let csv = await Program.here(
            [
                "replay", path("t.csv"), "--policies", "lru", "--capacities", "1", "--format", "csv", "--output",
                path("b"),
            ])
        #expect(csv.errors.contains("t.csv: read as csv: key, size; ignored: time, note"), "\(csv.errors)")
    }

    @Test func `columns that are skipped first are no option, and names of a header are columns`() async throws {
        _ = try folder.write("x 1 7\ny 1 7\n", to: "a.txt")
        _ = try folder.write("Lun,Block,Length\n0,1,7\n1,1,7\n", to: "b.csv")
        for arguments in [["a.txt", "--columns", "-,key,size"], ["b.csv", "--columns", "key=lun+block,size=length"]] {
            let ending = await Program.here(
                ["replay", path(arguments[0])] + arguments.dropFirst()
                    + [
                        "--policies", "lru", "--capacities", "5", "--format", "csv", "--output",
                        path("out-\(arguments[0])"),
                    ])
            #expect(ending.exitCode == 0, "\(ending.errors)")
            #expect(ending.output.contains(arguments[0] == "a.txt" ? ",2,1,1," : ",2,0,2,"), "\(ending.output)")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["/dev/zero", "fifo"])
    func `a FIFO and a device are refused at once`(name: String) async throws {
        if name == "fifo" { #expect(mkfifo(path(name), 0o600) == 0) }
        let trace = name == "fifo" ? path(name) : name
        for verb in [["replay"], ["replay", "--shard", "1/2"], ["describe"]] {
            let output = verb[0] == "replay" ? ["--output", path("out-\(verb.count)")] : []
            let ending = await Program.here([verb[0], trace] + verb.dropFirst() + output)
            #expect(ending.exitCode == 65, "\(ending.errors)")
            #expect(ending.errors.contains("a trace is a regular file"), "\(ending.errors)")
        }
    }

    @Test func `a warm-up is in each table, in the file and on the page, with its share`() async throws {
        _ = try folder.write((0..<40).map { "\($0 % 4)\n" }.joined(), to: "t.lirs")
        for curve in [[], ["--curve"]] {
            let output = path("out\(curve.count)")
            let ending = await Program.here(
                ["replay", path("t.lirs"), "--policies", "lru", "--capacities", "4", "--warm-up", "25%", "--output"]
                    + [output] + curve)
            #expect(
                ending.output.contains("warm-up: the first 10 of 40 requests (25.0 %) are not counted"),
                "\(ending.output)")
            let rows = try records(of: "\(output)/replay.csv")
            #expect(rows.map { $0["warm_up"] } == ["0.250000"] && rows.map { $0["requests"] } == ["30"])
            #expect(rows.map { $0["hits"] } == ["30"])
        }
        let page = await Program.here("report", path("out0"), "--output", path("page.html"))
        #expect(page.exitCode == 0, "\(page.errors)")
        let text = try String(contentsOfFile: path("page.html"), encoding: .utf8)
        #expect(text.contains("by a warm-up, the first 25.0% of the trace, which is not counted"))
    }

    @Test func `hits over time are a file and a curve of the page, and a description has a page of its own`()
        async throws
    {
        let trace = try folder.write("time,key\n" + (0..<400).map { "\($0 * 60),\($0 % 7)\n" }.joined(), to: "t.csv")
        let ending = await Program.here(
            "replay", trace, "--policies", "lru", "--capacities", "9", "--over-time", "1h", "--output", path("out"))
        #expect(ending.output.contains("over time: 7 intervals are in replay_intervals.csv"), "\(ending.errors)")
        let rows = try records(of: path("out/replay_intervals.csv"))
        #expect(rows.map { $0["requests"] } == ["60", "60", "60", "60", "60", "60", "40"])
        #expect(rows.map { $0["hits"] } == ["53", "60", "60", "60", "60", "60", "40"])
        _ = await Program.here("report", path("out"), "--output", path("page.html"))
        let page = try String(contentsOfFile: path("page.html"), encoding: .utf8)
        #expect(page.contains("Hit ratio over time, t.csv, 9"))
        let described = await Program.here("describe", trace, "--page", path("description.html"))
        #expect(described.exitCode == 0, "\(described.errors)")
        let charts = try String(contentsOfFile: path("description.html"), encoding: .utf8)
        for title in ["Requests a second", "Working set", "New keys", "Popularity decay"] {
            #expect(charts.contains("<b>\(title)</b>"), "\(title)")
        }
    }

    @Test(
        arguments: [
            (["--sample", "0.5"], "leave out --sample"), (["--misses", "m.csv"], "leave out --misses"),
            (["--policies", "optimal"], "bounds decide only when the whole trace was read"),
            (["--shard", "1/2", "--output", "x"], "leave out --resume and --shard"),
        ] as [([String], String)])
    func `hits over time of what has none are refused`(options: [String], message: String) async throws {
        let policies = options.contains("--policies") ? [] : ["--policies", "lru"]
        let ending = await Program.here(
            ["replay", path("t.csv"), "--capacities", "9", "--over-time", "1h"] + policies + options)
        #expect(ending.exitCode == 64 && ending.errors.contains(message), "\(ending.errors)")
    }

    @Test func `traces with one name are told apart by folder, and a size given twice counts once`() async throws {
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
            _ = try folder.write("1\n2\n1\n", to: "\(name)/x.lirs")
        }
        _ = try await run(
            "replay", "a/x.lirs", "b/x.lirs", "--policies", "lru", "--capacities", "2,2", "--output", "out")
        let rows = try records(of: "\(folder.path)/out/replay.csv")
        #expect(rows.map { $0["trace"] } == ["a/x.lirs", "b/x.lirs"])
    }

    @Test func `no share of the optimum is above 100 %`() async throws {
        _ = try folder.write((0..<300).map { "\($0 * $0 % 37)\n" }.joined(), to: "x.lirs")
        let ending = try await run(
            "replay", "x.lirs", "--policies", "unbounded,optimal", "--capacities", "3", "--format", "csv", "--output",
            "out")
        let rows = ending.output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows.dropFirst().map { $0.last } == ["", "1.000000"])
    }

    @Test func `a replay is continued with the same traces and options only, and nothing that it has is lost`()
        async throws
    {
        _ = try folder.write("1\n2\n1\n", to: "a.lirs")
        _ = try folder.write("3\n3\n", to: "b.lirs")
        let common = ["--policies", "lru,fifo", "--output", "out"]
        let first = try await run(["replay", "a.lirs", "--capacities", "1,2"] + common)
        #expect(first.exitCode == 0, "\(first.errors)")
        let rows = try String(contentsOfFile: path("out/replay.csv"), encoding: .utf8)
        for other in [
            ["replay", "b.lirs", "--capacities", "1,2"] + common, ["replay", "a.lirs", "--capacities", "2"] + common,
            ["replay", "a.lirs", "--capacities", "1,2", "--policies", "lru", "--output", "out"],
        ] {
            let refused = try await run(other + ["--resume"])
            #expect(refused.exitCode == 65 && refused.errors.contains("have changed"), "\(refused.errors)")
        }
        let same = try await run(["replay", "a.lirs", "--capacities", "1,2"] + common + ["--resume"])
        #expect(same.exitCode == 0, "\(same.errors)")
        _ = try folder.write("1\n2\n", to: "a.lirs")
        let changed = try await run(["replay", "a.lirs", "--capacities", "1,2"] + common + ["--resume"])
        #expect(changed.exitCode == 65, "\(changed.errors)")
        #expect(try String(contentsOfFile: path("out/replay.csv"), encoding: .utf8) == rows)
    }

    // It went on, and dropped the rows of other policies.
    @Test func `a replay whose description is damaged is not continued`() async throws {
        _ = try folder.write("1\n2\n1\n", to: "a.lirs")
        let common = ["replay", "a.lirs", "--capacities", "1,2", "--output", "out", "--policies"]
        #expect(try await run(common + ["lru"]).exitCode == 0)
        let rows = try String(contentsOfFile: path("out/replay.csv"), encoding: .utf8)
        try "{".write(toFile: path("out/run.json"), atomically: true, encoding: .utf8)
        let ending = try await run(common + ["fifo", "--resume"])
        #expect(ending.exitCode == 65 && ending.errors.contains("run.json"), "\(ending.errors)")
        #expect(try String(contentsOfFile: path("out/replay.csv"), encoding: .utf8) == rows)
    }

    @Test func `writes and removals never become reads`() async throws {
        _ = try folder.write("key,operation,ttl\n1,read,5\n2,write,5\n1,delete,0\n", to: "all.csv")
        let refused = try await run("convert", "all.csv", "--to", "oracleGeneral", "--output", "all.bin")
        #expect(refused.exitCode == 65)
        #expect(refused.errors.contains("--reads-only"))
        let written = try await run(
            "convert", "all.csv", "--to", "oracleGeneral", "--output", "all.bin", "--reads-only")
        #expect(written.exitCode == 0)
        #expect(written.errors.contains("oracleGeneral holds no lifetimes"))
        #expect(written.errors.contains("1 requests, 1 keys"), "\(written.errors)")
        #expect(FileManager.default.contents(atPath: path("all.bin"))?.count == 24)
    }

    @Test func `a trace is written to standard output, so that it can be compressed, and not to a compressed file`()
        async throws
    {
        let trace = try folder.write("1\n2\n1\n", to: "tiny.lirs")
        let program = try Program.start(["convert", trace, "--to", "csv", "--output", "-"], in: folder.path)
        let ending = await program.ending()
        #expect(ending.exitCode == 0 && ending.output == "key\n1\n2\n1\n")
        let refused = try await run("convert", "tiny.lirs", "--to", "csv", "--output", "out.csv.gz")
        #expect(refused.exitCode == 64)
        #expect(refused.errors.contains("pipe it: --output - | gzip > out.csv.gz"), "\(refused.errors)")
    }

    @Test func `an interrupted conversion leaves no file`() async throws {
        // A longer trace each time, until one is not yet converted when the signal comes.
        for count in [200_000, 800_000, 3_200_000] {
            let trace = try folder.write((0..<count).map { "\($0 &* 7919 % 30_007)\n" }.joined(), to: "long.lirs")
            let program = try Program.start(["convert", trace, "--to", "csv", "--output", "out.csv"], in: folder.path)
            while !names(in: ".").contains(where: { $0.hasSuffix(".partial") }), program.isRunning {
                try await Task.sleep(for: .milliseconds(1))
            }
            program.send(signal: SIGINT)
            let ending = await program.ending()
            guard names(in: ".").contains("out.csv") else {
                #expect(ending.exitCode == 130, "\(ending.errors)")
                #expect(names(in: ".") == ["long.lirs"])
                return
            }
            try FileManager.default.removeItem(atPath: path("out.csv"))
        }
        Issue.record("every conversion was over before the signal")
    }

    @Test func `a terminated replay keeps the rows of finished traces`() async throws {
        let tiny = try folder.write("1\n2\n1\n", to: "tiny.lirs")
        let signals = ScriptedSignals()
        // The table of the first trace is printed when its rows are written.
        let ending = try await Program.here(
            ["replay", tiny] + folder.longReplay() + ["--output", path("out")], signals: signals.stream,
            onOutput: { _ in signals.send(SIGTERM) })
        #expect(ending.exitCode == 143, "\(ending.errors)")
        #expect(Set(try records(of: path("out/replay.csv")).map { $0["trace"] }) == ["tiny.lirs"])
    }

    @Test func `a replay interrupted in its first trace leaves no unnamed folder`() async throws {
        let program = try Program.start(["replay"] + folder.longReplay(), in: folder.path)
        await eventually { !names(in: "Results").isEmpty }
        program.send(signal: SIGINT)
        #expect(await program.ending().exitCode == 130)
        #expect(names(in: "Results").isEmpty)
    }
}
