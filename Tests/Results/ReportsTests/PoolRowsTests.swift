import Reports
import Testing
import TrialModel

/// Key pools in the closing tables.
@Suite(.timeLimit(.minutes(1)))
struct PoolRowsTests {
    /// A phase with two pools: one that hits, and one that never does.
    private func result(_ strategy: String = "lru", hits: UInt64 = 450) -> PhaseResult {
        let key = Samples.key("steady", strategy)
        var result = Samples.phase(key, hits: hits)
        for (pool, hits, p99) in [("hot", hits, 5_000), ("scan", 0, 70_000)] as [(String, UInt64, UInt64)] {
            result.latency.append(Samples.latency(key, pool: .only(pool), p50: 2_000, p99: p99, count: 500))
            result.hitRates.append(
                HitRateRow(
                    key: key, pool: .only(pool), capacity: Capacity(entries: 500), lookups: 500, hits: hits,
                    misses: 500 - hits
                ).with {
                    ($0.originLoads, $0.duplicateLoads) = (500 - hits, 1)
                })
        }
        return result
    }

    @Test func `a table by pool follows the ranked one, its strategies in the same order`() throws {
        let tables = ClosingTable.tables([result("actor", hits: 400), result("lru", hits: 450)])
        #expect(tables.map(\.title) == ["steady", "steady, by pool"])
        let rows = try #require(tables.last).rows.map { $0.map(\.text) }
        #expect(
            rows.map { $0.prefix(3) } == [
                ["hot", "actor", "80.0%"], ["hot", "lru", "90.0%"], ["scan", "actor", "0.0%"], ["scan", "lru", "0.0%"],
            ])
        #expect(Set(rows.map { $0[3] }) == ["20.0%", "10.0%", "100.0%"])
        #expect(tables.last?.rows.first?.last?.value == .integer(5_000))
    }

    @Test func `pools leave the ranked table unchanged`() {
        var plain = result()
        plain.latency.removeAll { $0.labels.pool != .all }
        plain.hitRates = plain.hitRate.list
        #expect(ClosingTable.tables([plain]) == [ClosingTable.tables([result()])[0]])
    }
}
