import CacheStrategies
import HistoryChecking
import PersistentStrategies
import Testing

@testable import Conformance

/// What the model of the contract counts at the very end of a lifetime.
@Suite(.timeLimit(.minutes(1)))
struct ContractModelTests {
    private static func terms(_ lifetime: Duration) -> ContractTerms {
        ContractTerms(
            enforcesLimits: true, rules: LimitRules(), admitsAlways: true, mayRefuse: false, evictsOnlyWhenFull: true,
            neverCaches: false, lifetime: lifetime, isSliding: false, resolution: .zero, cachesErrors: false)
    }

    @Test(arguments: [(isFinal: true, expirations: 1), (false, nil)] as [(Bool, Int?)])
    func `a miss at that moment is an expiration, unless writes may be seen later`(isFinal: Bool, expirations: Int?) {
        var model = ContractModel(Self.terms(.seconds(60)))
        model.insert(.init(number: 1, size: 20, cost: 20), at: 0, now: .zero)
        #expect(model.allowed(0, at: .seconds(60)).mayBeAbsent)
        model.saw(nil, at: 0, now: .seconds(60), isFinal: isFinal)
        #expect(model.expirations == expirations)
    }

    @Test(arguments: ContractAnswer.allCases)
    func `a load at that moment counts one expiration, also where its fetch fails`(answer: ContractAnswer) async throws
    {
        let kit = ConformanceKit(ExpiringCache<String, TrackedValue>.self)
        let probe = ConformanceProbe(kit: kit, check: .everyWayInKeepsLifetimes)
        let script = ContractScript(
            setup: ContractSetup(entryLimit: 1_000, hasLifetime: true),
            steps: [
                .insert(0, .size(20)), .lookUp(0), .advance(0.5), .advance(0.5), .load(0, answer, onThread: false),
                .survey,
            ])
        var run = ContractRun(probe, script, Self.terms(probe.lifetime), folder: "end")
        let violation = try await run.run()
        #expect(violation == nil, "\(violation?.text ?? "")")
        #expect(run.evidence[.counts] == 1)
    }
}
