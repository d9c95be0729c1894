import Foundation
import TestTiers
import Testing

/// Plans on the engines that they are made for, as far as one machine has them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct EngineTests {
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

    @Test(.nightly, .enabled(if: hasSlurm, "needs root and Slurm: scripts/bootstrap --clusters"))
    func `four shards in a Slurm array merge to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        _ = try await sweep.plan(4, "--for", "slurm")
        // `sbatch --wait` polls only every ten seconds.
        let array = #"sbatch "$PLAN/sbatch.sh" && while [ -n "$(squeue --noheader)" ]; do sleep 0.2; done"#
        try await sweep.run(#"exec "$ENGINES/one-node-slurm" sh -c '\#(array)'"#)
        try ShardedSweep.expectEqual(try await sweep.merge(), whole)
    }

    @Test(.nightly, .enabled(if: hasParallel, "needs GNU parallel: scripts/bootstrap --clusters"))
    func `four shards under parallel, one of them killed before, merge to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        let plan = try await sweep.plan(4, "--for", "parallel")
        let output = "\(plan)/results/shard-1"
        let killed = try Program.start(["run", "--shard", "\(plan)/shard-1.json", "--output", output, "--quiet"])
        // When its shard is over before that, there is nothing to kill, and `parallel` has one shard less to run.
        _ = try await killed.holdTrial()
        killed.send(signal: SIGKILL)
        _ = await killed.ending()
        try await sweep.run(#"exec "$PLAN/parallel.sh""#)
        try ShardedSweep.expectEqual(try await sweep.merge(), whole)
        // Started again, it has nothing left to run.
        try await sweep.run(#"exec "$PLAN/parallel.sh" && [ "$(grep -c . "$PLAN/joblog")" -eq 5 ]"#)
    }

    @Test(.enabled(if: hasParallel, "needs GNU parallel: scripts/bootstrap --clusters"))
    func `parallel finds a program whose path is relative to the current folder`() async throws {
        let sweep = try ShardedSweep()
        _ = try await sweep.plan(1, "--for", "parallel")
        try await sweep.run(
            #"mkdir bin && ln -s "$CACHE_TRIALS" bin/trials; export CACHE_TRIALS=bin/trials; exec "$PLAN/parallel.sh""#)
        #expect(FileManager.default.fileExists(atPath: sweep.path("plan/results/shard-1/verdict.json")))
    }

    @Test(.nightly, .enabled(if: hasServer, "needs root, GNU parallel and an SSH server: scripts/bootstrap --clusters"))
    func `shards go to hosts over SSH and their results come back`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        _ = try await sweep.plan(2, "--for", "parallel")
        try await sweep.run(#"exec "$ENGINES/local-sshd" sh -c 'HOSTS=$SSH_HOSTS exec "$PLAN/parallel.sh"'"#)
        try ShardedSweep.expectEqual(try await sweep.merge(), whole)
    }

    @Test func `the matrix of a workflow names every shard on one line`() async throws {
        let sweep = try ShardedSweep()
        let plan = try await sweep.plan(4, "--for", "github-matrix")
        let text = try String(contentsOfFile: "\(plan)/matrix.json", encoding: .utf8)
        #expect(text.split(separator: "\n").count == 1)
        let matrix = try JSONDecoder().decode([String: [Job]].self, from: Data(text.utf8))
        let jobs = try #require(matrix["include"])
        #expect(jobs.map(\.file) == (1...4).map { "shard-\($0).json" })
        for job in jobs { #expect(FileManager.default.fileExists(atPath: "\(plan)/\(job.file)")) }
    }

    private struct Job: Decodable {
        var name: String
        var file: String
        var number: Int
    }
}
