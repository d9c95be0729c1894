import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Schedules
import TestTiers
import Testing
import TrialTestSupport

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// Trials whose operations are recorded and judged, in the tests' own process.
@Suite(.timeLimit(.minutes(3)))
struct CheckedTrialTests {
    /// Several clients, every kind of operation, and a second phase that continues where the first one ended.
    static func scenario(keys: Int = 60) -> Scenario {
        Scenario(
            name: "checked", title: "", seed: 3, repetitions: 1,
            keys: KeySpace(kind: .integer, count: keys, popularity: .zipf(exponent: 0.9)),
            values: ValueSpecification(kind: .bytes, size: .fixed(128)), capacity: Capacity(entries: 30),
            origin: OriginSpecification(kind: .memory, delay: .fixed(50_000)), strategies: nil,
            phases: [
                Phase(
                    name: "first", length: .operations(2_000), clients: 3,
                    mix: OperationMix([.read: 5, .load: 2, .write: 2, .remove: 0.5, .clear: 0.01]), warmUp: true),
                Phase(
                    name: "second", length: .operations(600), clients: 4,
                    mix: OperationMix([.read: 5, .load: 2, .write: 2, .burst: 1]), burstWidth: 4,
                    cancel: Cancellation(share: 0.2, after: 20_000)),
            ]
        ).checkable()
    }

    static func findings(_ name: String, _ scenario: Scenario = scenario()) async throws -> [PromiseFinding] {
        let messages = try await TrialInTests.messages(name, scenario)
        let all = messages.compactMap { if case .judged(let findings) = $0 { findings } else { nil } }
        return try #require(all.first)
    }

    private static let names =
        TestTier.isNightly
        ? StrategyRegistry.builtIn.defaults.map(\.declaration.name)
        : ["lru", "actor", "disk", "expiring", "barrier-nscache", "lock-dual"]

    @Test(arguments: names)
    func `no sound strategy is seen to break a promise`(name: String) async throws {
        let findings = try await Self.findings(name)
        let declaration = try #require(StrategyRegistry.builtIn[name]).declaration
        let isBounded = declaration.bounds.contains(.entries) && [.hard, .soft].contains(declaration.promises.limit)
        let judged = declaration.promises.judgedByHistory
        #expect(Set(findings.map(\.promise)).isSuperset(of: judged + (isBounded ? [.limits] : [])))
        for finding in findings {
            #expect(finding.verdict != .inconsistent, "\(finding)")
            // A flaw in the record makes everything unknown.
            #expect(finding.example?.summary.hasPrefix("invalid log") != true, "\(finding)")
        }
        #expect(findings.contains { $0.verdict == .consistent })
    }

    @Test func `a value that is sometimes stale breaks freshness`() async throws {
        let findings = try await Self.findings("stale")
        let freshness = try #require(findings.first { $0.promise == .freshness })
        #expect(freshness.verdict == .inconsistent)
        #expect(try #require(freshness.example).events.count >= 3)
        #expect(findings.first { $0.promise == .ownValues }?.verdict == .consistent)
    }

    @Test func `every operation of every phase is judged`() async throws {
        let messages = try await TrialInTests.messages("lru", Self.scenario())
        let sent = messages.reduce(UInt64(0)) { sum, message in
            if case .phaseFinished(let result) = message { sum + (result.trial.operations ?? 0) } else { sum }
        }
        let findings = messages.compactMap { if case .judged(let findings) = $0 { findings } else { nil } }
        let waited = try #require(findings.first?.first { $0.promise == .noLostCaller })
        #expect(waited.operationsChecked == sent)
    }

    @Test func `a trial that is not checked records nothing`() async throws {
        var scenario = Self.scenario()
        scenario.check = false
        let messages = try await TrialInTests.messages("lru", scenario)
        #expect(!messages.contains { if case .judged = $0 { true } else { false } })
    }

    @Test func `a phase that ends by the clock ends when its history would grow too large`() async throws {
        var scenario = Self.scenario()
        scenario.phases = [
            Phase(
                name: "long", length: .duration(nanoseconds: 60_000_000_000), clients: 2,
                mix: OperationMix([.burst: 1]), burstWidth: 512)
        ]
        #expect(scenario.checkedOperationLimit(ofPhase: 0) == Scenario.checkedOperationCountMax / 512)
        #expect(scenario.checkedOperationLimit(ofClientInPhase: 0) == Scenario.checkedOperationCountMax / 1024)
        scenario.phases[0].length = .operations(1_000_000_000)
        #expect(scenario.checkable().phases[0].length == .operations(Scenario.checkedOperationCountMax / 512))
    }
}
