import ReliabilityChecks
import Testing

@testable import Mutants

/// The plain cache with a file for each entry, without a fault and with one, under the checks of files.
@Suite(.timeLimit(.minutes(5)))
struct DiskMutantTests {
    private static let seed: UInt64 = 11

    @Test func `no check of files finds anything wrong with the sound base`() async throws {
        #expect(await DiskMutant.sound.alarms(seed: Self.seed, .all).isEmpty, "seed \(Self.seed)")
    }

    @Test func `a cache that doesn't check its files serves what a loss of power left of them`() async throws {
        let mutant = try #require(DiskMutant.all.first { $0.name == "no-checksum" })
        let tally = try await PowerLossCheck(mutant.keeper, seed: Self.seed).run(
            CheckBudget(countMax: 2_000, endsWithFailure: true))
        #expect(tally.firstFailure?.contains("never written") == true, "\(tally.line)")
    }
}
