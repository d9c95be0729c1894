import HistoryChecking
import Mutants
import TestTiers
import Testing
import TrialModel

@testable import Schedules
@testable import SchedulesTests

/// Each planted fault is caught by the check that is meant for it, and nothing is found where there is no fault.
@Suite(.timeLimit(.minutes(5)))
struct SharedLoadMutantTests {
    static let seeds: [UInt64] = [1, 1_000_000, 2_000_000]
    static let schedules = SharedLoadMutant.schedules

    // The zoo catches them with one seed.
    @Test(.nightly, arguments: SharedLoadMutant.all.filter { !$0.isDeadly }, seeds)
    func `a planted fault is caught by the check that is meant for it`(mutant: SharedLoadMutant, seed: UInt64) throws {
        let report = try mutant.explorer.explore(ExplorationTests.plan(seed: seed, schedules: Self.schedules))
        #expect(report.broken.contains(mutant.expectedPromise), "broken: \(report.broken), seed \(seed)")
    }

    // As many schedules over all seeds as all mutants have with one.
    @Test(arguments: TestTier.isNightly ? seeds : [1]) func `the sound cache has no findings`(seed: UInt64) throws {
        let schedules = Self.schedules * SharedLoadMutant.all.count / Self.seeds.count
        let report = try SharedLoadMutant.sound.explore(ExplorationTests.plan(seed: seed, schedules: schedules))
        #expect(report.broken == [], "seed \(seed)")
        #expect(report.endlessSeed == nil)
    }

    @Test func `a continuation that is resumed twice ends the process`() async throws {
        // The mutant with that fault, by its name: an exit test captures nothing.
        await #expect(processExitsWith: .failure) {
            guard let mutant = SharedLoadMutant.all.first(where: \.isDeadly) else { return }
            _ = try mutant.explorer.explore(
                ExplorationPlan().with { ($0.strategy, $0.schedules, $0.shrinks) = (mutant.name, 800, false) })
        }
    }

    @Test func `all mutants have different names`() {
        #expect(Set(SharedLoadMutant.all.map(\.name)).count == 19)
    }
}
