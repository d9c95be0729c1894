import Foundation
import TestTiers
import Testing

@testable import Mutants

/// Two readers and a writer in every order of their memory accesses. Orders that differ only in accesses to different
/// places count as one.
@Suite(.timeLimit(.minutes(10)))
struct SteppedReadersTests {
    @Test func `in every order reads agree with some sequential order, and no value is released in use`() {
        let mostOrders = TestTier.isNightly ? Int.max : 100
        let outcomes = ReaderScripts<SoundMemory>().outcomes(seed: 1, mostOrders: mostOrders)
        for outcome in outcomes {
            print(outcome)
            #expect(outcome.fault == nil)
            #expect((outcome.isComplete || !TestTier.isNightly) && outcome.orderCount > 20)
        }
        #expect(outcomes.count == 8)
    }

    // The zoo catches them with seed 1.
    @Test(.nightly, arguments: MutantZoo.all.filter { $0.family == .accesses }, [2, 3] as [UInt64])
    func `a reader or a writer with a fault is caught, in any order of exploration`(mutant: Mutant, seed: UInt64)
        async throws
    {
        let alarms = try #require(mutant.alarms)
        #expect(await alarms(seed, .all).map(\.check) == [.accesses], "seed \(seed)")
    }

    /// The number of distinct orders when each actor writes to these places in sequence.
    private func orderCount(_ actors: [[UInt]]) -> Int {
        let threads = actors.map { _ in StepThread() }
        defer { for thread in threads { thread.stop() } }
        let orders = StepOrders(seed: 7)
        var count = 0
        repeat {
            orders.begin()
            let run = StepRun(actorCount: actors.count) { orders.choose($0) }
            run.run(
                actors.enumerated().map { actor, places in
                    {
                        for place in places {
                            run.take(Step(place: place, isWrite: true, name: "writes"), by: actor)
                        }
                    }
                }, on: threads)
            if !orders.isRepeated { count += 1 }
        } while orders.advance()
        return count
    }

    @Test func `all orders of accesses to one place are tried, and only one of accesses to different places`() {
        #expect(orderCount([[1, 1], [1, 1]]) == 6)
        #expect(orderCount([[1, 1], [1, 1], [1, 1]]) == 90)
        #expect(orderCount([[1, 1], [2, 2], [3, 3]]) == 1)
        #expect(orderCount([[1, 9], [2, 9], [9, 3]]) == 6)
    }
}
