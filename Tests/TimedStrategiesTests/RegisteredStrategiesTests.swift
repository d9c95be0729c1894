import BuiltInStrategies
import CacheStrategies
import Conformance
import Foundation
import Origins
import Testing
import TrialModel
import TrialSessions

@testable import TimedStrategies

/// The registry is the only list of strategies: every strategy that is added to it runs the conformance kit here.
@Suite(.timeLimit(.minutes(3)))
struct RegisteredStrategiesTests {
    static let names = StrategyRegistry.builtIn.defaults.map(\.declaration.name)

    @Test(arguments: names, ConformanceCheck.allCases)
    func `a registered strategy keeps the contract and its own promises`(
        name: String, check: ConformanceCheck
    ) async throws {
        let registration = try #require(StrategyRegistry.builtIn[name])
        let type = try #require(registration.stringKeyed)
        for failure in await Self.failures(of: type, check) { Issue.record("\(failure)") }
    }

    @Test func `names are kebab-case and unique`() {
        let names = StrategyRegistry.builtIn.names
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil })
    }

    @Test func `every strategy of the contract is registered`() {
        let expected: Set = [
            "barrier-nscache", "lock-dual", "actor", "lru", "disk", "expiring", "none", "unbounded", "unsynchronized",
            "published-barrier-nscache", "published-lock-dual", "published-actor", "published-disk",
            "published-expiring",
        ]
        #expect(expected.subtracting(StrategyRegistry.builtIn.names).isEmpty)
    }

    @Test func `controls and published caches run only when they are named`() {
        let roles = Set(StrategyRegistry.builtIn.defaults.map(\.declaration.role))
        #expect(roles == [.sound, .bound])
        for registration in StrategyRegistry.builtIn.strategies {
            let isPublished = registration.declaration.name.hasPrefix("published-")
            #expect(isPublished == (registration.declaration.role == .published), "\(registration.declaration.name)")
        }
    }

    @Test func `only a bound is unlimited`() {
        for registration in StrategyRegistry.builtIn.strategies where registration.declaration.bounds.isEmpty {
            #expect(registration.declaration.role != .sound, "\(registration.declaration.name)")
        }
    }

    /// Opens the type of the registration; its values are those of a trial.
    private static func failures<Strategy: CacheStrategy<String, Payload>>(
        of type: Strategy.Type, _ check: ConformanceCheck
    ) async -> [ConformanceFailure] {
        await PayloadKit.kit(for: type).failures(of: check)
    }
}
