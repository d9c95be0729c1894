import Testing

@testable import ScenarioFiles
@testable import TrialModel

/// Key pools in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct PooledScenarioTests {
    private func read(_ pools: String, values: String = "size: 4 KiB", phase: String = "") throws -> Scenario {
        let text = """
            title: Pools
            keys: { kind: string }
            values: { kind: bytes, \(values) }
            pools:
            \(pools)
            capacity: { bytes: 1 MiB }
            origin: { kind: memory }
            phases:
              - { name: first, operations: 1000, \(phase.isEmpty ? "mix: { load: 1 }" : phase) }

            """
        return try ScenarioReader(knownStrategies: []).read(text: text, file: "pools.yaml")
    }

    private func mistakes(_ pools: String, values: String = "size: 4 KiB", phase: String = "") -> [String] {
        let error = #expect(throws: ScenarioFileError.self) { try read(pools, values: values, phase: phase) }
        return error?.mistakes.map { String($0.description.dropFirst("pools.yaml:".count)) } ?? []
    }

    private static let two = """
          - { name: small, count: 600, popularity: { zipf: 0.9 }, shift: { every: 100, by: 10% }, weight: 4 }
          - { name: large, count: 50, size: { uniform: { min: 1 KiB, max: 32 KiB } }, time-to-live: 2 s }
        """

    @Test func `pools have consecutive keys`() throws {
        let scenario = try read(Self.two)
        #expect(
            scenario.pools == [
                KeyPool(
                    name: "small", first: 0, count: 600, popularity: .zipf(exponent: 0.9),
                    shift: PopularityShift(every: 100, by: 60), weight: 4),
                KeyPool(name: "large", first: 600, count: 50),
            ])
        #expect(scenario.keys == KeySpace(kind: .string, count: 650, popularity: .uniform))
    }

    @Test func `values have the size and the lifetime of their pool, or else the general ones`() throws {
        let values = try read(Self.two, values: "size: 4 KiB, time-to-live: 9 s").values
        #expect(
            values.pools == [
                PooledValues(first: 0, count: 600, size: .fixed(4096)),
                PooledValues(first: 600, count: 50, size: .uniform(min: 1024, max: 32768), timeToLive: 2_000_000_000),
            ])
        #expect(values.timeToLive == 9_000_000_000)
        #expect(values.largestSize == 32768)
    }

    @Test func `values need no size when every pool has one`() throws {
        let pools = "  - { name: a, count: 10, size: 128 KiB }\n  - { name: b, count: 5, size: 64 KiB }"
        #expect(try read(pools, values: "").values.size == .uniform(min: 65536, max: 131072))
        #expect(
            mistakes(Self.two, values: "") == [
                "3:9: values.size: found nothing, allowed: \(ValueKeys().size.declaration.form.allowed) "
                    + "(not every pool has a size)"
            ])
    }

    @Test func `sizes change by version when one of the pools has varying sizes`() throws {
        #expect(try read(Self.two, values: "size: 4 KiB, changes: true").values.changes == true)
        #expect(
            mistakes("  - { name: a, count: 600 }", values: "size: 4 KiB, changes: true") == [
                "3:46: values.changes: found one size that changes, allowed: only with a size that varies (every version "
                    + "would have the same size)"
            ])
    }

    @Test func `a phase uses all pools by default`() throws {
        let phase = try #require(try read(Self.two).phases.first)
        let load = OperationMix([.load: 1])
        #expect(phase.pools == [PoolUse(pool: 0, weight: 4, mix: load), PoolUse(pool: 1, weight: 1, mix: load)])
        #expect(phase.mix == load)
    }

    @Test func `a phase names its pools in any order, with weights and mixes of their own`() throws {
        let scenario = try read(
            Self.two,
            phase:
                "pools: [ { name: large, weight: 1, mix: { read: 1 } }, { name: small, weight: 3, mix: { write: 2 } } ]"
        )
        let phase = try #require(scenario.phases.first)
        #expect(
            phase.pools == [
                PoolUse(pool: 0, weight: 3, mix: OperationMix([.write: 2])),
                PoolUse(pool: 1, weight: 1, mix: OperationMix([.read: 1])),
            ])
        #expect(phase.mix == OperationMix([.read: 0.25, .write: 0.75]))
    }

    @Test func `a pool of weight 0 takes part only where a phase gives it a weight`() throws {
        let pools = "  - { name: a, count: 100 }\n  - { name: b, count: 300, weight: 0 }"
        #expect(try read(pools).phases.first?.pools.map(\.pool) == [0])
        let named = try read(pools, phase: "mix: { load: 1 }, pools: [ { name: b, weight: 2 } ]")
        #expect(named.phases.first?.pools.map(\.pool) == [1])
    }

    @Test func `a pool may have expectations`() throws {
        let phase =
            "mix: { load: 1 }, expect: { duplicate-loads: 5 }, "
            + "pools: [ { name: large, expect: { hit-ratio: { min: 50% }, latency: p99 <= 5 ms } } ]"
        #expect(
            try read(Self.two, phase: phase).phases.first?.expectations == [
                .duplicateLoads(atMost: 5), .ofPool("large", .hitRatio(atLeast: 0.5, atMost: 1)),
                .ofPool("large", .latency(LatencyObjective(figure: .p99, limit: 5_000_000))),
            ])
    }

    @Test func `the capacity fits a value of some pool, and not more than all of them`() {
        let small = "  - { name: a, count: 10, size: 2 MiB }\n  - { name: b, count: 5, size: 4 MiB }"
        #expect(
            mistakes(small) == ["7:20: capacity.bytes: found 1 MiB, allowed: at least 2 MiB (no value would fit)"])
        let few = "  - { name: a, count: 2, size: 1 KiB }\n  - { name: b, count: 3, size: 2 KiB }"
        #expect(
            mistakes(few) == [
                "7:20: capacity.bytes: found 1 MiB, allowed: at most 8 KiB (all 5 values together are not larger)"
            ])
    }

    @Test func `clients times pools are limited, because each pair keeps distributions`() {
        let many = (0..<16).map { "  - { name: p\($0), count: 100 }" }.joined(separator: "\n")
        #expect(
            mistakes(many, phase: "clients: 65, mix: { load: 1 }") == [
                "24:47: phases[0].clients: found 65 clients on 16 pools, allowed: at most 1024, clients times pools"
            ])
    }
}
