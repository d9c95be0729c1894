import Reports
import Testing
import TrialModel

/// Rows of key pools in a result folder and in the closing tables.
@Suite(.timeLimit(.minutes(1)))
struct PoolRowsTests {
    /// A phase with two pools: one that hits, and one that never does.
    private func result(_ strategy: String = "lru", hits: UInt64 = 450) -> PhaseResult {
        let key = Samples.key("steady", strategy)
        var result = Samples.phase(key, hits: hits)
        for (pool, hits, p99) in [("hot", hits, 5_000), ("scan", 0, 70_000)] as [(String, UInt64, UInt64)] {
            var row = Samples.latency(key, p50: 2_000, p99: p99, count: 500)
            row.labels.pool = .only(pool)
            result.latency.append(row)
            result.hitRates.append(
                HitRateRow(
                    key: key, pool: .only(pool), capacity: Capacity(entries: 500), lookups: 500, hits: hits,
                    misses: 500 - hits
                ).with {
                    ($0.originLoads, $0.duplicateLoads) = (500 - hits, 1)
                })
        }
        result.startSeconds = 1_700_000_000
        result.distributions = [.all, .only("hot"), .only("scan")].map {
            EncodedDistribution(
                labels: LatencyLabels(pool: $0, operation: .only(.load)), longestNanoseconds: 1_234_567,
                encoded: "HIST\($0)=")
        }
        return result
    }

    @Test func `rows and distributions of pools are read back unchanged`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path("results")
        try ResultFolder.create(at: path).append([result()])
        let read = try #require(try ResultFolder.read(at: path).first)
        #expect(read.hitRate?.pool == .all && read.hitRate?.lookups == 1_000)
        #expect(read.poolHitRates.map(\.pool) == [.only("hot"), .only("scan")])
        #expect(read.poolHitRates.map(\.hits) == [450, 0])
        #expect(read.latency.map(\.labels.pool) == [.all, .all, .only("hot"), .only("scan")])
        #expect(try ResultFolder.readDistributions(at: path) == [Samples.key(): result().distributions])
        #expect(try temporary.text("results/histograms/steady.lru.hlog").contains("Tag=steady/lru/1/main/hot/load/"))
    }

    @Test func `a trial that is run again leaves no rows of its pools behind`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path("results")
        var partial = result()
        partial.trial.status = .partial
        try ResultFolder.create(at: path).append([partial])
        let (folder, finished) = try ResultFolder.reopen(at: path, phases: ["steady": ["main"]])
        #expect(finished.isEmpty)
        try folder.append([result()])
        #expect(try ResultFolder.read(at: path).first?.poolHitRates.count == 2)
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
