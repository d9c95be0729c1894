import Testing

@testable import Reports
@testable import TrialModel

/// Curves, groups and gaps in the results of a sweep.
@Suite(.timeLimit(.minutes(1)))
struct SweepTests {
    private func sweep(_ results: [PhaseResult], marks: [String: String] = ClosingTable.marks) throws -> Sweep {
        try #require(SweptResults(results, marks: marks).sweeps.first)
    }

    @Test func `curves are over the dimension with the most values, and of equals over the first`() throws {
        let more = [1.0, 2].flatMap { clients in
            [10.0, 20, 30].flatMap { SweepSamples.trials("lru", [.clients: clients, .capacity: $0]) }
        }
        #expect(try sweep(more).dimension == .capacity)
        #expect(try sweep(more).values == [10, 20, 30])
        let equal = more.filter { $0.trial.key.scenario[.capacity] != 30 }
        #expect(try sweep(equal).dimension == .clients)
    }

    @Test func `a sweep of frames shows frames, and no throughput that the scroll fixes`() throws {
        let results = [10.0, 20].flatMap { capacity in
            (SweepSamples.trials("lru", [.capacity: capacity]) + SweepSamples.trials("ceiling", [.capacity: capacity]))
                .map {
                    var result = $0
                    var row = FramesRow()
                    (row.key, row.frames, row.missed) = (result.trial.key, 100, capacity == 10 ? 5 : 1)
                    (row.heldP99, row.timeToPictureP99) = (1_000, 2_000)
                    result.frames = row
                    return result
                }
        }
        let sweep = try sweep(results)
        #expect(
            sweep.figures.map(\.rawValue).prefix(3) == ["missed_frames", "held_p99", "time_to_picture_p99"]
                && !sweep.figures.contains(.throughput))
        #expect(sweep.figures.allSatisfy { !$0.meaning.isEmpty })
        let missed = try #require(sweep.figures.first)
        let lru = try #require(sweep.groups.first?.curves[missed]?.first { $0.strategy == "lru" })
        #expect(lru.samples.map(\.spread.median) == [0.05, 0.01])
    }

    @Test func `other dimensions give a group for each combination`() throws {
        let results = [1.0, 2, 4].flatMap { clients in
            [10.0, 20].flatMap { capacity in
                [0.05, 0.5].flatMap {
                    SweepSamples.trials("lru", [.clients: clients, .capacity: capacity, .writeShare: $0])
                }
            }
        }
        #expect(
            try sweep(results).groups.map(\.label) == [
                "capacity 10, write share 5%", "capacity 10, write share 50%", "capacity 20, write share 5%",
                "capacity 20, write share 50%",
            ])
    }

    @Test func `a sample has the median, the lowest and the highest repetition`() throws {
        let results = SweepSamples.overClients("lru", [1: [1_000, 4_000, 2_000], 2: [500]])
        let curve = try #require(try sweep(results).groups.first?.curves[.throughput]?.first)
        #expect(curve[1]?.spread == Spread(low: 1_000, median: 2_000, high: 4_000))
        #expect(curve[2]?.spread == Spread(low: 500, median: 500, high: 500))
    }

    @Test func `at each value all strategies have the same repetitions`() throws {
        let results =
            SweepSamples.overClients("lru", [1: [1_000, 2_000, 9_000], 2: [500]])
            + SweepSamples.overClients("sieve", [1: [1_000, 2_000], 2: [500]])
        let curves = try #require(try sweep(results).groups.first?.curves[.throughput])
        #expect(curves.map { $0[1]?.spread.median } == [1_500, 1_500])
    }

    @Test func `results without a sweep stay with the others, and so does a sweep of one point`() {
        let plain = Samples.phase()
        let alone = SweepSamples.trials("lru", [.clients: 4])
        let swept = SweptResults([plain] + alone + SweepSamples.overCapacity("lru", [10: 1, 20: 2]))
        #expect(swept.others == [plain] + alone)
        #expect(swept.sweeps.map(\.dimension) == [.capacity])
    }

    @Test func `a trial that crashed leaves a gap, a word in its cell, and a line below`() throws {
        let crash = Samples.failure(
            Samples.key(SweepSamples.point([.clients: 2]), "lru"), .crashed, "signal 11")
        let results =
            SweepSamples.overClients("lru", [1: [1_000], 4: [3_000]]) + [crash]
            + SweepSamples.overClients("sieve", [1: [1_000], 2: [1_500], 4: [2_000]])
        let sweep = try sweep(results)
        let curve = try #require(sweep.groups[0].curves[.throughput]?.first)
        #expect(curve.strategy == "lru")
        #expect(curve.samples.map(\.x) == [1, 4])
        let table = try #require(SweepTable.tables(sweep).first)
        #expect(
            table.rows.map { $0.map(\.text) } == [
                ["lru", "1.00k", "crashed", "3.00k"], ["sieve", "1.00k", "1.50k", "2.00k"],
            ])
        #expect(table.notes == ["lru at 2 clients: crashed (repetition 1, phase main): signal 11"])
    }

    @Test func `results of crashed trials alone have no curves and no tables`() {
        let results = [1.0, 2].map {
            Samples.failure(Samples.key(SweepSamples.point([.clients: $0]), "lru"), .crashed, "signal 11")
        }
        let sweeps = SweptResults(results).sweeps
        #expect(sweeps.count == 1)
        #expect(sweeps.flatMap(\.figures).isEmpty)
        #expect(sweeps.flatMap(SweepTable.tables).isEmpty)
    }

    @Test func `a point that a strategy lacks is an empty cell`() throws {
        let results =
            SweepSamples.overClients("lru", [1: [1_000]]) + SweepSamples.overClients("sieve", [1: [1], 2: [2]])
        let table = try #require(SweepTable.tables(try sweep(results)).first)
        #expect(table.rows.map { $0.map(\.text) } == [["sieve", "1.00", "2.00"], ["lru", "1.00k", ""]])
    }

    @Test func `the best at the last value is first, and bounds last`() throws {
        let results =
            SweepSamples.overClients("none", [1: [9_000], 2: [9_900]])
            + SweepSamples.overClients("lru", [1: [5_000], 2: [1_000]])
            + SweepSamples.overClients("sieve", [1: [1_000], 2: [2_000]])
        let sweep = try sweep(results)
        #expect(
            SweepTable.tables(sweep).map(\.title) == [
                "scaling: throughput by clients", "scaling: p99 by clients", "scaling: hit ratio by clients",
            ])
        #expect(
            SweepTable.tables(sweep)[0].rendered(as: .table) == """
                scaling: throughput by clients
                Operations a second in phase `main`.
                strategy      1      2  kind
                ────────  ─────  ─────  ────────
                sieve     1.00k  2.00k
                lru       5.00k  1.00k
                none      9.00k  9.90k  baseline

                """)
        #expect(sweep.strategies == ["sieve", "lru", "none"])
    }

    @Test func `programs get numbers, and a column for each value by name`() throws {
        let table = try #require(
            SweepTable.tables(try sweep(SweepSamples.overClients("lru", [1: [1_000], 2: [2_000]]))).first)
        #expect(table.rendered(as: .csv) == "strategy,clients=1,clients=2\r\nlru,1000.000,2000.000\r\n")
    }

    @Test func `a strategy within five per cent of the harness alone has at least that throughput`() throws {
        let results =
            SweepSamples.overClients("ceiling", [1: [1_040], 2: [2_000]])
            + SweepSamples.overClients("lru", [1: [1_000], 2: [1_600]])
        let table = try #require(SweepTable.tables(try sweep(results, marks: ["ceiling": "baseline"])).first)
        #expect(table.rows[0].map(\.text) == ["lru", "≥ 1.00k", "1.60k", ""])
        #expect(table.rows[0][1].value == .number(1_000, places: 3))
        #expect(table.notes.count == 1 && table.notes[0].hasPrefix("≥: within 5%"))
        let far =
            SweepSamples.overClients("ceiling", [1: [9_000], 2: [9_000]])
            + SweepSamples.overClients("lru", [1: [1], 2: [1]])
        #expect(SweepTable.tables(try sweep(far, marks: ["ceiling": "baseline"]))[0].notes.isEmpty)
    }

    @Test func `hit ratios are beside the optimum, and requests that equal the misses have no table`() throws {
        let sweep = try sweep(SweepSamples.overCapacity("lru", [10: 300, 20: 500]))
        #expect(sweep.figures == [.hitRatio, .originShare, .throughput, .p99])
        let tables = SweepTable.tables(sweep)
        #expect(tables.count == 3)
        #expect(
            tables[0].rows.map { $0.map(\.text) } == [
                ["lru", "30.0%", "50.0%", ""], ["optimum", "95.0%", "95.0%", "bound"],
            ])
        let shared = [10.0, 20].flatMap { SweepSamples.trials("lru", [.capacity: $0], hits: 500, origin: 20) }
        #expect(SweepTable.tables(try self.sweep(shared)).count == 4)
    }

    @Test func `instructions have a table for each phase and method, and no times`() throws {
        var results =
            SweepSamples.trials("lru", [.capacity: 10]) + SweepSamples.trials("lru", [.capacity: 20])
            + SweepSamples.trials("actor", [.capacity: 20])
        for index in results.indices {
            let method: InstructionCounts.Method = index == 2 ? .callgrindProcess : .callgrind
            for row in results[index].latency.indices {
                results[index].latency[row].counts = InstructionCounts(method: method, instructions: 100)
            }
        }
        let tables = SweepTable.tables(try sweep(results))
        #expect(
            tables.compactMap(\.title).map { $0.split(separator: ": ")[1] } == [
                "instructions, main by capacity", "instructions, main (callgrind-process) by capacity",
                "hit ratio by capacity",
            ])
        #expect(tables[0].rows[0].map(\.text) == ["lru", "100.0", "100.0"])
    }

    @Test func `all values look different`() {
        let texts = SweepTexts()
        #expect(
            [1, 2_500, 2_501, 10_000, 17_500, 17_501, 1_500_000].map { texts.value($0, of: .capacity) } == [
                "1", "2500", "2501", "10k", "17.5k", "17501", "1.5M",
            ])
        #expect(SweepTexts(isCapacityInBytes: true).value(65_536, of: .capacity) == "64 KiB")
        #expect(texts.value(5_000_000, of: .originDelay) == "5 ms")
        #expect(texts.value(0.055, of: .writeShare) == "5.5%")
        #expect(texts.phrase(1, of: .clients) == "1 client" && texts.phrase(2, of: .clients) == "2 clients")
    }
}
