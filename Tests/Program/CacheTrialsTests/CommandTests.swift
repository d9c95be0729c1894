import Foundation
import Testing

@testable import CacheTrials

/// What a user sees at the command line.
@Suite(.timeLimit(.minutes(2)))
struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["run", "replay", "races", "describe", "convert", "validate", "list", "serve"])
    func `the help of a verb has examples`(verb: String) async throws {
        let ending = await Program.here(verb, "--help")
        #expect(ending.exitCode == 0)
        #expect(ending.output.contains("Examples:\n"))
        #expect(ending.output.contains("cache-trials \(verb)"))
    }

    @Test func `the version has three numbers`() async throws {
        let ending = try await Program.run("--version")
        #expect(ending.exitCode == 0)
        #expect(ending.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }

    @Test func `a second run within a second has a folder of its own`() throws {
        let paths = try (1...3).map { _ in
            let path = ThisProgram.defaultOutput(at: Date(timeIntervalSince1970: 0), in: folder.path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            return path
        }
        let first = "\(folder.path)/1970-01-01T000000Z"
        #expect(paths == [first, "\(first)-2", "\(first)-3"])
    }

    @Test func `an unknown verb is wrong usage`() async throws {
        let ending = await Program.here("runn")
        #expect(ending.exitCode == 64)
    }

    @Test(arguments: [["run", "--smoke"], ["explore", "--orders", "10"]])
    func `strategies of the command line replace unknown ones of a scenario`(options: [String]) async throws {
        let file = try folder.write(SmallScenario.text(strategies: "someone-elses", mix: "load: 1"), to: "small.yaml")
        let all = options + [file, "--output", "\(folder.path)/out"]
        let refused = try await Program.start(all).ending()
        #expect(refused.exitCode == 65 && refused.errors.contains("someone-elses"), "\(refused.errors)")
        let ending = try await Program.start(all + ["--strategies", "lru"]).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
    }

    @Test(arguments: [
        (["run", "Scenarios", "--strategies", "lru,lrru"], "There is no strategy called 'lrru'; did you mean 'lru'?"),
        (
            ["run", "Scenarios", "--strategies", "enginse"],
            "There is no strategy called 'enginse'; did you mean 'engines'?"
        ),
        (
            ["run", "Scenarios", "--strategies", "shared+lruu"],
            "There is no strategy called 'shared+lruu'; did you mean 'shared+lru'?"
        ),
        (
            ["run", "Scenarios", "--strategies", "shared+actor"],
            "There is no 'shared+actor': actor already shares loads. Name actor itself."
        ),
        (["races", "Scenarios", "--strategies", "dsik"], "There is no strategy called 'dsik'; did you mean 'disk'?"),
        (
            ["replay", "x.lirs", "--policies", "optimall"],
            "There is no policy called 'optimall'; did you mean 'optimal'?"
        ),
        (["describe", "x", "--trace-format", "lris"], "There is no trace format called 'lris'; did you mean 'lirs'?"),
    ])
    func `an unknown name is wrong usage, and the intended name is suggested`(
        arguments: [String], message: String
    ) async throws {
        let ending = await Program.here(arguments)
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("\(message)\n"), "\(ending.errors)")
    }

    @Test func `when no name is similar, all names are listed`() async throws {
        let ending = await Program.here("run", "Scenarios", "--strategies", "magic")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("There is no strategy called 'magic'; there are: barrier-nscache, lock-dual"))
    }

    @Test func `without a terminal the list of strategies is 100 columns wide at most`() async throws {
        let ending = try await Program.run("list", "strategies")
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(ending.output.contains("\nno room in 100 columns for: "))
    }

    @Test func `the list of strategies for programs has every promise`() async throws {
        let ending = await Program.here("list", "strategies", "--format", "csv")
        #expect(
            ending.output.hasPrefix(
                "strategy,role,driver,bounds,consistency,limit,admits,coalesces,newer writes,lifetime,disk,cancelling,"
                    + "limit 0,smallest limit,largest entry,refused write,callers,machines,memory pressure,own prefetch,"
                    + "tells tiers,explored,evicts,policy,what it is\r\n"))
    }

    @Test func `run without a scenario says what is missing`() async throws {
        let ending = await Program.here("run")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("Name at least one scenario file or folder"))
    }

    @Test(arguments: [("run", "--repetitions"), ("explore", "--orders")], ["0", "99999999999", "-1", "many"])
    func `a number of repetitions or orders out of range is wrong usage`(
        command: (verb: String, option: String), number: String
    ) async throws {
        let ending = await Program.here(command.verb, "Scenarios", "\(command.option)=\(number)")
        #expect(ending.exitCode == 64)
    }

    @Test(arguments: ["10", "-1s", "nan s", "1e99h", "0ms", "169h", "soon"])
    func `an invalid budget is wrong usage`(text: String) async throws {
        let ending = await Program.here("run", "Scenarios", "--budget=\(text)")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("write a number from 1 ms to 168 h and a unit"))
    }

    @Test func `a bad scenario is bad input, with its line`() async throws {
        let file = try folder.write("titel: no\n", to: "bad.yaml")
        for verb in ["validate", "run"] {
            let ending = await Program.here(verb, file)
            #expect(ending.exitCode == 65)
            #expect(ending.errors.contains("\(file):1:1: titel"))
        }
        #expect(await Program.here("validate", "Scenarios/scan.yaml").exitCode == 0)
    }

    @Test func `a missing scenario is bad input`() async throws {
        let ending = await Program.here("run", "no-such.yaml")
        #expect(ending.exitCode == 65)
        #expect(ending.errors.contains("no-such.yaml"))
    }

    @Test(arguments: ["strategies", "scenarios", "columns"], ["table", "csv", "json", "markdown"])
    func `every list prints in every format`(subject: String, format: String) async throws {
        let ending = await Program.here("list", subject, "--format", format)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.output.split(whereSeparator: \.isNewline).count > 3)
        if format == "json" {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `the shell completion script contains the strategies`(shell: String) async throws {
        let ending = await Program.here("--generate-completion-script", shell)
        #expect(ending.exitCode == 0)
        #expect(ending.output.contains("barrier-nscache"))
    }

    @Test func `the server announces its address and ends with its input`() async throws {
        let server = try Program.start(["serve", "--until-input-closes"])
        server.closeInput()
        let ending = await server.ending()
        #expect(ending.exitCode == 143)
    }

    @Test(arguments: ["-1", "65536", "http"])
    func `a port out of range is wrong usage`(port: String) async throws {
        let ending = await Program.here("serve", "--port=\(port)")
        #expect(ending.exitCode == 64)
    }

    @Test func `races in a build without the sanitizer says how to get one`() async throws {
        let ending = try await Program.run("races", "Scenarios/contended.yaml")
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("this build has no Thread Sanitizer"))
        #expect(ending.errors.contains("scripts/races"))
    }

    @Test(arguments: ["--repetitions=0", "--control-runs=1001", "--contended-operations=0", "--phase-time=1ms"])
    func `a number out of range for races is wrong usage`(option: String) async throws {
        #expect(await Program.here("races", "Scenarios/contended.yaml", option).exitCode == 64)
    }

    @Test func `replay prints the hit ratios of a trace in every format`() async throws {
        let trace = try folder.write((0..<300).map { "\($0 * $0 % 37)\n" }.joined(), to: "small.lirs")
        for format in ["table", "csv", "json", "markdown"] {
            let ending = try await Program.run(
                "replay", trace, "--capacities", "10,50%", "--policies", "lru,arc,optimal", "--format", format,
                in: folder.path)
            #expect(ending.exitCode == 0, "\(ending.errors)")
            #expect(ending.output.contains("small.lirs"))
            #expect(ending.output.contains("optimal"))
        }
    }

    @Test func `each replay writes its rows into its own folder, and prints its path`() async throws {
        let trace = try folder.write("1\n2\n1\n", to: "small.lirs")
        var paths: Set<String> = []
        for _ in 0..<3 {
            let ending = try await Program.run(
                "replay", trace, "--policies", "lru", "--capacities", "1,2", "--format", "csv", in: folder.path)
            #expect(ending.exitCode == 0, "\(ending.errors)")
            let line = try #require(ending.errors.split(separator: "\n").first { $0.hasPrefix("Results: ") })
            let path = "\(folder.path)/\(line.dropFirst(9))"
            paths.insert(path)
            let rows = try String(contentsOfFile: "\(path)/replay.csv", encoding: .utf8)
            #expect(rows.split(whereSeparator: \.isNewline).count == 3)
        }
        #expect(paths.count == 3)
    }

    @Test func `an unreadable trace is bad input, with its place`() async throws {
        let trace = try folder.write("1\n2\nthree\n", to: "bad.lirs")
        for verb in ["replay", "describe"] {
            let ending = try await Program.run(verb, trace, "--trace-format", "lirs", in: folder.path)
            #expect(ending.exitCode == 65)
            #expect(ending.errors.contains("bad.lirs:3"), "\(ending.errors)")
            #expect(ending.output.isEmpty)
        }
        #expect(try await Program.run("replay", "no-such.lirs", in: folder.path).exitCode == 65)
    }

    @Test func `convert writes a trace that replays the same, and replaces nothing`() async throws {
        let trace = try folder.write((0..<300).map { "\($0 * $0 % 37)\n" }.joined(), to: "small.lirs")
        let output = URL(fileURLWithPath: trace).deletingLastPathComponent().appendingPathComponent("small.bin")
            .path
        let arguments = ["convert", trace, "--to", "oracleGeneral", "--output", output]
        #expect(await Program.here(arguments).exitCode == 0)
        #expect(await Program.here(arguments).exitCode == 2)
        let before = try await Program.run("replay", trace, "--capacities", "10", "--format", "csv", in: folder.path)
        let after = try await Program.run(
            "replay", output, "--capacities", "10", "--format", "csv", "--trace-format", "oracleGeneral",
            in: folder.path)
        let misses = { (text: String) in
            text.split(whereSeparator: \.isNewline).dropFirst().map {
                $0.split(separator: ",", omittingEmptySubsequences: false)[6]
            }
        }
        #expect(misses(before.output) == misses(after.output))
    }
}
