import Reports
import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct CountTableTests {
    private func result(
        _ strategy: String, _ instructions: Double?, repetition: Int = 1, phase: String = "hits",
        method: InstructionCounts.Method = .callgrind, misses: Double? = nil
    ) -> PhaseResult {
        let key = Samples.key("operations", strategy, repetition, phase)
        var result = Samples.phase(key)
        for index in result.latency.indices {
            result.latency[index].counts = instructions.map {
                InstructionCounts(method: method, instructions: $0, firstLevelMisses: misses)
            }
        }
        return result
    }

    private func strategies(_ table: Table?) -> [String] { table?.rows.compactMap(\.first?.text) ?? [] }

    @Test func `the strategy with the fewest instructions is first, and another method comes after`() {
        let tables = CountTable.tables([
            result("actor", 10, method: .callgrindProcess), result("sieve", 120), result("lru", 113),
        ])
        #expect(tables.map(\.title) == ["operations"])
        #expect(strategies(tables.first) == ["lru", "sieve", "actor"])
    }

    @Test func `a figure is the median of the repetitions, in the column of its phase`() {
        let tables = CountTable.tables([
            result("lru", 113), result("lru", 115, repetition: 2), result("lru", 114, repetition: 3),
            result("lru", 70, phase: "misses"),
        ])
        #expect(tables.first?.columns.map(\.header) == ["strategy", "hits", "misses", "counted by"])
        #expect(tables.first?.rows.first?.map(\.text) == ["lru", "114.0", "70.0", "callgrind"])
    }

    @Test func `a strategy that was counted by two methods has a row for each`() {
        let tables = CountTable.tables([result("lru", 90, method: .hardware), result("lru", 113, repetition: 2)])
        #expect(
            tables.first?.rows.map { $0.map(\.text) } == [["lru", "113.0", "callgrind"], ["lru", "90.0", "hardware"]])
    }

    @Test func `misses have a table when caches were simulated`() {
        #expect(CountTable.tables([result("lru", 113, misses: 2.5)]).count == 2)
        #expect(CountTable.tables([result("lru", 113)]).count == 1)
    }

    @Test func `programs can tell instructions from misses`() {
        let tables = CountTable.tables([result("lru", 113, misses: 2.5)])
        #expect(tables.map(\.title) == ["operations, instructions", "operations, first-level misses"])
        let rows = tables.rendered(as: .csv).split(separator: "\r\n").dropFirst()
        #expect(
            rows == [
                "\"operations, instructions\",lru,113.000,callgrind",
                "\"operations, first-level misses\",lru,2.500,callgrind",
            ])
    }

    @Test func `a timed run has no such table`() {
        #expect(CountTable.tables([result("lru", nil)]).isEmpty)
    }
}
