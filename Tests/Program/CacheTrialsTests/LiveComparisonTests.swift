import Foundation
import Reports
import Testing
import TrialModel

/// `compare --live`, with real trials of the built program.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct LiveComparisonTests {
    private static let scenario = SmallScenario.text(
        strategies: "lru, none", mix: "load: 1", operations: 4_000)

    private let folder: TemporaryFolder
    private let file: String
    private let output: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write(Self.scenario, to: "small.yaml")
        output = "\(folder.path)/out"
    }

    private func compare(_ arguments: String...) async throws -> Program.Ending { try await compare(arguments) }

    /// Compares two programs, which are the first of the arguments.
    private func compare(_ arguments: [String]) async throws -> Program.Ending {
        let command = ["compare", "--live"] + arguments.prefix(2) + [file] + arguments.dropFirst(2)
        return await Program.here(command + ["--strategies", "lru", "--output", output, "--quiet"])
    }

    /// How many rounds both sides have in common.
    private func rounds() throws -> Int {
        let sides = try ["baseline", "candidate"].map { try ResultFolder.read(at: "\(output)/\($0)") }
        let rounds = sides.map { Set($0.map(\.trial.key.repetition)) }
        #expect(rounds[0] == rounds[1])
        for side in sides {
            #expect(side.allSatisfy { $0.trial.status == .completed }, "\(side.map(\.trial))")
            #expect(side.count == 2 * rounds[0].count)
            #expect(side.filter { !$0.slices.isEmpty }.count == rounds[0].count, "\(side.map(\.trial.reason))")
        }
        return rounds[0].count
    }

    @Test func `two programs take turns until all is decided, and --resume continues`() async throws {
        // With such differences all is decided as soon as there are enough rounds, on a busy machine as well.
        let lenient = ["throughput", "p50", "p99"].flatMap { ["--smallest-difference", "\($0)=2000%"] }
        let first = try await compare([Program.path, Program.path, "--budget", "1h"] + lenient)
        #expect(first.exitCode == 0, "\(first.errors)")
        let rounds = try rounds()
        #expect(rounds > 0)
        let figures = try ResultFolder.rows(of: ComparisonRow.self, at: output)
        #expect(figures.map(\.metric) == ["throughput", "p50", "p99", "hit_ratio"])
        #expect(figures.map(\.sampledIn) == [.slices, .slices, .repetitions, .repetitions])
        #expect(figures.allSatisfy { $0.strategy == "lru" && $0.candidateRepetitions == UInt64(rounds) })
        // One client sends the same operations to both.
        #expect(figures.last?.verdict == .same)

        let rest = try await compare([Program.path, Program.path, "--budget", "1h", "--resume"] + lenient)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        #expect(try self.rounds() >= rounds)
        #expect(try ResultFolder.rows(of: ComparisonRow.self, at: output).count == 4)
    }

    @Test func `a program that can't be interleaved is harness trouble, and the line says what to do`() async throws {
        let answer = #"{"waiting":{"version":0,"phase":0}}"#
        let body = "read -r line; printf '%s\\n' '\(answer)'; read -r more"
        let other = try folder.write("#!/bin/sh\n\(body)\n", to: "other-trials")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other)
        let ending = try await compare(Program.path, other, "--budget", "20s")
        #expect(ending.exitCode == 2, "\(ending.errors)")
        let line =
            "\(other) does not alternate in slices as this program does: it is another version. Build both sides from versions that "
            + "do, or run each alone in alternation and compare the folders with --paired"
        #expect(ending.errors.contains(line), "\(ending.errors)")
    }

    /// Writes a program for `/bin/sh`.
    private func script(_ text: String, to path: String) throws {
        let path = try folder.write("#!/bin/sh\n\(text)\n", to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    // `tee` was not waited for: the log was read before it was written. Folders of another version were refused.
    @Test func `the action compares whole trials where the base is of a version without slices`() async throws {
        for name in ["baseline", "candidate", "bin"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        _ = try folder.write(Self.scenario, to: "candidate/small.yaml")
        try script(
            """
            case $2 in --live) echo "$3 does not alternate in slices as this program does" >&2; exit 2 ;; esac
            exec '\(Program.path)' "$@"
            """, to: "candidate/program")
        try script(
            """
            '\(Program.path)' "$@" || exit
            sed -i 's/"tool_version" : "/&0.0./' results/baseline/run.json
            """, to: "baseline/program")
        try script("log=$(cat) && echo \"$log\" > \"$1\" && echo \"$log\"", to: "bin/tee")
        let settings =
            "PATH='\(folder.path)/bin':\"$PATH\" PROGRAM=program SCENARIOS=small.yaml STRATEGIES=lru METRICS=hit_ratio "
            + "BUDGET=1s REPETITIONS=1 FAIL_ON=never '\(Program.root)/.github/actions/compare/compare.sh'"
        let ending = try await Program.start(tool: "bash", ["-c", settings], in: folder.path).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("warning: allowed to differ: version of cache-trials: 0.0."), "\(ending.errors)")
        let comment = try String(contentsOfFile: "\(folder.path)/results/comment.md", encoding: .utf8)
        #expect(comment.contains("1 values: 0 worse, 0 better, 1 same"), "\(comment)")
    }

    /// A program that lacks a strategy, and does not know a key: an older one.
    private func older() throws -> String {
        let path = try folder.write(
            """
            #!/bin/sh
            case $1 in
            list) '\(Program.path)' "$@" | sed 's/^none,baseline,/none,off,/' ;;
            validate) grep -H -n -o 'column' "$3" "$4" | sed 's/:column$/:1: column: found an unknown key, allowed: title/' >&2 ;;
            *) exec '\(Program.path)' "$@" ;;
            esac
            """, to: "older")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    // Trials of the strategy took half of the time, and the key was dropped without a word.
    @Test func `what one program lacks is named, and the rest is compared`() async throws {
        let other = try folder.write("column: new\n" + Self.scenario, to: "new.yaml")
        let ending = await Program.here([
            "compare", "--live", try older(), Program.path, file, other, "--smallest-difference", "throughput=2000%",
            "--metrics", "throughput", "--budget", "1h", "--output", output, "--quiet", "--format", "github",
        ])
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = [
            "none: only in the candidate",
            "\(other): only for the candidate, because the baseline reads it as bad: 1:1: column: found an unknown key",
        ]
        #expect(lines.allSatisfy { ending.errors.contains("note: \($0)\n") }, "\(ending.errors)")
        #expect(ending.output.contains("Not compared:\n\n- none: only in the candidate\n"), "\(ending.output)")
        let rows = try ResultFolder.rows(of: ComparisonRow.self, at: output)
        #expect(rows.map(\.strategy) == ["lru"] && rows[0].scenario.name == "small")
    }

    @Test(arguments: [["none"], ["none", "lru"]])
    func `programs that have nothing in common are harness trouble`(strategies: [String]) async throws {
        let other = try folder.write("column: new\n" + Self.scenario, to: "new.yaml")
        let ending = await Program.here([
            "compare", "--live", try older(), Program.path, strategies.count == 1 ? file : other, "--strategies",
            strategies.joined(separator: ","), "--output", output,
        ])
        #expect(ending.exitCode == 2)
        #expect(
            ending.errors.contains("the two programs have nothing in common to compare: none: only in the candidate"))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `a missing program is named before any output is created`() async throws {
        let ending = try await compare(Program.path, "\(folder.path)/none")
        #expect(ending.exitCode == 2)
        #expect(
            ending.errors.contains(
                "\(folder.path)/none: could not start: no program is there; build it, or name its file"))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `a missing folder can't be resumed`() async throws {
        let ending = try await compare(Program.path, Program.path, "--resume")
        #expect(ending.exitCode == 65, "\(ending.errors)")
    }

    @Test(arguments: [[], ["old"], ["old", "new"]])
    func `both programs and a scenario have to be named`(names: [String]) async throws {
        let ending = await Program.here(["compare", "--live"] + names)
        #expect(ending.exitCode == 64)
        let line =
            "'--live' needs the baseline's program, the candidate's, and scenarios: compare --live "
            + "old/cache-trials new/cache-trials Scenarios/scan.yaml"
        #expect(ending.errors.contains(line), "\(ending.errors)")
    }

    @Test(arguments: [
        ["--within", "folder"], ["--baseline-strategy", "lru"], ["--paired"], ["--machine", "EPYC"],
        ["--allow-different", "machine"],
    ])
    func `flags about result folders are refused with it`(arguments: [String]) async throws {
        let live = ["compare", "--live", "old", "new", "Scenarios/scan.yaml"]
        let ending = await Program.here(live + arguments)
        #expect(ending.exitCode == 64)
        #expect(
            ending.errors.contains(
                "'\(arguments[0])' is for result folders, and '--live' runs programs: leave one of them out."),
            "\(ending.errors)")
    }

    @Test func `--resume needs the folder to continue in`() async throws {
        let ending = await Program.here("compare", "--live", "old", "new", "Scenarios/scan.yaml", "--resume")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--resume' needs the folder to continue in: add '--output FOLDER'."))
    }

    @Test(arguments: [["--budget", "5s"], ["--deadline", "5s"], ["--resume"], ["--quiet"]])
    func `flags about programs need --live`(arguments: [String]) async throws {
        let ending = await Program.here(["compare", "before", "after"] + arguments)
        #expect(ending.exitCode == 64)
        #expect(
            ending.errors.contains("'\(arguments[0])' is for programs that alternate: add '--live'."),
            "\(ending.errors)")
    }
}
