import Testing
import WorkloadGeneration

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct OperationStreamTests {
    private let everything: [OperationKind: Double] = [
        .read: 4, .load: 3, .write: 2, .remove: 1, .clear: 0.5, .burst: 0.5,
    ]

    @Test
    func `seed, phase and client each change the operations`() {
        func keys(seed: UInt64, phaseIndex: Int, client: Int) -> [UInt32] {
            let scenario = makeScenario(.uniform, mix: [.read: 1], clients: 2, seed: seed, phaseIndex: phaseIndex)
            return operations(of: scenario, client: client, count: 20).map(\.key)
        }
        let variants = [
            keys(seed: 1, phaseIndex: 0, client: 0), keys(seed: 2, phaseIndex: 0, client: 0),
            keys(seed: 1, phaseIndex: 1, client: 0), keys(seed: 1, phaseIndex: 0, client: 1),
        ]
        #expect(Set(variants).count == 4)
    }

    @Test
    func `another mix requests the same keys`() {
        let readsOnly = makeScenario(.zipf(exponent: 0.99), mix: [.read: 1])
        let mixed = makeScenario(.zipf(exponent: 0.99), mix: [.read: 1, .write: 1, .load: 1])
        #expect(
            operations(of: readsOnly, count: 100).map(\.key) == operations(of: mixed, count: 100).map(\.key))
    }

    @Test(arguments: [(10, 3, [4, 3, 3]), (9, 3, [3, 3, 3]), (2, 3, [1, 1, 0]), (0, 2, [0, 0]), (-4, 2, [0, 0])])
    func `the operations are divided evenly, and the first clients take the rest`(
        total: Int, clients: Int, expected: [Int]
    ) {
        let scenario = makeScenario(.uniform, mix: [.read: 1], clients: clients, length: .operations(total))
        let streams = expected.indices.map { OperationStream(scenario: scenario, phaseIndex: 0, client: $0) }
        #expect(streams.map(\.operationLimit) == expected)
        #expect(expected.indices.map { operations(of: scenario, client: $0, count: 100).count } == expected)
        var stream = streams[0]
        while stream.next() != nil {}
        #expect(stream.next() == nil)
    }

    @Test
    func `a stream of a timed phase has no limit`() {
        let scenario = makeScenario(.uniform, mix: [.read: 1], length: .duration(nanoseconds: 1))
        let stream = OperationStream(scenario: scenario, phaseIndex: 0, client: 0)
        #expect(stream.operationLimit == nil)
        #expect(operations(of: scenario, count: 10_000).count == 10_000)
    }

    @Test
    func `the frequencies of kinds follow the mix`() {
        let scenario = makeScenario(.uniform, mix: everything)
        let drawn = operations(of: scenario, count: 33_000)
        let observed = OperationKind.allCases.map { kind in drawn.filter { $0.kind == kind }.count }
        // The mix's weights in the order of the declarations; scipy.stats.chi2.ppf(0.9999, 5)
        #expect(chiSquare(observed, chances: [4, 3, 2, 1, 0.5, 0.5].map { $0 / 11 }) < 25.8)
    }

    @Test(
        arguments: [[:], [.write: 0], [.write: -1], [.write: .nan], [.write: .infinity]] as [[OperationKind: Double]])
    func `a mix without a valid weight reads`(mix: [OperationKind: Double]) {
        let scenario = makeScenario(.uniform, mix: mix)
        #expect(operations(of: scenario, count: 10).allSatisfy { $0.kind == .read })
    }

    @Test
    func `clear has no key, but takes its turn in a walk`() {
        let scenario = makeScenario(.sequential, keyCount: 1_000, mix: [.read: 1, .clear: 1])
        for (index, operation) in operations(of: scenario, count: 200).enumerated() {
            #expect(Int(operation.key) == (operation.kind == .clear ? 0 : index))
        }
    }

    @Test
    func `only loads are cancelled, as often as the share says`() {
        let scenario = makeScenario(.uniform, mix: everything, cancel: Cancellation(share: 0.25, after: 5_000))
        let drawn = operations(of: scenario, count: 30_000)
        let cancelled = drawn.filter { $0.cancelAfter > 0 }
        #expect(cancelled.allSatisfy { $0.kind == .load && $0.cancelAfter == 5_000 })
        let loads = drawn.filter { $0.kind == .load }.count
        // 5 standard deviations of a binomial share over about 8,000 loads are 0.025.
        #expect(abs(Double(cancelled.count) / Double(loads) - 0.25) < 0.025)
    }

    @Test
    func `a cancellation after zero time still cancels`() {
        let scenario = makeScenario(.uniform, mix: [.load: 1], cancel: Cancellation(share: 1, after: 0))
        #expect(operations(of: scenario, count: 100).allSatisfy { $0.cancelAfter == 1 })
    }

    @Test
    func `pauses follow the think time`() {
        let steady = makeScenario(.uniform, mix: [.read: 1], thinkTime: .fixed(77))
        #expect(operations(of: steady, count: 10).allSatisfy { $0.thinkTime == 77 })
        let varying = makeScenario(.uniform, mix: [.read: 1], thinkTime: .uniform(min: 10, max: 12))
        #expect(Set(operations(of: varying, count: 100).map(\.thinkTime)) == [10, 11, 12])
    }

    @Test
    func `a phase's range of keys overrides the scenario's, up to the last key without a count`() {
        let range = KeySelection(first: 500, count: 20, popularity: .sequential)
        let some = makeScenario(.uniform, keyCount: 1_000, mix: [.read: 1], selection: range)
        #expect(operations(of: some, count: 21).map(\.key) == Array(500..<520) + [500])
        let last = makeScenario(.uniform, keyCount: 1_000, mix: [.read: 1], selection: KeySelection(first: 997))
        #expect(Set(operations(of: last, count: 200).map(\.key)) == [997, 998, 999])
    }

    @Test(arguments: [
        KeySelection(first: -5, count: 3), KeySelection(first: 2_000), KeySelection(first: 990, count: 500),
        KeySelection(first: 3, count: 0), KeySelection(first: .max, count: .max),
        KeySelection(first: .min, count: .min),
    ])
    func `a range outside of the keys is moved into them`(selection: KeySelection) {
        let scenario = makeScenario(.uniform, keyCount: 1_000, mix: [.read: 1], selection: selection)
        #expect(operations(of: scenario, count: 2_000).allSatisfy { $0.key < 1_000 })
    }

    @Test(
        arguments: [
            .uniform, .zipf(exponent: 1), .hotspot(keys: 0.5, operations: 0.5), .latest(exponent: 1), .sequential,
        ]
            as [Popularity])
    func `a range of one key always gives that key`(popularity: Popularity) {
        let scenario = makeScenario(popularity, keyCount: 1, mix: [.read: 1, .write: 1])
        #expect(operations(of: scenario, count: 100).allSatisfy { $0.key == 0 })
    }

    @Test(
        arguments: [
            .uniform, .zipf(exponent: 0), .hotspot(keys: 0.5, operations: 0.5), .latest(exponent: 0), .sequential,
        ]
            as [Popularity])
    func `huge counts don't trap`(popularity: Popularity) {
        let scenario = makeScenario(
            popularity, keyCount: .max, mix: [.read: 1, .write: 1], clients: .max, length: .operations(.max))
        #expect(operations(of: scenario, client: .max - 1, count: 100).count == 1)
        let timed = makeScenario(
            popularity, keyCount: .max, mix: [.read: 1, .write: 1], clients: .max, length: .duration(nanoseconds: .max))
        #expect(operations(of: timed, client: .max - 1, count: 100).count == 100)
    }

    @Test
    func `a client's number doesn't have to be one of the phase's`() {
        let scenario = makeScenario(.sequential, mix: [.read: 1], clients: 0, length: .operations(10))
        #expect(operations(of: scenario, client: 0, count: 100).count == 10)
        #expect(operations(of: scenario, client: 5, count: 100).isEmpty)
        #expect(operations(of: scenario, client: -1, count: 100).count == 10)
    }
}

