import Reports
import Testing

@testable import Comparison
@testable import TrialModel

@Suite(.timeLimit(.minutes(1))) struct RunFiguresTests {
    private let results = (1...3).map { Made.phase("lru", $0, p50: UInt64($0) * 1_000) }

    private func rows(
        _ results: [PhaseResult], _ run: RunDescription = Made.run(), machines: [MachineRow] = []
    ) throws -> [HistoryRow] {
        try RunFigures(result: "out", results: results, run: run, machines: machines)
            .rows(commit: "c0ffee0", time: "2030-01-31T12:00:00Z")
    }

    @Test func `a figure is the median of its repetitions, with the lowest and the highest`() throws {
        let row = try #require(try rows(results).first { $0.series.metric == .p50 })
        #expect(row.value == 2_000 && row.low == 1_000 && row.high == 3_000 && row.repetitions == 3)
        #expect(row.series.scenario == "steady" && row.series.strategy == "lru" && row.series.phase == "main")
        #expect(row.commit == "c0ffee0" && row.time == "2030-01-31T12:00:00Z")
    }

    @Test func `each measured metric has a row`() throws {
        let metrics = try rows(results).map(\.series.metric.rawValue)
        #expect(
            metrics == ["throughput", "p50", "p99", "p99_9", "hit_ratio", "byte_hit_ratio", "duplicate_loads"])
    }

    @Test func `other seeds, scenario files and builds are other series`() throws {
        let series = try [
            Made.run(), Made.run(sha: "bb"), Made.run(seed: 2), Made.run(build: "debug"), Made.run(cpu: "Xeon"),
        ]
        .map { try #require(try rows(results, $0).first).series }
        #expect(Set(series).count == 5)
        #expect(Set(series.map(\.scenarioHash)).count == 3)
    }

    @Test func `instructions of each method are a separate series, and mixed methods are none`() throws {
        let counted = { (methods: [InstructionCounts.Method]) in
            let results = methods.enumerated().map { index, method in
                var result = Made.phase("lru", index + 1)
                result.latency[0].counts = InstructionCounts(method: method, instructions: 113)
                return result
            }
            return try self.rows(results).filter { $0.series.metric == .instructions }.map(\.series)
        }
        let series = try counted([.callgrind, .callgrind]) + counted([.hardware])
        #expect(Set(series).count == 2)
        #expect(try counted([.callgrind, .hardware]).isEmpty)
    }

    @Test func `each kind of machine of a merged folder has separate figures`() throws {
        let machines = results.enumerated().map { index, result in
            MachineRow().with {
                ($0.trial, $0.shard, $0.machine) = (result.trial.key.trial, 1, "box")
                $0.kind = index == 0 ? "Xeon" : "EPYC"
            }
        }
        let p50 = try rows(results, machines: machines).filter { $0.series.metric == .p50 }
        #expect(p50.map(\.series.machineKind) == ["EPYC", "Xeon"] && p50.map(\.value) == [2_500, 1_000])
    }

    @Test func `a run without figures is refused`() {
        #expect(throws: HistoryError.self) { _ = try rows([Made.crash("lru", 1)]) }
        #expect(throws: HistoryError.self) { _ = try rows([]) }
    }
}
