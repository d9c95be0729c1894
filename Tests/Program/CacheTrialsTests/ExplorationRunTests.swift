import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// `explore`, through the program.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ExplorationRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let scenario = SmallScenario.explored(clients: 1, operations: 2000)

    private func run(
        _ arguments: String...
    ) async throws -> (ending: Program.Ending, output: String) {
        try await run(arguments)
    }

    private func run(
        _ arguments: [String]
    ) async throws -> (ending: Program.Ending, output: String) {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out-\(UInt64.random(in: 0..<UInt64.max))"
        return (try await Program.start(["explore", file, "--output", output, "--quiet"] + arguments).ending(), output)
    }

    @Test func `the sound actor passes, and its schedules are the same in every process`() async throws {
        let count = UInt64(TestTier.cases(500))
        let (first, output) = try await run("--orders", "\(count)", "--strategies", "actor")
        #expect(first.exitCode == 0, "\(first.errors)")
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
        #expect(rows.count == 12 && rows.allSatisfy { $0.verdict == .consistent && $0.schedules == count })
        // Tasks switch at every lock, and not at the counts of its NSCache.
        #expect(rows.allSatisfy { $0.switchedAt.hasPrefix("tasks and actors, locks") && $0.unseen.isEmpty })
        #expect(rows.allSatisfy { $0.switchedAt.hasSuffix(" (not at atomics or Mutex)") })
        let (_, again) = try await run("--orders", "\(count)", "--strategies", "actor")
        #expect(try ResultFolder.rows(of: ExplorationRow.self, at: again) == rows)
        guard TestTier.isNightly else { return }
        let (_, other) = try await run(
            "--orders", "\(count)", "--seed", "9", "--strategies", "actor")
        #expect(try ResultFolder.rows(of: ExplorationRow.self, at: other).first?.traceDigest != rows.first?.traceDigest)
    }

    @Test(.nightly) func `a published fault is an expected finding, and its smallest script reproduces it`()
        async throws
    {
        let (ending, output) = try await run("--orders", "2000", "--strategies", "published-actor")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
        let row = try #require(rows.first { $0.promise == .singleFlight })
        #expect(row.verdict == .inconsistent)
        let seed = try #require(row.firstSeed)
        #expect(row.replayCommand.hasSuffix("--strategies published-actor --orders 1 --seed \(seed)"))
        #expect(ending.errors.contains("two requests for key 0 were in flight at once"))

        let scriptSeed = try #require(row.scriptSeed)
        let replay = "\(folder.path)/replay"
        let again = try await Program.run(
            "explore", "\(output)/\(row.scriptFile)", "--orders", "1", "--seed", "\(scriptSeed)", "--output",
            replay)
        #expect(again.exitCode == 0, "\(again.errors)")
        let replayed = try ResultFolder.rows(of: ExplorationRow.self, at: replay)
        #expect(replayed.first { $0.promise == .singleFlight }?.verdict == .inconsistent)
        #expect(replayed.first { $0.promise == .singleFlight }?.firstSeed == scriptSeed)
    }

    @Test func `strategies that can't be ordered are named, and are wrong usage when there are no others`() async throws
    {
        let (ending, _) = try await run("--orders", "10", "--strategies", "unsynchronized,leaky-loads")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("Not explorable, because it names no type to explore: unsynchronized"))
        #expect(
            ending.errors.contains(
                "Not explorable, because it works on its own threads, or has no explorer: "
                    + "leaky-loads"))
    }
}
