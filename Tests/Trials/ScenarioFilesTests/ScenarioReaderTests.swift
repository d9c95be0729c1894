import Foundation
import ScenarioFiles
import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ScenarioReaderTests {
    @Test func `omitted keys have their defaults`() throws {
        let text = """
            title: Defaults
            keys: { kind: integer, count: 10 }
            values: { kind: bytes, size: 1 B }
            capacity: { bytes: 5 B }
            origin: {}
            phases: [ { name: only, operations: 1, mix: { read: 1 } } ]
            """
        let expected = Scenario(
            name: "defaults", title: "Defaults", seed: 1, repetitions: 3,
            keys: KeySpace(kind: .integer, count: 10, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(1)), capacity: Capacity(bytes: 5),
            origin: OriginSpecification(kind: .server, delay: .fixed(0)), strategies: nil,
            phases: [Phase(name: "only", length: .operations(1), clients: 1, mix: OperationMix([.read: 1]))])
        #expect(try read(text, file: "Scenarios/defaults.yaml") == expected)
    }

    @Test func `the reference is read as documented`() throws {
        let path = ShippedScenarios.folder.appending(path: "reference.yaml").path(percentEncoded: false)
        let scenario = try ShippedScenarios.reader.read(path: path)
        let range = KeySelection(
            first: 1000, count: 500, popularity: .zipf(exponent: 0.5), shift: PopularityShift(every: 100, by: 50))
        let steady = OperationMix([
            .read: 10, .load: 60, .write: 20, .remove: 5, .clear: 0.1, .burst: 4.9, .prefetch: 1,
        ])
        var expected = Scenario(
            name: "reference", title: "The usual keys of a scenario", seed: 42, repetitions: 2,
            keys: KeySpace(
                kind: .url, count: 2000, popularity: .zipf(exponent: 0.99), shift: PopularityShift(every: 1000, by: 200)
            ),
            values: ValueSpecification(
                kind: .article, size: .logNormal(median: 2048, p99: 8192, max: 16384), timeToLive: 60_000_000_000),
            capacity: Capacity(entries: 200, bytes: 1 << 20),
            origin: OriginSpecification(
                kind: .server, delay: .uniform(min: 0, max: 1_000_000),
                faults: [
                    OriginFault(
                        kind: .slowAnswer, probability: 0.01, keys: 0..<1000,
                        attempts: FaultyAttempts(first: 1, count: 2, every: 10), time: 5_000_000)
                ], timeout: 10_000_000_000),
            strategies: ["lru", "actor"],
            phases: Self.referencePhases(steady: steady, range: range))
        expected.question = ScenarioQuestion(
            text: "Which strategy spares the origin most requests?",
            column: "steady keys", sentence: "The popular keys stay",
            decidedBy: [DecidingFigure(metric: .originShare, phase: "steady")])
        #expect(scenario == expected)
    }

    private static func referencePhases(steady: OperationMix, range: KeySelection) -> [Phase] {
        var list = Phase(
            name: "list", length: .duration(nanoseconds: 1_600_000_000), clients: 1, mix: OperationMix([.load: 1]))
        list.memoryPressure = .warning
        list.frames = Frames(
            rate: 120, budget: 2_000_000, cells: 20, loaders: 2,
            scroll: [
                NamedScroll.still.step, NamedScroll.slow.step,
                ScrollStep(name: "-1 rows/frame", rowsPerSecond: -120, nanoseconds: 100_000_000),
            ])
        var mixed = Phase(
            name: "steady", length: .duration(nanoseconds: 200_000_000), clients: 4, driver: .automatic,
            thinkTime: .fixed(100_000), mix: steady, burstWidth: 4,
            cancel: Cancellation(share: 0.1, after: 500_000))
        mixed.prefetching = Prefetching(ahead: 4, accuracy: 0.9, visible: 10)
        return [
            Phase(
                name: "warm-up", length: .operations(400), clients: 4, mix: OperationMix([.load: 1]), warmUp: true),
            mixed, list,
            Phase(
                name: "walk-after-a-launch", length: .operations(200), clients: 1, mix: OperationMix([.load: 1]),
                keys: range, reopen: true, offline: true
            ).with { $0.invalidation = .defaults.with { ($0.every, $0.share) = (20_000_000, 0.3) } },
        ]
    }

    @Test(
        arguments: [
            ("1 B", 1), ("1 kB", 1000), ("1 KiB", 1024), ("1 MB", 1_000_000), ("1 MiB", 1 << 20),
            ("0.1 GB", 100_000_000),
            ("0.125 GiB", 1 << 27), ("1.5 KiB", 1536), ("16KiB", 16384), ("0.5000 KiB", 512), ("256 MiB", 1 << 28),
        ] as [(String, UInt64)])
    func `a size is read in its unit`(text: String, bytes: UInt64) throws {
        let scenario = try read(ScenarioMistakeCase.Line.all.replacing("1 KiB", with: text))
        #expect(scenario.values.size == .fixed(bytes))
    }

    @Test(
        arguments: [
            ("7 ns", 7), ("7 us", 7000), ("7 ms", 7_000_000), ("7 s", 7_000_000_000), ("1 min", 60_000_000_000),
            ("0.01 h", 36_000_000_000), ("1.5 ms", 1_500_000), ("0 s", 0),
        ] as [(String, UInt64)])
    func `a time is read in its unit`(text: String, nanoseconds: UInt64) throws {
        let scenario = try read(ScenarioMistakeCase.Line.all.replacing("1 ms", with: text))
        #expect(scenario.origin.delay == .fixed(nanoseconds))
    }

    @Test(arguments: ["25%", "0.25", "25 %", "25.0%", "0.250"])
    func `a share is read in percent or as a fraction`(text: String) throws {
        let keys = "keys: { kind: url, count: 100, popularity: { hotspot: { keys: \(text), operations: 1 } } }"
        let scenario = try read(ScenarioMistakeCase.Line.all.replacing(ScenarioMistakeCase.Line.keys, with: keys))
        #expect(scenario.keys.popularity == .hotspot(keys: 0.25, operations: 1))
    }

    @Test func `a shift by a share moves by that share of the keys in range`() throws {
        let mix = ScenarioMistakeCase.Line.mix
        let keys = "    keys: { first: 40, popularity: { zipf: 1 }, shift: { every: 10, by: 25% } }"
        let scenario = try read(ScenarioMistakeCase.Line.all.replacing(mix, with: "\(mix)\n\(keys)"))
        #expect(scenario.phases.first?.keys.shift == PopularityShift(every: 10, by: 15))
    }

    @Test func `an operation of weight zero never happens`() throws {
        let scenario = try read(ScenarioMistakeCase.Line.all.replacing("load: 1 ", with: "load: 1, write: 0 "))
        #expect(scenario.phases.first?.mix == OperationMix([.load: 1]))
    }

    @Test func `a quoted text may contain anything`() throws {
        let scenario = try read(
            ScenarioMistakeCase.Line.all.replacing("title: Base", with: "title: '2024: it''s & on'"))
        #expect(scenario.title == "2024: it's & on")
    }

    private func read(_ text: String, file: String = "case.yaml") throws -> Scenario {
        try ShippedScenarios.reader.read(text: text, file: file)
    }
}
