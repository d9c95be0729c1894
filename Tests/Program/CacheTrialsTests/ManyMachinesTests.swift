import ArgumentParser
import Foundation
import TestTiers
import Testing

@testable import CacheTrials

/// The command lines of the page *Many machines*, as far as one machine has their programs.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ManyMachinesTests {
    /// Whether programs are installed and this user may start their servers.
    private static func has(_ programs: String..., asRoot: Bool = true) -> Bool {
        guard !asRoot || getuid() == 0 else { return false }
        let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin"]
        return programs.allSatisfy { program in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }

    private static let hasSlurm = has("munged", "slurmctld", "slurmd", "sbatch")
    private static let hasParallel = has("parallel", asRoot: false)
    private static let hasServer = has("parallel", "sshd", "ssh", "rsync")

    /// The lines of a section of the page, with the scenarios of the test.
    private static func lines(of section: String) throws -> String {
        let page = try String(
            contentsOfFile: "\(Program.root)/Sources/Program/CacheTrials/Sharding/README.md", encoding: .utf8)
        let part = try #require(page.components(separatedBy: "## \(section)\n").dropFirst().first)
        let block = try #require(part.components(separatedBy: "```sh\n").dropFirst().first)
        let code = try #require(block.components(separatedBy: "```").first)
        return code.replacing("Scenarios --repetitions 10", with: "first.yaml second.yaml")
    }

    @Test(.nightly, .enabled(if: hasSlurm, "needs root and Slurm: scripts/bootstrap --clusters"))
    func `a Slurm array merges to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        // `sbatch --wait` polls only every ten seconds.
        let code = try Self.lines(of: "Slurm").replacing("sbatch --wait", with: "sbatch")
        _ = try sweep.folder.write(
            code.replacing(
                "\ncache-trials merge",
                with: "\nwhile [ -n \"$(squeue --noheader)\" ]; do sleep 0.2; done\ncache-trials merge"),
            to: "slurm.sh")
        try await sweep.run(#"exec "$CLUSTERS/one-node-slurm" sh -e slurm.sh"#)
        try ShardedSweep.expectEqual(sweep.path("merged"), whole)
    }

    @Test(.nightly, .enabled(if: hasParallel, "needs GNU parallel: scripts/bootstrap --clusters"))
    func `jobs of parallel, one of them killed before, merge to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        let killed = try Program.start(
            ["run"] + sweep.scenarios + ["--shard", "1/4", "--output", sweep.path("results/1"), "--quiet"])
        // When its shard is over before that, there is nothing to kill.
        _ = try await killed.holdTrial()
        killed.send(signal: SIGKILL)
        _ = await killed.ending()
        // The plan holds the paths of files only as digests, so that they may differ.
        try await sweep.run(try Self.lines(of: "GNU parallel"))
        try ShardedSweep.expectEqual(sweep.path("merged"), whole)
    }

    @Test(.nightly, .enabled(if: hasParallel, "needs GNU parallel: scripts/bootstrap --clusters"))
    func `a queue that takes the units of a plan merges to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        try await sweep.run(try Self.lines(of: "A queue that balances"))
        try ShardedSweep.expectEqual(sweep.path("merged"), whole)
        let plan = try String(contentsOfFile: sweep.path("plan.csv"), encoding: .utf8)
        #expect(plan.split(whereSeparator: \.isNewline).count == 5)
    }

    // MARK: Kubernetes

    /// The job of the page.
    private static func job() throws -> String {
        let page = try String(
            contentsOfFile: "\(Program.root)/Sources/Program/CacheTrials/Sharding/README.md", encoding: .utf8)
        let part = try #require(page.components(separatedBy: "## Kubernetes\n").dropFirst().first)
        let block = try #require(part.components(separatedBy: "```yaml\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    @Test func `the job for Kubernetes has twenty lines, one word to replace, and as many parts as it says`() throws {
        let job = try Self.job()
        #expect(job.split(separator: "\n").count <= 20)
        #expect(job.components(separatedBy: "IMAGE").count == 2)
        let parts = try #require(job.firstMatch(of: /completions: (\d+)/)).1
        let variable = try #require(job.firstMatch(of: /name: (JOB_\w+), value: "(\d+)"/))
        #expect(variable.1 == "JOB_COMPLETIONS" && variable.2 == parts)
        for index in 0..<(Int(parts) ?? 0) {
            let environment = [String(variable.1): String(variable.2), "JOB_COMPLETION_INDEX": "\(index)"]
            #expect(try Shard.parse("auto", in: environment) == Shard(argument: "\(index + 1)/\(parts)"))
        }
        let command = try #require(job.firstMatch(of: /args: \["cache-trials (.*)"\]/)).1
        let words = command.replacing("--shard auto", with: "--shard 1/4").split(separator: " ").map(String.init)
        _ = try CacheTrialsCommand.parseAsRoot(words.map { $0 == "Scenarios" ? "\(Program.root)/Scenarios" : $0 })
    }

    private static let validator = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/kubernetes-validate" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: validator != nil, "needs kubernetes-validate: pip install kubernetes-validate"))
    func `the job for Kubernetes has the keys of its schema`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(try Self.job(), to: "job.yaml")
        let tool = try #require(Self.validator)
        let ending = try await Program.start(tool: tool, ["--strict", "-k", "1.33", file]).ending()
        #expect(ending.exitCode == 0, "\(ending.output)\(ending.errors)")
    }

    @Test(.nightly, .enabled(if: hasServer, "needs root, GNU parallel and an SSH server: scripts/bootstrap --clusters"))
    func `shards go to hosts over SSH and their results come back`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        let code = try Self.lines(of: "SSH").replacing("alpha,beta", with: "$SSH_HOSTS")
            .replacing("cache-trials run", with: "\(Program.path) run")
            .replacing("--transferfile Scenarios", with: "--transferfile first.yaml --transferfile second.yaml")
        _ = try sweep.folder.write(code, to: "ssh.sh")
        try await sweep.run(#"exec "$CLUSTERS/local-sshd" sh -e ssh.sh"#)
        try ShardedSweep.expectEqual(sweep.path("merged"), whole)
    }
}
