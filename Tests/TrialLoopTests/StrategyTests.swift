import CacheStrategies
import Foundation
import Payloads
import Testing
import TrialModel

import BuiltInStrategies
import CacheTestSupport
@testable import TimedStrategies
@testable import TrialLoop

/// Strategies of other packages, in their boxes.
@Suite(.timeLimit(.minutes(2)))
struct BoxedStrategyTests {
    private static let boxed = [
        "lru": Strategy(
            LRUCache<String, Payload>.declaration, integer: BoxedTrial(LRUCache<Int, Payload>.self),
            string: BoxedTrial(LRUCache<String, Payload>.self), url: BoxedTrial(LRUCache<URL, Payload>.self)),
        "actor": Strategy(
            ActorCache<String, Payload>.declaration, integer: BoxedTrial(ActorCache<Int, Payload>.self),
            string: BoxedTrial(ActorCache<String, Payload>.self), url: BoxedTrial(ActorCache<URL, Payload>.self)),
    ]

    private static func results(
        of registration: Strategy, _ scenario: Scenario
    ) async throws -> [PhaseResult] {
        try await TrialInTests.messages(of: registration, scenario).compactMap {
            if case .phaseFinished(let result) = $0 { result } else { nil }
        }
    }

    @Test(arguments: ["lru", "actor"], KeyKind.allCases)
    func `a strategy in a box gives the answers that it gives without`(name: String, keys: KeyKind) async throws {
        let scenario = TrialTests.scenario(keys: keys)
        let direct = try await TrialInTests.run(name, scenario)
        let boxed = try await Self.results(of: try #require(Self.boxed[name]), scenario)
        #expect(boxed.map(\.trial.key.phase) == direct.map(\.trial.key.phase))
        #expect(boxed.map(\.trial.driver) == direct.map(\.trial.driver))
        #expect(boxed.allSatisfy { $0.trial.status == .completed && $0.trial.wrongAnswers == 0 })
        let alone = zip(direct, boxed).first { $0.0.trial.key.phase == "one" }
        #expect(alone?.0.hitRate?.lookups == alone?.1.hitRate?.lookups)
        #expect(alone?.0.hitRate?.hits == alone?.1.hitRate?.hits)
        #expect(alone?.0.hitRate?.evictions == alone?.1.hitRate?.evictions)
        #expect((alone?.1.hitRate?.hits ?? 0) > 0)
    }

    @Test func `a synchronous strategy in a box runs in tasks where a phase says so`() async throws {
        var scenario = TrialTests.scenario(keys: .string)
        for index in scenario.phases.indices { scenario.phases[index].driver = .tasks }
        let results = try await Self.results(of: try #require(Self.boxed["lru"]), scenario)
        #expect(results.count == scenario.phases.count)
        #expect(results.allSatisfy { $0.trial.driver == .tasks && $0.trial.status == .completed })
    }

    @Test func `a promise is asked of the strategy and not of its box`() async throws {
        let registry = StrategyRegistry([try #require(Self.boxed["lru"])])
        let probe = PromiseProbe(strategy: "lru", capacity: Capacity(entries: 10), promise: .limits)
        let report = try await probe.report(registry: registry)
        #expect(report.checked > 0)
        #expect(report.failures == [])
    }

    @Test func `a strategy with whole numbers alone is asked with those`() async throws {
        let registration = Strategy(
            LRUCache<Int, Payload>.declaration, integer: BoxedTrial(LRUCache<Int, Payload>.self))
        let probe = PromiseProbe(strategy: "lru", capacity: Capacity(entries: 10), promise: .admission)
        let report = try await probe.report(registry: StrategyRegistry([registration]))
        #expect(report.admission?.admitted == report.admission?.offered)
    }

    @Test func `a trial with keys of another kind says so`() async throws {
        let registration = Strategy(
            LRUCache<Int, Payload>.declaration, integer: BoxedTrial(LRUCache<Int, Payload>.self))
        #expect(registration.takes(.integer) && !registration.takes(.string) && !registration.takes(.url))
        await #expect {
            _ = try await TrialInTests.messages(of: registration, TrialTests.scenario(keys: .url))
        } throws: {
            "\($0)" == "lru has no type for url keys"
        }
    }
}

/// Names of strategies that a program adds.
@Suite(.timeLimit(.minutes(1)))
struct OwnStrategyNameTests {
    private static func registration(_ name: String) -> Strategy {
        Strategy(
            StrategyDeclaration(name: name, summary: "for a test"), integer: BoxedTrial(LRUCache<Int, Payload>.self))
    }

    private static func added(_ names: String...) throws(StrategyNameError) -> [String] {
        try StrategyRegistry.builtIn.adding(names.map(registration), reserved: ["all"]).names
    }

    @Test func `own strategies stand behind those that are built in`() throws {
        #expect(try Self.added("mine", "my-2nd") == StrategyRegistry.builtIn.names + ["mine", "my-2nd"])
    }

    @Test func `a name that is taken is refused`() {
        #expect {
            _ = try Self.added("mine", "lru")
        } throws: {
            "\($0)" == "there is a strategy called 'lru' already (least recently used, bounded by entries and by cost, "
                + "behind one lock); give yours another name in its declaration"
        }
    }

    @Test func `two own strategies can't have one name`() {
        #expect(throws: StrategyNameError.taken("mine", by: "for a test")) { _ = try Self.added("mine", "mine") }
    }

    @Test func `a group's name is refused`() {
        #expect(throws: StrategyNameError.reserved("all")) { _ = try Self.added("all") }
    }

    @Test(arguments: ["", "My-Cache", "my cache", "my--cache", "-mine", "a,b", "müde"])
    func `what is not kebab-case is refused`(name: String) {
        #expect(throws: StrategyNameError.notKebabCase(name)) { _ = try Self.added(name) }
    }
}
