import Testing
import WorkloadGeneration

@testable import TrialModel

/// Phases that mix several key pools.
@Suite(.timeLimit(.minutes(1)))
struct PoolStreamTests {
    /// Consecutive pools with a hundred keys each.
    private static func scenario(_ uses: [PoolUse], popularity: Popularity = .zipf(exponent: 0.9)) -> Scenario {
        var scenario = makeScenario(.uniform, keyCount: 300, mix: [.load: 1])
        scenario.pools = (0..<3).map {
            KeyPool(name: "pool-\($0)", first: $0 * 100, count: 100, popularity: popularity)
        }
        scenario.phases[0].pools = uses
        scenario.phases[0].mix = OperationMix(of: uses)
        return scenario
    }

    private static func use(_ pool: Int, _ weight: Double = 1, _ mix: [OperationKind: Double] = [.load: 1]) -> PoolUse {
        PoolUse(pool: pool, weight: weight, mix: OperationMix(mix))
    }

    @Test func `each pool gets its share of the operations`() {
        let scenario = Self.scenario([Self.use(0, 5), Self.use(1, 2), Self.use(2, 1)])
        var observed = [0, 0, 0]
        for operation in operations(of: scenario, count: 40_000) { observed[Int(operation.pool)] += 1 }
        // scipy.stats.chi2.ppf(0.9999, 2)
        #expect(chiSquare(observed, chances: [5 / 8, 2 / 8, 1 / 8]) < 18.4)
    }

    @Test(arguments: [.uniform, .zipf(exponent: 0.9), .latest(exponent: 0.9), .sequential] as [Popularity])
    func `an operation requests a key of its own pool`(popularity: Popularity) {
        let uses = (0..<3).map { Self.use($0, 1, [.load: 3, .write: 1]) }
        let all = operations(of: Self.scenario(uses, popularity: popularity), count: 3_000)
        #expect(all.allSatisfy { $0.key / 100 == $0.pool })
        #expect(Set(all.map(\.pool)).count == 3)
    }

    @Test func `each pool has a mix of its own`() {
        let scenario = Self.scenario([Self.use(0, 1, [.read: 3, .write: 1]), Self.use(2, 1, [.load: 1])])
        let all = operations(of: scenario, count: 20_000)
        #expect(Set(all.filter { $0.pool == 2 }.map(\.kind)) == [.load])
        let first = all.filter { $0.pool == 0 }
        let reads = first.count { $0.kind == .read }
        // scipy.stats.chi2.ppf(0.9999, 1)
        #expect(chiSquare([reads, first.count - reads], chances: [0.75, 0.25]) < 15.1)
    }

    @Test func `another mix or weight of one pool does not change the requests of another`() {
        let one = operations(of: Self.scenario([Self.use(0), Self.use(1)]), count: 2_000)
        let other = operations(
            of: Self.scenario([Self.use(0, 4, [.read: 1, .write: 2]), Self.use(1)]), count: 2_000)
        let (few, many) = (other.filter { $0.pool == 1 }, one.filter { $0.pool == 1 })
        #expect(few.count > 200 && few.count < many.count)
        #expect(few == Array(many.prefix(few.count)))
        let keys = one.filter { $0.pool == 0 }.map(\.key)
        #expect(other.filter { $0.pool == 0 }.prefix(keys.count).map(\.key) == keys)
    }

    @Test func `pools request different keys, each in its own order`() {
        let all = operations(of: Self.scenario([Self.use(0), Self.use(1)]), count: 2_000)
        let (one, other) = (all.filter { $0.pool == 0 }.map(\.key), all.filter { $0.pool == 1 }.map { $0.key - 100 })
        #expect(Array(one.prefix(500)) != Array(other.prefix(500)))
    }

    @Test(arguments: [.uniform, .zipf(exponent: 0.9), .sequential] as [Popularity], [0, 2])
    func `a pool with all keys gives the operations of a scenario without pools`(popularity: Popularity, client: Int) {
        let plain = makeScenario(
            popularity, shift: PopularityShift(every: 50, by: 7), mix: [.read: 2, .load: 5, .write: 1, .clear: 0.1],
            clients: 3, cancel: Cancellation(share: 0.2, after: 5), thinkTime: .uniform(min: 0, max: 9))
        var pooled = plain
        pooled.pools = [
            KeyPool(
                name: "only", first: 0, count: plain.keys.count, popularity: popularity, shift: plain.keys.shift)
        ]
        pooled.phases[0].pools = [PoolUse(pool: 0, weight: 3, mix: plain.phases[0].mix)]
        #expect(operations(of: pooled, client: client, count: 500) == operations(of: plain, client: client, count: 500))
    }

    @Test func `clients share the walk through a pool`() {
        var scenario = Self.scenario([Self.use(1)], popularity: .sequential)
        scenario.phases[0].clients = 4
        let keys = (0..<4).flatMap { operations(of: scenario, client: $0, count: 25).map(\.key) }
        #expect(keys.sorted() == Array(100..<200))
    }

    @Test func `removing all keys counts for the pool whose mix requested it`() {
        let all = operations(of: Self.scenario([Self.use(0), Self.use(1, 1, [.clear: 1])]), count: 100)
        #expect(all.filter { $0.kind == .clear }.allSatisfy { $0.pool == 1 && $0.key == 0 })
        #expect(all.contains { $0.kind == .clear })
    }

    @Test func `impossible pools are left out, and nothing traps`() {
        let scenario = Self.scenario([Self.use(7), Self.use(-1), Self.use(0, 0), Self.use(1, .nan), Self.use(2)])
        #expect(operations(of: scenario, count: 50).allSatisfy { $0.pool == 2 })
    }

    @Test func `the mix of a phase is the sum of the mixes of its pools`() {
        let mix = OperationMix(of: [Self.use(0, 3, [.load: 2, .write: 2]), Self.use(1, 1, [.load: 10])])
        #expect(mix.weights == [.load: 0.625, .write: 0.375])
    }
}