/// The next keys of a stream.
@Suite(.timeLimit(.minutes(1)))
struct UpcomingKeysTests {
    private func stream(_ mix: [OperationKind: Double], count: Int = 100) -> OperationStream {
        let phase = Phase(name: "p", length: .operations(count), clients: 2, mix: OperationMix(mix))
        let scenario = Scenario(
            name: "s", title: "s", seed: 3, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 50, popularity: .sequential),
            values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 10),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil, phases: [phase])
        return OperationStream(scenario: scenario, phaseIndex: 0, client: 1)
    }

    @Test func `the next keys are the client's next lookups, and the stream does not advance`() {
        var stream = stream([.load: 3, .write: 1, .prefetch: 1])
        for _ in 0..<7 { _ = stream.next() }
        let coming = stream.upcomingKeys(5)
        var looked: [UInt32] = []
        while looked.count < 5, let operation = stream.next() {
            if operation.kind == .load { looked.append(operation.key) }
        }
        #expect(coming == looked && coming.count == 5)
    }

    @Test func `looking ahead does not count for the other clients`() {
        let scenario = makeScenario(.latest(exponent: 1), mix: [.write: 1], clients: 2)
        let progress = KeyProgress(scenario)
        let stream = OperationStream(scenario: scenario, phaseIndex: 0, client: 0, progress: progress)
        _ = stream.upcomingKeys(10)
        var other = OperationStream(scenario: scenario, phaseIndex: 0, client: 1, progress: progress)
        #expect(other.next()?.key == 0)
    }

    @Test func `a prefetch takes no key, so that a walk skips none`() {
        var (plain, prefetching) = (stream([.load: 1]), stream([.load: 1, .prefetch: 2]))
        var keys: [UInt32] = []
        while let operation = prefetching.next() { if operation.kind == .load { keys.append(operation.key) } }
        let walk = (0..<keys.count).compactMap { _ in plain.next()?.key }
        #expect(keys.count > 5 && keys == walk)
    }

    @Test func `there are no more next keys than the client has operations left`() {
        #expect(stream([.load: 1], count: 6).upcomingKeys(10).count == 3)
        #expect(stream([.prefetch: 1]).upcomingKeys(10).isEmpty && stream([.load: 1]).upcomingKeys(0).isEmpty)
    }
}
