import Foundation
import Testing

/// Whole runs, as a user starts them.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct RunTests {
    /// Two strategies, a warm-up, a phase counted in operations by one client, and one by the clock.
    static func scenario(duration: String = "200 ms") -> String {
        """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: string, count: 300, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 1 KiB }
        capacity: { entries: 50 }
        origin: { kind: server, delay: 100 us }
        strategies: [lru, actor]
        phases:
          - { name: warm-up, warm-up: true, operations: 100, clients: 1, mix: { load: 1 } }
          - { name: counted, operations: 400, clients: 1, mix: { read: 2, load: 6, write: 1, remove: 1 } }
          - { name: timed, duration: \(duration), clients: 2, mix: { load: 1 } }

        """
    }

    @Test func `every shipped scenario runs at smoke size against strategies of every kind`() async throws {
        let trials = try await smoke(
            "Scenarios", "--strategies", "lru,actor,disk")
        #expect(Set(trials.map { $0["scenario"] }).count >= 9)
        #expect(Set(trials.map { $0["strategy"] }).count == 3)
    }

    @Test func `every sound strategy and bound runs at smoke size`() async throws {
        let trials = try await smoke("Scenarios/shifting-popularity.yaml", "--strategies", "sound,bounds")
        #expect(Set(trials.map { $0["strategy"] }).count >= 21)
    }

    /// Runs at smoke size and returns the rows of `trials.csv`.
    private func smoke(_ arguments: String...) async throws -> [[String: String]] {
        let folder = try TemporaryFolder()
        let output = "\(folder.path)/out"
        let ending = try await Program.start(["run"] + arguments + ["--smoke", "--quiet", "--output", output]).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let trials = try records(of: "\(output)/trials.csv")
        #expect(Set(trials.map { $0["status"] }) == ["completed"])
        for row in try records(of: "\(output)/hit-rate.csv") {
            let numbers = ["lookups", "hits", "misses"].compactMap { row[$0].flatMap { UInt64($0) } }
            #expect(numbers.count == 3 && numbers[0] == numbers[1] + numbers[2], "\(row)")
        }
        return trials
    }

    @Test func `with several scenarios each prints its table at once, and the end is a summary`() async throws {
        let folder = try TemporaryFolder()
        let files = try ["one", "two"].map { try folder.write(Self.scenario(), to: "\($0).yaml") }
        let run = ["run"] + files + ["--repetitions", "2", "--output", "\(folder.path)/out"]
        let ending = try await Program.start(run).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.filter { $0 == "one" || $0 == "two" } == ["one", "two"])
        // A second repetition would be in the caption.
        #expect(!ending.output.contains("medians of"))
        #expect(lines.suffix(3).map { $0.prefix { $0 != " " } } == ["one:", "two:", "In"])
        #expect(ending.errors.hasSuffix("Page: \(folder.path)/out/report.html\n"))
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/report.html"))
    }

    @Test func `Ctrl-C prints the pending table, and writes the page of finished results`() async throws {
        let folder = try TemporaryFolder()
        let files = try ["one", "two"].map { try folder.write(Self.scenario(duration: "2 s"), to: "\($0).yaml") }
        let output = "\(folder.path)/out"
        let run = try Program.start(["run"] + files + ["--output", output])
        try await eventually {
            guard FileManager.default.fileExists(atPath: "\(output)/trials.csv") else { return false }
            return try records(of: "\(output)/trials.csv").count >= 9
        }
        run.send(signal: SIGINT)
        let ending = await run.ending()
        #expect(ending.exitCode == 130)
        #expect(ending.output.split(separator: "\n").filter { $0 == "one" || $0 == "two" } == ["one", "two"])
        #expect(try String(contentsOfFile: "\(output)/report.html", encoding: .utf8).contains("partial results"))
    }

    @Test func `one scenario ends with its table of all repetitions, and a sentence`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(), to: "one.yaml")
        let ending = try await Program.run("run", file, "--repetitions", "2", "--output", "\(folder.path)/out")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count { $0 == "one" } == 1)
        #expect(ending.output.contains("medians of 2 repetitions"))
        #expect(lines.last?.hasPrefix("one: ") == true)
    }

    @Test func `for programs all tables come at the end, and nothing else`() async throws {
        let folder = try TemporaryFolder()
        let files = try ["one", "two"].map { try folder.write(Self.scenario(), to: "\($0).yaml") }
        let run = ["run"] + files + ["--smoke", "--quiet", "--format", "csv", "--output", "\(folder.path)/out"]
        let ending = try await Program.start(run).ending()
        let lines = ending.output.split(whereSeparator: \.isNewline)
        #expect(lines.map { $0.prefix { $0 != "," } } == ["table", "one", "one", "two", "two"])
    }

    @Test func `a smoke run calls no strategy best`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(), to: "one.yaml")
        let ending = try await Program.run("run", file, "--smoke", "--quiet", "--output", "\(folder.path)/out")
        #expect(ending.output.hasSuffix("\nA smoke run measures nothing, so no strategy is called best.\n"))
    }

    @Test func `without --output the results are in a folder with the time as its name`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(), to: "small.yaml")
        let ending = try await Program.run("run", file, "--smoke", "--quiet", "--strategies", "none", in: folder.path)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/Results")
        #expect(names.count == 1)
        #expect(try #require(names.first).wholeMatch(of: /\d{4}-\d\d-\d\dT\d{6}Z/) != nil, "\(names)")
    }

    @Test func `two runs with one seed agree in every deterministic column`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(), to: "small.yaml")
        var counted: [[[String: String]]] = []
        for name in ["one", "two"] {
            let output = "\(folder.path)/\(name)"
            let ending = try await Program.run("run", file, "--quiet", "--output", output)
            #expect(ending.exitCode == 0, "\(ending.errors)")
            counted.append(
                try records(of: "\(output)/hit-rate.csv").filter { $0["phase"] == "counted" }.map { row in
                    row.filter { ["strategy", "repetition", "lookups", "hits", "writes", "removals"].contains($0.key) }
                })
        }
        #expect(counted[0].count == 2)
        #expect(Set(counted[0]) == Set(counted[1]))
    }

    @Test func `a killed trial is a row with the reason, and the other trials continue`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(duration: "1 s"), to: "small.yaml")
        let output = "\(folder.path)/out"
        let run = try Program.start(["run", file, "--output", output, "--repetitions", "1"])
        try await eventually { try !run.children(running: "trial").isEmpty }
        try run.children(running: "trial").forEach { kill($0, SIGSEGV) }
        let ending = await run.ending()
        #expect(ending.exitCode == 3, "\(ending.errors)")
        let rows = try records(of: "\(output)/trials.csv")
        let lru = rows.filter { $0["strategy"] == "lru" }
        #expect(lru.count == 3)
        #expect(lru.last?["status"] == "crashed")
        #expect(lru.contains { $0["reason"]?.contains("SIGSEGV") == true })
        #expect(rows.filter { $0["strategy"] == "actor" }.allSatisfy { $0["status"] == "completed" })
    }

    @Test func `a trial that does not end is a row that says hung`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(duration: "120 s"), to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = try await Program.run(
            "run", file, "--output", output, "--repetitions", "1", "--deadline", "10s", "--strategies", "lru")
        #expect(ending.exitCode == 3)
        let rows = try records(of: "\(output)/trials.csv")
        #expect(rows.map { $0["status"] } == ["completed", "completed", "hung"])
        #expect(rows.last?["reason"]?.contains("no end after 10 s") == true)
    }
}
