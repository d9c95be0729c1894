import Foundation
import TestTiers
import Testing

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
