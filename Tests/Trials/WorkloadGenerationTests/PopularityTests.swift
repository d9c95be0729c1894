import Testing
import WorkloadGeneration

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct PopularityTests {
    private func counts(_ operations: [WorkloadGeneration.Operation], of keyCount: Int) -> [Int] {
        operations.reduce(into: [Int](repeating: 0, count: keyCount)) { $0[Int($1.key)] += 1 }
    }

    @Test
    func `uniform requests every key equally often`() {
        let scenario = makeScenario(.uniform, keyCount: 100, mix: [.read: 1])
        let observed = counts(operations(of: scenario, count: 40_000), of: 100)
        // scipy.stats.chi2.ppf(0.9999, 99)
        #expect(chiSquare(observed, chances: Array(repeating: 0.01, count: 100)) < 160.1)
    }

    @Test(arguments: [(0.1, 0.9), (0.5, 0.5), (0.01, 0.2), (0.9, 0.05)])
    func `hotspot gives its share to the first keys, evenly`(keys: Double, share: Double) {
        let scenario = makeScenario(.hotspot(keys: keys, operations: share), keyCount: 100, mix: [.load: 1])
        let observed = counts(operations(of: scenario, count: 40_000), of: 100)
        let hotCount = Int((keys * 100).rounded())
        let chances = (0..<100).map { key in
            key < hotCount ? share / Double(hotCount) : (1 - share) / Double(100 - hotCount)
        }
        #expect(chiSquare(observed, chances: chances) < 160.1)
    }

    @Test(arguments: [(0, 1, 1), (1, 0.5, 10), (2, 0.5, 10), (.nan, 1, 1), (-1, 1, 1)] as [(Double, Double, Int)])
    func `hotspot has at least one hot key and at most all`(keys: Double, share: Double, expected: Int) {
        let scenario = makeScenario(.hotspot(keys: keys, operations: share), keyCount: 10, mix: [.load: 1])
        #expect(Set(operations(of: scenario, count: 2_000).map(\.key)).count == expected)
    }

    @Test(arguments: [1, 2, 3, 7, 16])
    func `sequential covers each key once, by all clients together`(clients: Int) {
        let scenario = makeScenario(
            .sequential, keyCount: 100, mix: [.read: 1], clients: clients, length: .operations(100))
        let keys = (0..<clients).flatMap { operations(of: scenario, client: $0, count: 1_000).map(\.key) }
        #expect(keys.sorted() == Array(0..<100))
    }

    @Test(arguments: [(5, 3, 1, [1, 4, 2, 0, 3, 1]), (2, 5, 4, [0, 1, 0, 1])])
    func `sequential starts again after the last key, with more clients than keys too`(
        keyCount: Int, clients: Int, client: Int, expected: [UInt32]
    ) {
        let scenario = makeScenario(.sequential, keyCount: keyCount, mix: [.read: 1], clients: clients)
        #expect(operations(of: scenario, client: client, count: expected.count).map(\.key) == expected)
    }

    @Test
    func `latest writes the keys in turn, each one the newest`() {
        let scenario = makeScenario(.latest(exponent: 0.99), keyCount: 10, mix: [.write: 1])
        #expect(operations(of: scenario, count: 12).map(\.key) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1])
    }

    @Test
    func `latest reads by age`() {
        let scenario = makeScenario(.latest(exponent: 0.99), keyCount: 1_000, mix: [.read: 3, .write: 1])
        var newest = 999
        var ages = [Int](repeating: 0, count: 1_000)
        for operation in operations(of: scenario, count: 30_000) {
            if operation.kind == .write {
                newest = Int(operation.key)
            } else {
                ages[(newest - Int(operation.key) + 1_000) % 1_000] += 1
            }
        }
        // Python: numpy.sum(numpy.arange(1, 1001) ** -0.99) = 7.728953217; ages 0 and 1 have 1 and 2 ** -0.99.
        let counts = [ages[0], ages[1], ages[2...].reduce(0, +)]
        #expect(chiSquare(counts, chances: [0.1293836, 0.0651417, 0.8054747]) < 18.4)
    }

    @Test
    func `a shift moves the popular key on`() {
        let scenario = makeScenario(
            .zipf(exponent: 2), keyCount: 100, shift: PopularityShift(every: 1_000, by: 30), mix: [.load: 1],
            clients: 4)
        // Each of 4 clients has a quarter of the operations between two shifts.
        let all = operationsInTurns(of: scenario, count: 1_250)[2]
        let popular = stride(from: 0, to: 1_250, by: 250).map { start in
            let observed = counts(Array(all[start..<start + 250]), of: 100)
            return observed.firstIndex(of: observed.max() ?? 0)
        }
        #expect(popular == [0, 30, 60, 90, 20])
    }

    @Test
    func `a shift backwards wraps at the first key`() {
        let scenario = makeScenario(
            .zipf(exponent: 10), keyCount: 100, shift: PopularityShift(every: 1, by: -1), mix: [.load: 1])
        let keys = operations(of: scenario, count: 4_000).enumerated().filter { index, operation in
            Int(operation.key) == (100 - index % 100) % 100
        }
        // Rank 0 has a chance of 0.999 with this exponent.
        #expect(keys.count > 3_950)
    }

    @Test
    func `more clients than operations between two shifts move on by several at once`() {
        let scenario = makeScenario(
            .hotspot(keys: 0.01, operations: 1), keyCount: 100, shift: PopularityShift(every: 2, by: 1),
            mix: [.load: 1], clients: 10)
        // In the first turn no client has counted anything.
        #expect(operationsInTurns(of: scenario, count: 5)[0].map(\.key) == [0, 0, 5, 10, 15])
    }

    @Test
    func `clients that do not keep step have the same popular key`() {
        let scenario = makeScenario(
            .hotspot(keys: 0.01, operations: 1), keyCount: 100, shift: PopularityShift(every: 160, by: 1),
            mix: [.load: 1], clients: 2)
        let progress = KeyProgress(scenario)
        var (fast, slow) = (
            OperationStream(scenario: scenario, phaseIndex: 0, client: 0, progress: progress),
            OperationStream(scenario: scenario, phaseIndex: 0, client: 1, progress: progress)
        )
        #expect(fast.prefix(801).last?.key == 5)
        #expect(slow.prefix(11).last?.key == 5)
    }

    @Test
    func `several clients write the keys in turn, each one the newest of all`() {
        let scenario = makeScenario(.latest(exponent: 0.99), keyCount: 10, mix: [.write: 1], clients: 3)
        let keys = operationsInTurns(of: scenario, count: 4).map { $0.map(\.key) }
        #expect(keys == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]])
    }

    @Test
    func `a pool's shift counts the operations of all clients on that pool`() {
        var scenario = makeScenario(.uniform, keyCount: 200, mix: [:], clients: 2)
        scenario.pools = ["a", "b"].enumerated().map { place, name in
            KeyPool(
                name: name, first: place * 100, count: 100, popularity: .hotspot(keys: 0.01, operations: 1),
                shift: PopularityShift(every: place == 0 ? 64 : 1_000_000, by: 1))
        }
        scenario.phases[0].pools = (0..<2).map { PoolUse(pool: $0, weight: 1, mix: OperationMix([.load: 1])) }
        let all = operationsInTurns(of: scenario, count: 640).map { $0.filter { $0.pool == 0 } }
        // Some 640 of 1,280 operations are on the first pool, and shift it ten times.
        #expect(all.allSatisfy { 8...12 ~= $0.last?.key ?? 0 }, "\(all)")
    }

    @Test(arguments: [
        PopularityShift(every: 0, by: 1), PopularityShift(every: -5, by: 1), PopularityShift(every: 1, by: 0),
        PopularityShift(every: .max, by: .min), PopularityShift(every: 1, by: .max),
        PopularityShift(every: 1, by: .min),
    ])
    func `no shift traps or leaves the range`(shift: PopularityShift) {
        let scenario = makeScenario(
            .zipf(exponent: 1), keyCount: 17, shift: shift, mix: [.load: 1], clients: 1_000_000)
        #expect(operations(of: scenario, count: 500).allSatisfy { $0.key < 17 })
    }
}
