import Foundation
import Reports
import Testing
import TrialModel

/// Every kind of row in a result folder.
@Suite(.timeLimit(.minutes(1))) struct ResultRowsTests {
    let temporary: TemporaryFolder
    let path: String
    private let files =
        ResultFile.ofRun + ResultFile.others(of: [Samples.everything()] as [PhaseResult]) + [.consistency]
    private let plan: [ScenarioPoint: [String]] = ["steady": ["main"]]

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    /// The header of each file, and the first row of a phase with every kind of rows; without the columns of a sweep.
    static let files: [(any ResultRow.Type, header: String, row: String?)] = [
        (
            TrialRow.self,
            "scenario,strategy,repetition,phase,driver,status,reason,lateness_p99_ns,max_rate_per_second,"
                + "expectations_failed,operations,elapsed_ns,wrong_answers,first_hit_ns,hits_of_first_100,open_ns,close_ns",
            "steady,lru,1,main,main,completed,,,,,1000,1000000000,0,,,,"
        ),
        (
            LatencyRow.self,
            "scenario,strategy,repetition,phase,pool,operation,outcome,basis,count,throughput_per_second,"
                + "min_ns,mean_ns,p50_ns,p90_ns,p95_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns,"
                + "instructions_per_operation,first_level_misses_per_operation,last_level_misses_per_operation,"
                + "counted_by,tier",
            "steady,lru,1,main,all,load,all,service,1000,12345.678,100,1500,1000,1000,1000,20000,20000,20000,20000,,,,,"
                + "all"
        ),
        (
            HitRateRow.self,
            "scenario,strategy,repetition,phase,pool,capacity_entries,capacity_bytes,lookups,hits,misses,"
                + "hit_ratio,byte_hit_ratio,optimal_hit_ratio,writes,removals,evictions,expirations,origin_loads,"
                + "duplicate_loads,joined_loads,failed_loads,dropped_operations,bytes_looked_up,bytes_hit,"
                + "duplicate_reads,tier",
            "steady,lru,1,main,all,500,,1000,900,100,0.900000,0.333333,0.950000,0,0,40,,100,0,0,0,,3000,1000,,all"
        ),
        (
            MemoryRow.self,
            "scenario,strategy,repetition,phase,allocated_bytes_before,allocated_bytes_after,"
                + "resident_bytes_peak,allocations_per_operation,allocated_bytes_per_operation,bytes_per_entry,"
                + "bytes_after_remove_all,bytes_after_drop",
            "steady,lru,1,main,1000,9000,,0.250000,,123.457,,"
        ),
        (
            SliceRow.self,
            "scenario,strategy,repetition,phase,slice,operations,throughput_per_second,p50_ns,lookups,hits,waiting_ns",
            "steady,lru,1,main,1,1000,12345.678,101.250,800,300,"
        ),
        (
            FunctionRow.self, "scenario,strategy,repetition,phase,function,instructions_per_operation,share",
            "steady,lru,1,main,find,12.500,0.250000"
        ),
        (
            FramesRow.self,
            "scenario,strategy,repetition,phase,frames,over_budget,missed,machine_frames,held_p50_ns,held_p99_ns,"
                + "held_max_ns,cells,shown_at_once,time_to_picture_p50_ns,time_to_picture_p99_ns,abandoned_loads,"
                + "late_answers,shown_later",
            "steady,lru,1,main,100,3,2,20,1000,2000,20000000,40,10,30000000,90000000,7,3,20"
        ),
        (
            FrameTimeRow.self,
            "scenario,strategy,repetition,phase,frame,scroll,row,held_ns,late_ns,missed,cells,shown_at_once,blame",
            "steady,lru,1,main,1,still,0,20000000,0,1,0,0,cache"
        ),
        (
            PressureRow.self,
            "scenario,strategy,repetition,phase,level,responds,response_ns,entries_before,entries_given_back,"
                + "entries_given_back_at_end,bytes_before,bytes_given_back,bytes_given_back_at_end,"
                + "allocated_bytes_before,allocated_bytes_after,hit_ratio_before,hit_ratio_after,operations_to_recovery,"
                + "loads_in_flight,loads_survived,loads_failed,loads_restarted",
            "steady,lru,1,main,warning,yes,1500,100,60,0,1000,600,0,9000,8500,0.900000,0.500000,1234,3,3,0,"
        ),
        (
            InvalidationRow.self,
            "scenario,strategy,repetition,phase,events,keys_removed,event_ns,hit_ratio_before,hit_ratio_after,recovery_ns,"
                + "events_recovered,loads_in_flight,stale_answers,stale_keys",
            "steady,lru,1,main,3,900,250000,0.900000,0.600000,40000000,2,5,12,2"
        ),
        (
            PrefetchRow.self,
            "scenario,strategy,repetition,phase,own,calls,keys,requests,used,joined,overtaken,evicted,unused,"
                + "wasted_bytes,cancelled,late_requests,failed,visible_again,visible_lost",
            "steady,lru,1,main,no,20,200,110,60,20,5,5,10,2048,10,4,0,13,2"
        ),
        (
            StageRow.self,
            "scenario,strategy,repetition,phase,operation,outcome,stage,count,total_ns,min_ns,mean_ns,p50_ns,p99_ns,"
                + "max_ns", "steady,lru,1,main,load,miss,before_fetch,10,500,10,50,40,90,99"
        ),
        (
            ComparisonRow.self,
            "scenario,strategy,phase,metric,unit,baseline,candidate,ratio,ratio_low,ratio_high,verdict,difference,"
                + "difference_low,difference_high,smallest_difference,confidence,baseline_strategy,"
                + "baseline_repetitions,candidate_repetitions,reason,sampled_in,slices", nil
        ),
        (MachineRow.self, "scenario,strategy,repetition,shard,machine,machine_kind", nil),
        (
            RaceRow.self,
            "scenario,strategy,verdict,races,runs,runs_flagged,contended_operations,first_location,"
                + "report_file,wrong_answers,runs_crashed,reason", nil
        ),
    ]

    @Test func `the columns of every file are stable, and so is a row`() throws {
        try ResultFolder.create(at: path, files: files).append([Samples.everything()])
        for (kind, header, row) in Self.files {
            #expect(ResultFile(kind).header == header + Samples.sweptHeader, "\(kind.file)")
            guard let row else { continue }
            let text = try temporary.text("results/\(kind.file)")
            #expect(text.hasPrefix(header + Samples.sweptHeader + row + Samples.sweptCells), "\(kind.file): \(text)")
        }
        #expect(
            CSVWriter.line(ControlRow.columnNames)
                == "control,kind,caught,races,runs,runs_flagged,first_location,report_file,reason\r\n")
    }

    @Test func `every kind of row is read back unchanged`() throws {
        let written = [1, 2].map { Samples.everything("lru", $0) }
        let folder = try ResultFolder.create(at: path, files: files)
        for result in written { try folder.append([result]) }
        #expect(try ResultFolder.read(at: path) == written)
        #expect(folder.contents.results == written)
    }

    @Test func `a result that a trial sends to its parent arrives unchanged, with what no file has`() throws {
        var sent = Samples.everything()
        (sent.shareOutsideTurns, sent.startSeconds, sent.contendedOperations) = (1.0 / 3, 1_800_000_000.123_456, 17)
        sent.isHarnessLimited = true
        sent.distributions = [EncodedDistribution(longestNanoseconds: 99, encoded: "AAA=")]
        sent.trial.reason = "two\nlines, \"quoted\""
        #expect(Mirror(reflecting: sent).children.count == PhaseResult.kinds.count + 6)
        #expect(try Self.arrived(sent) == sent)
        let plain = PhaseResult(trial: TrialRow(key: Samples.key(), driver: nil, status: .hung))
        #expect(try Self.arrived(plain) == plain)
    }

    @Test func `a figure with more decimals than its column is written as if it had not travelled`() throws {
        var sent = Samples.phase()
        for figure in [2.0 / 3, 0.000_000_5, 12_345.678_55, 1e-9, 987_654_321_987.654_3] {
            sent.memory?.allocationsPerOperation = figure
            sent.latency[0].throughputPerSecond = figure
            let arrived = try Self.arrived(sent)
            #expect(arrived.memory.map { CSVWriter.line($0) } == sent.memory.map { CSVWriter.line($0) })
            #expect(CSVWriter.line(arrived.latency[0]) == CSVWriter.line(sent.latency[0]))
        }
        sent.slices = [SliceRow(key: Samples.key())]
        let text = String(decoding: try JSONEncoder().encode(sent), as: UTF8.self)
        let damaged = text.replacing("0.000", with: "fast")
        #expect(throws: CellMistake.self) {
            try JSONDecoder().decode(PhaseResult.self, from: Data(damaged.utf8))
        }
    }

    private static func arrived(_ result: PhaseResult) throws -> PhaseResult {
        try JSONDecoder().decode(PhaseResult.self, from: JSONEncoder().encode(result))
    }

    @Test func `a run without further rows is read without their files`() throws {
        try ResultFolder.create(at: path).append([Samples.phase()])
        #expect(try temporary.names("results") == ResultFile.ofRun.map(\.rawValue).sorted())
        let read = try ResultFolder.read(at: path)
        #expect(read.count == 1 && ResultFile.others(of: read).isEmpty)
        #expect(try ResultFolder.readConsistency(at: path).isEmpty)
    }

    @Test func `rows of a trial that never ended are left out, and dropped when a run resumes`() throws {
        let promise = ConsistencyReportsTests.row(.counts, .consistent)
        func write(_ strategy: String, to path: String) throws {
            try ResultFolder.create(at: path, files: files).append(
                [Samples.everything(strategy)],
                consistency: [ConsistencyEntry(row: promise.with { $0.trial.strategy = strategy })])
        }
        try write("lru", to: path)
        try write("actor", to: temporary.path("other"))
        let before = try files.map { try temporary.text("results/\($0.rawValue)") }
        for file in files where file != .trials {
            let rows = try temporary.text("other/\(file.rawValue)").dropFirst(file.header.count)
            try temporary.write(
                try temporary.text("results/\(file.rawValue)") + rows, to: "results/\(file.rawValue)")
        }
        #expect(try ResultFolder.read(at: path) == [Samples.everything()])
        #expect(try ResultFolder.readConsistency(at: path) == [promise])
        #expect(try ResultFolder.reopen(at: path, phases: plan, files: files).finished.count == 1)
        #expect(try files.map { try temporary.text("results/\($0.rawValue)") } == before)
    }

    @Test func `a trial that is run again leaves no rows behind`() throws {
        var partial = Samples.everything()
        partial.trial.status = .partial
        try ResultFolder.create(at: path, files: files).append([partial])
        let (folder, finished) = try ResultFolder.reopen(at: path, phases: plan, files: files)
        #expect(finished.isEmpty)
        try folder.append([Samples.everything()])
        #expect(try ResultFolder.read(at: path) == [Samples.everything()])
    }

    @Test func `a second row with one name is refused, in every file`() throws {
        try ResultFolder.create(at: path, files: files).append([Samples.everything()])
        for file in files where file != .consistency {
            let text = try temporary.text("results/\(file.rawValue)")
            let last = try #require(text.split(separator: "\r\n").last)
            try temporary.write(text + last + "\r\n", to: "results/\(file.rawValue)")
            let error = #expect(throws: ReportsError.self) { try ResultFolder.read(at: path) }
            #expect(
                error.map { "\($0)".contains("a second row for steady, lru, 1, main") } == true, "\(file.rawValue)")
            try temporary.write(text, to: "results/\(file.rawValue)")
        }
        #expect(throws: Never.self) { try ResultFolder.read(at: path) }
    }

    private static let badCells =
        ["slice", "lookups", "p50_ns"].flatMap { column in
            ["-1", "-0.001", "1e999", "nan", "inf", "0x1p4", "", "=1+1", "many"].map { (column, $0) }
        } + ["1.5", "1e3", "99999999999999999999"].map { ("slice", $0) }

    @Test(arguments: badCells)
    func `an impossible number is refused with its file and line`(column: String, text: String) throws {
        try ResultFolder.create(at: path, files: files).append([Samples.everything()])
        var cells = try temporary.text("results/slices.csv").split(separator: "\r\n")[1]
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let place = try #require(ResultFile.slices.columnNames.firstIndex(of: column))
        cells[place] = text
        try temporary.write(ResultFile.slices.header + CSVWriter.line(cells), to: "results/slices.csv")
        let kind = column == "p50_ns" ? "decimal" : "integer"
        #expect(
            throws: ReportsError.badFile(
                path: "\(path)/slices.csv", line: 2, problem: "\(column): \"\(text)\" is no \(kind)")
        ) { try ResultFolder.read(at: path) }
    }
}
