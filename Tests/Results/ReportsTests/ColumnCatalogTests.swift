import Reports
import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1))) struct ColumnCatalogTests {

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

    @Test func `a number that is not finite is an empty cell`() {
        let row = MemoryRow(key: Samples.key()).with {
            ($0.allocationsPerOperation, $0.bytesPerEntry) = (.nan, .infinity)
        }
        #expect(CSVWriter.line(row) == "steady,lru,1,main,,,,,,,," + Samples.sweptCells)
        let slice = SliceRow(key: Samples.key()).with {
            ($0.slice, $0.operations, $0.throughputPerSecond, $0.p50Nanoseconds) = (1, 2, .infinity, .nan)
        }
        #expect(CSVWriter.line(slice) == "steady,lru,1,main,1,2,,,0,0," + Samples.sweptCells)
    }

    @Test func `every column is explained, and named once in its file`() {
        for column in ColumnCatalog.descriptions { #expect(column.meaning.hasSuffix("."), "\(column.name)") }
        let names = ColumnCatalog.descriptions.map { $0.file + " " + $0.name }
        #expect(Set(names).count == names.count)
        let own = [17, 24, 26, 22, 14, 12, 11, 9, 7, 9, 12, 9, 14, 22, 15, 8, 19, 21, 6, 15, 18]
        // The columns of a sweep are in all files but controls.csv and those of replay.
        #expect(names.count == own.reduce(18 * 8, +))
    }

    @Test func `every list of rows in a phase's result has a file`() {
        let properties = Mirror(reflecting: PhaseResult(trial: TrialRow())).children.filter {
            "\(type(of: $0.value))".contains("Row")
        }
        #expect(properties.count == PhaseResult.kinds.count + 1)
        #expect(Set(ResultFile.allCases.map(\.rawValue)).count == ResultFile.allCases.count)
    }

    @Test func `tables and metrics of a figure have the name, the unit and the form of its column`() throws {
        var result = Samples.phase()
        result.frames = Samples.frames(result.trial.key)
        let table = try #require(ScenarioRanking.all([result]).first?.frameTables.first?.table)
        #expect(table.cell("lru", "held_p99_ns") == .duration(2_000) && table.cell("lru", "late_answers") == .count(3))
        let metric = try #require(Metric(rawValue: "held_p99"))
        #expect(metric.unit == "ns" && metric.format == .nanoseconds && metric.value(result) == 2_000)
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
}
