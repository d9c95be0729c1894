import CacheTestSupport
import ReliabilityChecks
import Testing

/// Every check can fail: each mutant is noticed by the one that is meant for it.
@Suite(.timeLimit(.minutes(5)))
struct DiskMutantTests {
    private static let checks: [String: @Sendable (FileKeeper, UInt64) async throws -> CheckTally] = [
        KillCheck.name: { try await KillCheck($0, seed: $1).runDeaths() },
        CorruptionCheck.name: { try await CorruptionCheck($0, seed: $1).run(CheckBudget(countMax: 240)) },
        HostileKeyCheck.name: { try await HostileKeyCheck($0, seed: $1).run() },
        DiskFaultCheck.name: { try await DiskFaultCheck($0, seed: $1).run() },
    ]

    @Test(arguments: DiskMutant.all, [1, 2, 3] as [UInt64])
    func `a mutant is noticed by its check`(mutant: DiskMutant, seed: UInt64) async throws {
        let check = try #require(Self.checks[mutant.expectedCheck])
        let tally = try await check(mutant.keeper, seed)
        #expect(tally.failures > 0, "\(mutant.name), seed \(seed): \(tally.line)")
        #expect(tally.isFailure)
    }

    @Test func `there are eight mutants with names of their own`() {
        #expect(Set(DiskMutant.all.map(\.name)).count == 8)
        #expect(HostileKeys.all.count == 64)
        #expect(Set(HostileKeys.all).count == 64)
    }
}
