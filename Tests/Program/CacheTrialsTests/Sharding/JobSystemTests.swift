import ArgumentParser
import Reports
import Testing

@testable import CacheTrials

/// `--shard auto`, from the variables that clusters and pipelines set.
@Suite(.timeLimit(.minutes(10))) struct JobSystemTests {
    /// The second of four copies, as each system says it.
    private static let second: [String: [String: String]] = [
        "Slurm": [
            "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1",
            "SLURM_ARRAY_TASK_MAX": "4",
        ],
        "Kubernetes": ["JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "4"],
        "GitLab": ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"],
        "Buildkite": ["BUILDKITE_PARALLEL_JOB": "1", "BUILDKITE_PARALLEL_JOB_COUNT": "4"],
    ]

    private static func refusal(_ environment: [String: String]) -> String {
        let error = #expect(throws: ValidationError.self) { try Shard.parse("auto", in: environment) }
        return error?.message ?? ""
    }

    @Test(arguments: second.keys.sorted()) func `a system says which part this is`(system: String) throws {
        let environment = try #require(Self.second[system])
        let others = ["PATH": "/bin", "SLURM_PROCID": "0", "CI": "true", "BUILDKITE": "true"]
        let shard = try Shard.parse("auto", in: environment.merging(others) { own, _ in own })
        #expect(shard == Shard(argument: "2/4"))
    }

    @Test(arguments: JobSystem.all.map(\.name)) func `the copies of a system are all parts, each once`(
        name: String
    ) throws {
        let system = try #require(JobSystem.all.first { $0.name == name })
        let parts = try (0..<7).map { copy in
            var environment = [system.count: "7"]
            environment[system.number] = "\(system.first + copy)"
            for (bound, value) in zip(system.bounds, [system.first, system.first + 6]) {
                environment[bound] = "\(value)"
            }
            return try Shard.parse("auto", in: environment)
        }
        #expect(parts.map(\.number) == Array(1...7) && parts.allSatisfy { $0.count == 7 })
    }

    @Test(arguments: second.keys.sorted()) func `a variable that is missing is named, with those that are set`(
        system: String
    ) throws {
        let environment = try #require(Self.second[system])
        for missing in environment.keys {
            let text = Self.refusal(environment.filter { $0.key != missing })
            #expect(text.hasPrefix("\(missing) of \(system) is not set, and these are: "), "\(text)")
            for present in environment.keys where present != missing { #expect(text.contains(present), "\(text)") }
        }
    }

    @Test(
        arguments: second.keys.sorted(),
        ["", " 2", "2 ", "+2", "-1", "0x2", "2.0", "1e0", "٢", "２", "99999999999999999999", "two", "\u{1B}[2J", "2\n"])
    func `a value that is not a whole number is refused with its variable`(system: String, value: String) throws {
        let environment = try #require(Self.second[system])
        for variable in environment.keys {
            let text = Self.refusal(environment.merging([variable: value]) { $1 })
            #expect(text.contains("\(variable) of \(system) is \(String(reflecting: value)): "), "\(text)")
            #expect(text.contains("is allowed") && text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(text)")
        }
    }

    @Test func `a long value is cut in the message`() {
        let text = Self.refusal(["JOB_COMPLETION_INDEX": String(repeating: "9", count: 5000), "JOB_COMPLETIONS": "4"])
        #expect(text.utf8.count < 250, "\(text)")
    }

    @Test func `a number out of range is refused with the range and its reason`() {
        #expect(
            Self.refusal(["JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "4"]).hasPrefix(
                "JOB_COMPLETION_INDEX of Kubernetes is \"4\": a whole number from 0 to 3 is allowed, because "
                    + "JOB_COMPLETIONS is 4."))
        #expect(Self.refusal(["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "4"]).contains("from 1 to 4 is allowed"))
        #expect(Self.refusal(["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "0"]).contains("from 1 to 10000 is allowed"))
        #expect(Self.refusal(["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "10001"]).contains("from 1 to 10000 is allowed"))
    }

    @Test(
        arguments: [
            // Part 3 alone, parts 2 and 4 again, and one with a step.
            ("3", "1", "3", "3"), ("2", "2", "2", "4"), ("1", "2", "1", "3"), ("4", "4", "0", "12"),
        ])
    func `an array that is not whole is refused, because its numbers are not those of the first one`(
        id: String, count: String, first: String, last: String
    ) {
        let text = Self.refusal([
            "SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count, "SLURM_ARRAY_TASK_MIN": first,
            "SLURM_ARRAY_TASK_MAX": last,
        ])
        #expect(text.contains("Or write the part, such as '--shard 2/4'."), "\(text)")
    }

    @Test func `an array that begins at 0 is a whole one`() throws {
        let environment = [
            "SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "0",
            "SLURM_ARRAY_TASK_MAX": "2",
        ]
        #expect(try Shard.parse("auto", in: environment) == Shard(argument: "1/3"))
    }

    @Test func `without a system it says so, and names the variables of all`() {
        let text = Self.refusal(["PATH": "/bin", "SLURM_JOB_ID": "7"])
        #expect(text.hasPrefix("no system has numbered this job. None of these is set: "), "\(text)")
        for system in JobSystem.all { #expect(text.contains("\(system.number) and \(system.count)"), "\(text)") }
    }

    @Test func `two systems must agree`() throws {
        let agreeing = Self.second.values.reduce(into: [:]) { $0.merge($1) { own, _ in own } }
        #expect(try Shard.parse("auto", in: agreeing) == Shard(argument: "2/4"))
        let text = Self.refusal(agreeing.merging(["CI_NODE_INDEX": "3"]) { $1 })
        #expect(
            text.hasPrefix(
                "two systems have numbered this job: 2/4 by SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT of Slurm, 3/4 by "
                    + "CI_NODE_INDEX and CI_NODE_TOTAL of GitLab."), "\(text)")
        // One that is only half set can't agree.
        #expect(
            Self.refusal(agreeing.filter { $0.key != "CI_NODE_INDEX" }).hasPrefix(
                "CI_NODE_INDEX of GitLab is not set, and these are: CI_NODE_TOTAL (\"4\")"))
    }

    /// Runs a part that the job's variables name.
    private func run(_ sweep: ShardedSweep, _ words: [String], _ variables: String...) async throws -> Program.Ending {
        // These tests may run in a job that is numbered itself.
        let names = JobSystem.all.flatMap { [$0.number, $0.count] + $0.bounds }.map { "-u \($0)" }
        return try await Program.start(
            [words[0]] + sweep.scenarios + words.dropFirst() + ["--quiet", "--shard", "auto"],
            shell: "exec env \((names + variables).joined(separator: " ")) \"$@\""
        ).ending()
    }

    @Test func `wrong variables are wrong usage of the program`() async throws {
        let sweep = try ShardedSweep()
        let words = ["run", "--smoke", "--output", sweep.path("none")]
        let none = try await run(sweep, words)
        #expect(none.exitCode == 64 && none.errors.contains("None of these is set"), "\(none.errors)")
        let half = try await run(sweep, words, "JOB_COMPLETION_INDEX=1")
        #expect(half.exitCode == 64 && half.errors.contains("repeat 'completions' of the job"), "\(half.errors)")
    }

    @Test(arguments: [["run", "--smoke"], ["check", "--smoke", "--orders", "20"], ["explore", "--orders", "20"]])
    func `a verb reads the variables, and its parts merge`(words: [String]) async throws {
        let sweep = try ShardedSweep()
        for index in 0...1 {
            let part = try await run(
                sweep, words + ["--output", sweep.path("r/\(index + 1)")], "JOB_COMPLETION_INDEX=\(index)",
                "JOB_COMPLETIONS=2")
            #expect(part.exitCode == 0, "\(part.errors)")
            let shard = try ResultFolder.readRun(at: sweep.path("r/\(index + 1)")).shard
            #expect(shard?.label == "\(index + 1)/2")
        }
        _ = try await sweep.merge()
    }
}
