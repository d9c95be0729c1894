import Origins
import Testing
import TrialModel

@testable import TrialLoop

/// The names under which the fixture server keeps its log of trials.
@Suite(.timeLimit(.minutes(1)))
struct TrialNameTests {
    private static func name(_ scenario: ScenarioPoint, _ strategy: String = "lru", step: Int? = nil) -> String {
        TrialSpecification(
            identity: TrialIdentity(scenario: scenario, strategy: strategy, repetition: 2),
            scenario: Scenario(
                name: scenario, title: "", seed: 1, repetitions: 1,
                keys: KeySpace(kind: .integer, count: 1, popularity: .uniform),
                values: ValueSpecification(kind: .bytes, size: .fixed(1)), capacity: Capacity(entries: 1),
                origin: OriginSpecification(kind: .server, delay: .fixed(0)), strategies: nil, phases: []),
            originAddress: nil, directory: "", step: step
        ).trialName
    }

    @Test func `a point of a sweep has a name that the server takes`() {
        #expect(Self.name("scan") == "scan.lru.2")
        #expect(Self.name("scan", "shared+lru", step: 3) == "scan.shared_lru.2.3")
        var points: Set<String> = []
        for dimension in SweepDimension.allCases {
            for value in [1.0, 1e18, 0.000_001, 12.5] {
                let name = Self.name(ScenarioPoint(named: "scan", [dimension: value]))
                #expect(OriginRoute.isTrialName(name), "\(name)")
                points.insert(name)
            }
        }
        #expect(Self.name(ScenarioPoint(named: "scan", [.capacity: 500])) == "scan_capacity_500.lru.2")
        #expect(
            points.count
                == Set(
                    SweepDimension.allCases.flatMap { dimension in
                        [1.0, 1e18, 0.000_001, 12.5].map { ScenarioPoint(named: "scan", [dimension: $0]) }
                    }
                ).count)
    }
}
