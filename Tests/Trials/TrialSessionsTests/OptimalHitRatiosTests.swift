import BuiltInStrategies
import CacheStrategies
import TestTiers
import Testing
import TimedStrategies
import TrialTestSupport
import WorkloadGeneration

@testable import TrialModel
@testable import TrialSessions

@Suite(.timeLimit(.minutes(3)))
struct OptimalHitRatiosTests {
    private static func scenario(
        seed: UInt64, capacity: Capacity = Capacity(entries: 20), mix: OperationMix, clients: Int = 1
    ) -> Scenario {
        let phases = ["first", "second"].map { name in
            Phase(name: name, length: .operations(2_000), clients: clients, mix: mix)
        }
        return Scenario(
            name: "optimum", title: "", seed: seed, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 100, popularity: .zipf(exponent: 0.8)),
            values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: capacity,
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil, phases: phases)
    }

    /// Belady's optimum in its simplest form: looks ahead for every cached key.
    private static func plainOptimum(_ scenario: Scenario, entries: Int) -> [Double] {
        var keys: [UInt32] = []
        var ends: [Int] = []
        for index in scenario.phases.indices {
            var stream = OperationStream(scenario: scenario, phaseIndex: index, client: 0)
            while let operation = stream.next() { keys.append(operation.key) }
            ends.append(keys.count)
        }
        return zip([0] + ends, ends).map { start, end in
            var cached: Set<UInt32> = []
            var hits = 0
            // A lookup before the phase is as good as a miss.
            func nextUse(of key: UInt32, after index: Int) -> Int {
                keys[(index + 1)..<end].firstIndex(of: key).map { $0 < start ? .max : $0 } ?? .max
            }
            for (index, key) in keys[..<end].enumerated() {
                if cached.contains(key) {
                    hits += index < start ? 0 : 1
                    continue
                }
                cached.insert(key)
                guard cached.count > entries else { continue }
                let last = cached.max { nextUse(of: $0, after: index) < nextUse(of: $1, after: index) }
                if let last { cached.remove(last) }
            }
            return Double(hits) / 2_000
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the optimum is Belady's for each phase, after those before it`(seed: UInt64) throws {
        let scenario = Self.scenario(seed: seed, mix: OperationMix([.load: 1]))
        let optimum = try #require(OptimalHitRatios(scenario, trace: nil)).ratios
        let plain = Self.plainOptimum(scenario, entries: 20)
        #expect(optimum == ["first": plain[0], "second": plain[1]])
    }

    @Test func `pools have a common optimum, if their values have one size and never expire`() throws {
        var scenario = Self.scenario(seed: 1, mix: OperationMix([.load: 1]))
        let plain = OptimalHitRatios(scenario, trace: nil)?.ratios
        scenario.pools = [KeyPool(name: "a", first: 0, count: 100, popularity: scenario.keys.popularity)]
        for index in scenario.phases.indices {
            scenario.phases[index].pools = [PoolUse(pool: 0, weight: 1, mix: scenario.phases[index].mix)]
        }
        func optimum(_ sizes: [UInt64], lifetime: UInt64? = nil, bytes: Int? = 20 * 64) -> [String: Double]? {
            var scenario = scenario
            scenario.values.size = .fixed(64)
            scenario.values.pools = sizes.enumerated().map {
                PooledValues(first: UInt64($0) * 50, count: 50, size: .fixed($1), timeToLive: lifetime)
            }
            scenario.capacity = Capacity(entries: 20, bytes: bytes)
            return OptimalHitRatios(scenario, trace: nil)?.ratios
        }
        #expect(plain != nil && optimum([64, 64]) == plain)
        #expect(optimum([32, 64]) == nil)
        #expect(optimum([32, 64], bytes: nil) == plain)
        #expect(optimum([64, 64], lifetime: 1_000_000) == nil)
    }

    @Test func `bytes are as good as entries when values have one size`() {
        let mix = OperationMix([.load: 1])
        let entries = OptimalHitRatios(Self.scenario(seed: 1, mix: mix), trace: nil)
        let bytes = OptimalHitRatios(
            Self.scenario(seed: 1, capacity: Capacity(bytes: 20 * 64 + 63), mix: mix), trace: nil)
        #expect(entries?.ratios == bytes?.ratios)
        #expect(entries?.ratios.count == 2)
    }

    private static let names =
        TestTier.isNightly
        ? StrategyRegistry.builtIn.defaults.map(\.declaration.name).filter { $0 != "unbounded" }
        : ["lru", "arc", "w-tinylfu"]

    @Test(arguments: names)
    func `no strategy hits more often`(name: String) async throws {
        let mixes: [OperationMix] = [
            OperationMix([.load: 1]), OperationMix([.read: 3, .write: 1]),
            OperationMix([.load: 200, .read: 50, .write: 50, .remove: 20, .clear: 1, .burst: 10]),
        ]
        for (index, mix) in mixes.enumerated() {
            let seed = UInt64(index + 1)
            let scenario = Self.scenario(seed: seed, mix: mix)
            let optimum = try #require(OptimalHitRatios(scenario, trace: nil)).ratios
            for result in try await TrialInTests.run(name, scenario) {
                let row = try #require(result.hitRate)
                let ratio = Double(row.hits) / Double(row.lookups)
                let best = try #require(optimum[row.key.phase])
                #expect(ratio <= best, "seed \(seed), \(row.key.phase)")
            }
        }
    }

    @Test func `no phase from the first prefetch on has an optimum`() {
        var scenario = Self.scenario(seed: 1, mix: OperationMix([.load: 1]))
        scenario.phases[1].mix = OperationMix([.load: 1, .prefetch: 1])
        #expect(OptimalHitRatios(scenario, trace: nil)?.ratios.keys.sorted() == ["first"])
        scenario.phases.swapAt(0, 1)
        #expect(OptimalHitRatios(scenario, trace: nil)?.ratios.isEmpty == true)
    }

    @Test func `there is no figure where the optimum can't be known`() {
        let mix = OperationMix([.load: 1])
        func known(_ change: (inout Scenario) -> Void) -> Bool {
            var scenario = Self.scenario(seed: 1, mix: mix)
            change(&scenario)
            return OptimalHitRatios(scenario, trace: nil) != nil
        }
        #expect(known { _ in })
        #expect(!known { $0.phases[1].length = .duration(nanoseconds: 1_000_000) })
        #expect(!known { $0.phases[1].length = .operations(1_000_000_000) })
        #expect(!known { $0.phases[1].reopen = true })
        #expect(!known { $0.values.timeToLive = 1_000_000_000 })
        #expect(!known { $0.capacity = Capacity() })
        #expect(
            !known {
                $0.capacity = Capacity(bytes: 1_000)
                $0.values.size = .uniform(min: 10, max: 100)
            })
    }
}
