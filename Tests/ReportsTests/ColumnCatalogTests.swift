import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct ColumnCatalogTests {
    @Test func `the header of trials.csv is stable`() {
        #expect(
            CSVWriter.header(of: TrialRow.self)
                == "scenario,strategy,repetition,phase,driver,status,reason,lateness_p99_ns,max_rate_per_second,"
                + "expectations_failed,operations,elapsed_ns,wrong_answers,first_hit_ns,hits_of_first_100,open_ns,close_ns"
                + Samples.sweptHeader)
    }

    @Test func `the header of rate-search.csv is stable`() {
        #expect(
            CSVWriter.header(of: RateSearchRow.self)
                == "scenario,strategy,repetition,phase,step,rate_per_second,objective_ns,achieved_per_second,"
                + "dropped_operations,status,sustained,reason" + Samples.sweptHeader)
    }

    @Test func `the header of comparison.csv is stable`() {
        #expect(
            CSVWriter.header(of: ComparisonRow.self)
                == "scenario,strategy,phase,metric,unit,baseline,candidate,ratio,ratio_low,ratio_high,verdict,difference,"
                + "difference_low,difference_high,smallest_difference,confidence,baseline_strategy,"
                + "baseline_repetitions,candidate_repetitions,reason,sampled_in,slices" + Samples.sweptHeader)
    }

    @Test func `the header of history.csv is stable`() {
        #expect(
            CSVWriter.header(of: HistoryRow.self)
                == "time,commit,machine_kind,build,scenario_hash,scenario,strategy,phase,metric,unit,value,low,high,"
                + "repetitions,acknowledged" + Samples.sweptHeader)
    }

    @Test func `the headers of frames are stable`() {
        #expect(
            CSVWriter.header(of: FramesRow.self)
                == "scenario,strategy,repetition,phase,frames,over_budget,missed,machine_frames,held_p50_ns,held_p99_ns,"
                + "held_max_ns,cells,shown_at_once,time_to_picture_p50_ns,time_to_picture_p99_ns,abandoned_loads,"
                + "late_answers,shown_later" + Samples.sweptHeader)
        #expect(
            CSVWriter.header(of: FrameTimeRow.self)
                == "scenario,strategy,repetition,phase,frame,scroll,row,held_ns,late_ns,missed,cells,shown_at_once,blame"
                + Samples.sweptHeader)
    }

    @Test func `the header of slices.csv is stable`() {
        #expect(
            CSVWriter.header(of: SliceRow.self)
                == "scenario,strategy,repetition,phase,slice,operations,throughput_per_second,p50_ns,lookups,hits"
                + Samples.sweptHeader)
    }

    @Test func `the header of latency.csv is stable`() {
        #expect(
            CSVWriter.header(of: LatencyRow.self)
                == "scenario,strategy,repetition,phase,pool,operation,outcome,basis,count,throughput_per_second,"
                + "min_ns,mean_ns,p50_ns,p90_ns,p95_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns,"
                + "instructions_per_operation,first_level_misses_per_operation,last_level_misses_per_operation,"
                + "counted_by,tier" + Samples.sweptHeader)
    }

    @Test func `a counted latency row has its figures at the end, and no times`() {
        var row = LatencyRow(
            key: Samples.key(), labels: LatencyLabels(operation: .only(.read)), count: 7, throughputPerSecond: nil,
            latency: nil)
        row.counts = InstructionCounts(
            method: .callgrind, instructions: 113.25, firstLevelMisses: 2, lastLevelMisses: 0)
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,all,read,all,service,7,,,,,,,,,,,113.250,2.000,0.000,callgrind,all"
                + Samples.sweptCells)
    }

    @Test func `the header of functions.csv is stable`() {
        #expect(
            CSVWriter.header(of: FunctionRow.self)
                == "scenario,strategy,repetition,phase,function,instructions_per_operation,share" + Samples.sweptHeader)
    }

    @Test func `the header of hit-rate.csv is stable`() {
        #expect(
            CSVWriter.header(of: HitRateRow.self)
                == "scenario,strategy,repetition,phase,pool,capacity_entries,capacity_bytes,lookups,hits,misses,"
                + "hit_ratio,byte_hit_ratio,optimal_hit_ratio,writes,removals,evictions,expirations,origin_loads,"
                + "duplicate_loads,joined_loads,failed_loads,dropped_operations,bytes_looked_up,bytes_hit,duplicate_reads,tier"
                + Samples.sweptHeader)
    }

    @Test func `the header of memory.csv is stable`() {
        #expect(
            CSVWriter.header(of: MemoryRow.self)
                == "scenario,strategy,repetition,phase,allocated_bytes_before,allocated_bytes_after,"
                + "resident_bytes_peak,allocations_per_operation,allocated_bytes_per_operation,bytes_per_entry,"
                + "bytes_after_remove_all,bytes_after_drop" + Samples.sweptHeader)
    }

    @Test func `the header of pressure.csv is stable`() {
        #expect(
            CSVWriter.header(of: PressureRow.self)
                == "scenario,strategy,repetition,phase,level,responds,response_ns,entries_before,entries_given_back,"
                + "entries_given_back_at_end,bytes_before,bytes_given_back,bytes_given_back_at_end,"
                + "allocated_bytes_before,allocated_bytes_after,hit_ratio_before,hit_ratio_after,operations_to_recovery,"
                + "loads_in_flight,loads_survived,loads_failed,loads_restarted" + Samples.sweptHeader)
    }

    @Test func `the header of prefetch.csv is stable`() {
        #expect(
            CSVWriter.header(of: PrefetchRow.self)
                == "scenario,strategy,repetition,phase,own,calls,keys,requests,used,joined,overtaken,evicted,unused,"
                + "wasted_bytes,low_priority,raised,inversions,cancelled,late_requests,failed,visible_again,visible_lost"
                + Samples.sweptHeader)
    }

    @Test func `the header of stages.csv is stable`() {
        #expect(
            CSVWriter.header(of: StageRow.self)
                == "scenario,strategy,repetition,phase,operation,outcome,stage,count,total_ns,min_ns,mean_ns,p50_ns,p99_ns,"
                + "max_ns" + Samples.sweptHeader)
    }

    @Test func `a latency row is written with whole nanoseconds`() {
        let row = Samples.latency(Samples.key())
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,all,load,all,service,1000,12345.679,100,1500,1000,1000,1000,20000,20000,20000,"
                + "20000,,,,,all" + Samples.sweptCells)
    }

    @Test func `a latency row without a distribution has empty cells, not zeros`() {
        let row = LatencyRow(
            key: Samples.key(), labels: LatencyLabels(operation: .only(.load), outcome: .only(.hit)), count: 0,
            throughputPerSecond: 0, latency: nil)
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,all,load,hit,service,0,0.000,,,,,,,,,,,,,,all" + Samples.sweptCells)
    }

    @Test func `a hit rate row has ratios with six decimals and empty cells for what is unknown`() throws {
        let row = try #require(Samples.phase(origin: nil, duplicates: nil).hitRate)
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,all,500,,1000,900,100,0.900000,0.333333,0.950000,0,0,40,,,,0,0,,3000,1000,,all"
                + Samples.sweptCells)
    }

    @Test func `without lookups there is no hit ratio`() {
        let row = HitRateRow(key: Samples.key(), capacity: Capacity())
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,all,,,0,0,0,,,,0,0,,,,,0,0,,0,0,,all" + Samples.sweptCells)
    }

    @Test func `a memory row is written unchanged`() throws {
        let row = try #require(Samples.phase().memory)
        #expect(
            CSVWriter.line(row)
                == "steady,lru,1,main,1000,9000,,0.250000,,123.457,," + Samples.sweptCells)
    }

    @Test func `a number that is not finite is an empty cell`() {
        let row = MemoryRow(key: Samples.key()).with {
            ($0.allocationsPerOperation, $0.bytesPerEntry) = (.nan, .infinity)
        }
        #expect(CSVWriter.line(row) == "steady,lru,1,main,,,,,,,," + Samples.sweptCells)
    }

    @Test func `every column is explained, and named once in its file`() {
        for column in ColumnCatalog.descriptions { #expect(column.meaning.hasSuffix("."), "\(column.name)") }
        let names = ColumnCatalog.descriptions.map { $0.file + " " + $0.name }
        #expect(Set(names).count == names.count)
        #expect(
            names.count
                == 17 + 24 + 26 + 22 + 14 + 12 + 11 + 8 + 7 + 8 + 12 + 12 + 9 + 12 + 22 + 22 + 20 + 6 + 15 + 18 + 15
                // The columns of a sweep, in all files but controls.csv and replay.csv.
                + 19 * 8)
    }

    @Test func `every list of rows in a phase's result has a file`() {
        let properties = Mirror(reflecting: PhaseResult(trial: TrialRow())).children.filter {
            "\(type(of: $0.value))".contains("Row")
        }
        #expect(properties.count == PhaseResult.kinds.count + 1)
        #expect(Set(ResultFile.allCases.map(\.rawValue)).count == ResultFile.allCases.count)
    }

    @Test func `a column with a unit in its name declares that unit`() {
        for column in ColumnCatalog.descriptions {
            if column.name.hasSuffix("_ns") { #expect(column.unit == "ns", "\(column.name)") }
            if column.name.hasSuffix("_ratio") { #expect(column.type == .ratio, "\(column.name)") }
            if column.name.contains("bytes") { #expect(column.unit == "bytes", "\(column.name)") }
        }
    }

    @Test func `the list of columns prints one row for each`() {
        let lines = ColumnCatalog.table.rendered(as: .csv).split(separator: "\r\n")
        #expect(lines.count == ColumnCatalog.descriptions.count + 1)
        #expect(lines[0] == "file,column,unit,type,repeats,meaning")
        #expect(lines[1] == "trials.csv,scenario,,text,yes,The scenario's name.")
    }

    @Test func `the header of machines.csv is stable`() {
        #expect(
            CSVWriter.header(of: MachineRow.self)
                == "scenario,strategy,repetition,shard,machine,machine_kind" + Samples.sweptHeader)
    }
}
