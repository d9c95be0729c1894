import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct OriginRouteTests {
    @Test(arguments: [
        (OriginRoute.help, "/"),
        (.trial("a.b_c-9"), "/trials/a.b_c-9"),
        (.value(trial: "a", key: .max, phase: .max), "/trials/a/values/18446744073709551615?phase=65535"),
        (.log(trial: "a", phase: nil), "/trials/a/log"),
        (.log(trial: "a", phase: 0), "/trials/a/log?phase=0"),
        (.entries(trial: "a", phase: nil), "/trials/a/log/entries"),
        (.entries(trial: "a", phase: 12), "/trials/a/log/entries?phase=12"),
    ])
    func `a route is read back from its path`(route: OriginRoute, path: String) throws {
        #expect(route.path == path)
        let parts = path.split(separator: "?").map(String.init)
        #expect(try OriginRoute(path: parts[0], query: parts.count > 1 ? parts[1] : nil) == route)
    }

    @Test(arguments: ["", "a/b", "a b", "ä", "a%20b", String(repeating: "a", count: 201), "a\n"])
    func `an id that needs escaping, is empty or too long is not an id`(id: String) {
        #expect(!OriginRoute.isTrialName(id))
    }

    @Test func `a delay is a pure function of seed, key and version`() {
        let spread = Distribution.uniform(min: 0, max: 1_000_000)
        let registration = TrialRegistration(
            seed: 7, values: ValueSpecification(kind: .bytes, size: .fixed(64)),
            origin: OriginSpecification(kind: .server, delay: spread)
        )
        let sampler = DistributionSampler(spread)
        func delays() -> [UInt64] {
            (0..<100).map { registration.delay(key: $0 / 10, version: $0 % 10, phase: 0, sampler: sampler) }
        }
        #expect(delays() == delays())
        #expect(Set(delays()).count > 95)
    }
}
