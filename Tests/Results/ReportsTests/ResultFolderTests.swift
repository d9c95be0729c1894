import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct ResultFolderTests {
    let temporary: TemporaryFolder
    let path: String

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("a/b")
    }

    @Test func `a text goes through links and into pipes, which stay`() throws {
        let folder = try TemporaryFolder()
        let (real, link, pipe) = ("\(folder.path)/real", "\(folder.path)/link", "\(folder.path)/pipe")
        try "old".write(toFile: real, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
        try ResultFolder.writeText("new", to: link)
        #expect(try String(contentsOfFile: real, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try ResultFolder.writeText("into the pipe", to: pipe)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "into the pipe")
        #expect(try Files.kind(of: pipe) == .stream)
    }

    @Test func `a new folder has every file with its header before anything runs`() throws {
        let folder = try ResultFolder.create(at: path)
        #expect(
            try temporary.names("a/b") == ["hit-rate.csv", "latency.csv", "memory.csv", "timeline.csv", "trials.csv"])
        for file in ResultFile.ofRun {
            let text = try temporary.text("a/b/\(file.rawValue)")
            #expect(text == CSVWriter.line(file.columnNames))
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `an empty folder is accepted`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try temporary.write("", to: "a/b/.gitkeep")
        #expect(throws: Never.self) { try ResultFolder.create(at: path) }
    }

    @Test func `a folder with earlier results is refused`() throws {
        _ = try ResultFolder.create(at: path)
        let error = #expect(throws: ReportsError.self) { try ResultFolder.create(at: path) }
        #expect(
            error?.description
                == "\(path): holds the results of an earlier run; choose another --output (`run` can continue it with --resume)"
        )
    }

    @Test func `a folder with other files is refused and left unchanged`() throws {
        try temporary.write("text", to: "notes.txt")
        let error = #expect(throws: ReportsError.self) { try ResultFolder.create(at: temporary.path) }
        #expect(
            error?.description
                == "\(temporary.path): holds notes.txt, which is not a result of a run; choose an empty folder with "
                + "--output")
        #expect(try temporary.names() == ["notes.txt"])
    }

    @Test func `a file in the way is named, and folders made on the way are removed again`() throws {
        try temporary.write("", to: "file")
        let error = #expect(throws: ReportsError.self) { try ResultFolder.create(at: temporary.path("file/c")) }
        #expect(
            error?.description
                == "\(temporary.path("file")): is not a folder, or a part of its path is not a folder; choose another "
                + "--output")
        let long = String(repeating: "x", count: 300)
        #expect(throws: ReportsError.self) { try ResultFolder.create(at: temporary.path("new/\(long)")) }
        #expect(try temporary.names() == ["file"])
    }

    @Test func `a folder that another run writes to is refused`() throws {
        let folder = try ResultFolder.create(at: path)
        #expect(throws: ReportsError.inUse(path: path)) { try ResultFolder.reopen(at: path, phases: [:]) }
        withExtendedLifetime(folder) {}
    }

    @Test func `a reason of several lines is read back unchanged`() throws {
        let failure = Samples.failure(Samples.key("steady", "actor"), .crashed, "signal 11, \"here\"\nand there")
        try ResultFolder.create(at: path).append([Samples.phase(), failure])
        #expect(try ResultFolder.read(at: path).map(\.trial) == [Samples.phase().trial, failure.trial])
    }

    @Test func `rows without a file are an error, and nothing is written`() throws {
        let folder = try ResultFolder.create(at: path)
        var sliced = Samples.phase()
        sliced.slices = [
            SliceRow(key: sliced.trial.key).with {
                ($0.slice, $0.operations, $0.throughputPerSecond, $0.p50Nanoseconds) = (1, 1, 1, 1)
            }
        ]
        sliced.distributions = [
            EncodedDistribution(labels: LatencyLabels(operation: .only(.load)), longestNanoseconds: 7, encoded: "HIST=")
        ]
        let error = #expect(throws: ReportsError.self) { try folder.append([sliced]) }
        #expect(error == .noFile(folder: path, .slices))
        #expect(error?.exitCode == .harnessTrouble)
        let entry = ConsistencyEntry(
            row: ConsistencyRow().with {
                ($0.trial, $0.promise, $0.verdict) = (sliced.trial.key.trial, .freshness, .inconsistent)
                ($0.operationsChecked, $0.violations, $0.example) = (1, 1, "stale")
            }, example: "{}")
        #expect(throws: ReportsError.noFile(folder: path, .consistency)) {
            try folder.append([Samples.phase()], consistency: [entry])
        }
        #expect(throws: ReportsError.noFile(folder: path, .machines)) {
            try folder.append([
                MachineRow().with {
                    ($0.trial, $0.shard, $0.machine, $0.kind) = (sliced.trial.key.trial, 1, "box", "EPYC")
                }
            ])
        }
        #expect(try ResultFolder.read(at: path).isEmpty && folder.contents.results.isEmpty)
        #expect(try temporary.names("a/b") == ResultFile.ofRun.map(\.rawValue).sorted())
    }

    @Test func `files that no version writes are ignored, and a file without rows has none`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.consistency])
        try folder.append([Samples.phase()])
        try temporary.write("a,b\r\n1,2\r\n", to: "a/b/other.csv")
        #expect(try ResultFolder.readContents(at: path).results.map(\.latency.count) == [2])
        #expect(try ResultFolder.readConsistency(at: path).isEmpty)
        #expect(try ResultFolder.gaps(at: path, ResultFolder.read(at: path)).isEmpty)
    }

    @Test func `a file that is cut off is named, whichever it is`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.consistency])
        try folder.append([Samples.phase()])
        try temporary.write("", to: "a/b/consistency.csv")
        #expect(
            try ResultFolder.gaps(at: path, ResultFolder.read(at: path))
                == ["\(path)/consistency.csv: its end is cut off"])
    }

    @Test func `a phase without latencies is a gap, unless it was shorter than a slice`() throws {
        var bare = Samples.phase(Samples.key("steady", "none", 1, "main"))
        bare.latency = []
        #expect(try gaps(beside: bare).first?.contains("1 of 2 phases have no latencies, the first is none") == true)
        bare.trial.add(TrialRow.shortMark)
        #expect(try gaps(beside: bare) == [])
        bare.trial.reason = TrialRow.aloneMark + TrialRow.shortMark
        #expect(try gaps(beside: bare).count == 1)
    }

    /// The gaps of a folder with a result beside a complete one.
    private func gaps(beside result: PhaseResult) throws -> [String] {
        try ResultFolder.gaps(at: path, [Samples.phase(Samples.key("steady", "lru", 1, "main")), result])
    }

    @Test func `hostile names stay one field of one row`() throws {
        let folder = try ResultFolder.create(at: path)
        for name in ["a,b", "\"", "x\r\ny", "=1+1", "", "日本", "trial\u{0}"] {
            try folder.append([Samples.phase(Samples.key(ScenarioPoint(named: name), name, 1, name))])
        }
        let keys = try ResultFolder.read(at: path).map(\.latency[0].key)
        #expect(keys.map(\.phase) == ["a,b", "\"", "x\r\ny", "=1+1", "", "日本", "trial\u{0}"])
        #expect(keys.allSatisfy { $0.trial.scenario.name == $0.phase && $0.trial.strategy == $0.phase })
    }

    @Test(arguments: [
        ("trials.csv", ",completed,", "status", "completed, crashed, hung, slow, invalid, partial"),
        ("latency.csv", ",load,", "operation", "read, load, write, remove, clear, burst, prefetch, all"),
        ("latency.csv", ",service,", "basis", "service, response"),
    ])
    func `an impossible cell is an error with file, line, column and allowed values`(
        file: String, word: String, column: String, allowed: String
    ) throws {
        let folder = try ResultFolder.create(at: path)
        try folder.append([Samples.phase()])
        let text = try temporary.text("a/b/\(file)")
        try temporary.write(text.replacingOccurrences(of: word, with: ",other,"), to: "a/b/\(file)")
        let error = #expect(throws: ReportsError.self) { try ResultFolder.read(at: path) }
        #expect(
            error?.description
                == "\(path)/\(file):2: \(column): \"other\" is none of \(allowed); fix or remove the line, "
                + "or start over in another --output")
        #expect(error?.exitCode == .badInput)
    }

    @Test func `a row with another number of fields than the header is an error`() throws {
        _ = try ResultFolder.create(at: path)
        try temporary.write(try temporary.text("a/b/trials.csv") + "a,b\r\n", to: "a/b/trials.csv")
        #expect(
            throws: ReportsError.badFile(
                path: "\(path)/trials.csv", line: 2, problem: "2 fields, where the header has 25")
        ) { try ResultFolder.read(at: path) }
    }

    @Test func `unexpected columns are named`() throws {
        _ = try ResultFolder.create(at: path)
        let text = try temporary.text("a/b/trials.csv").replacingOccurrences(of: "status", with: "state")
        try temporary.write(text, to: "a/b/trials.csv")
        let error = #expect(throws: ReportsError.self) { try ResultFolder.read(at: path) }
        #expect(
            error?.description
                == "\(path)/trials.csv:1: not the columns of this version, missing: status, unknown: state; start over "
                + "in another --output")
    }

    /// Removes a column from a file of the folder, as if an earlier version had written it.
    private func remove(_ column: String, from file: ResultFile) throws {
        let index = try #require(file.columnNames.firstIndex(of: column))
        let records = try CSVReader.read(Array(try temporary.text("a/b/\(file.rawValue)").utf8)).records
        let lines = records.map { record in
            CSVWriter.line(record.fields.indices.filter { $0 != index }.map { record.fields[$0] })
        }
        try temporary.write(lines.joined(), to: "a/b/\(file.rawValue)")
    }

    /// The cells of a column in a result.
    private func cells<Row: MeasurementRow>(_: Row.Type, _ column: String, of result: PhaseResult) -> [String] {
        let columns = Row.columns.filter { $0.name == column }
        return result[keyPath: Row.place].flatMap { row in columns.map { $0.cell(row) } }
    }

    @Test(arguments: PhaseResult.kinds.indices)
    func `a column that a folder lacks is empty in all rows, and a note names it`(kind: Int) throws {
        let (kind, file) = (PhaseResult.kinds[kind], ResultFile(PhaseResult.kinds[kind]))
        for column in file.rowType.cellsWhereMissing.keys.sorted() where !column.hasPrefix("sweep_") {
            defer { try? FileManager.default.removeItem(atPath: path) }
            let result = Samples.everything()
            let others = ResultFile.others(of: [result] as [PhaseResult])
            try ResultFolder.create(at: path, files: ResultFile.ofRun + others).append([result])
            // Rows of tiers are told apart by their tier.
            let isName = column == "tier"
            if isName {
                let lines = try temporary.text("a/b/\(file.rawValue)").split(separator: "\r\n")
                let kept = lines.filter { !$0.contains(",memory,") && !$0.contains(",disk,") }
                try temporary.write(kept.map { $0 + "\r\n" }.joined(), to: "a/b/\(file.rawValue)")
            }
            try remove(column, from: file)
            let read = try ResultFolder.read(at: path)
            let note =
                "\(path)/\(file.rawValue): an earlier version wrote it, without \(column); that column is read as empty"
            #expect(try ResultFolder.gaps(at: path, read).first == note)
            let found = Set(cells(kind, column, of: try #require(read.first)))
            // Some ratios are computed from other columns.
            let expected = kind.cellsWhereMissing[column] ?? "no cell"
            #expect(found == [expected] || column.hasSuffix("hit_ratio"), "\(column): \(found)")
        }
    }

    @Test func `all other columns of a file are required, and no later column may become one of them`() {
        let required = ResultFile.ofRun.map { file in
            let optional = file.rowType.cellsWhereMissing
            return "\(file.rawValue): " + file.columnNames.filter { optional[$0] == nil }.joined(separator: " ")
        }
        let keys = "scenario strategy repetition phase"
        #expect(
            required == [
                "trials.csv: \(keys) status",
                "latency.csv: \(keys) pool operation outcome basis count",
                "hit-rate.csv: \(keys) pool lookups hits misses writes removals joined_loads failed_loads "
                    + "bytes_looked_up bytes_hit",
                "memory.csv: \(keys)",
                "timeline.csv: \(keys) elapsed_ms operation count hits misses",
            ])
    }

    @Test func `a folder without trials.csv is not a result folder`() throws {
        let error = #expect(throws: ReportsError.self) { try ResultFolder.read(at: temporary.path) }
        #expect(
            error?.description
                == "\(temporary.path): holds no trials.csv, so it is not a result folder; check the path")
    }

    @Test func `the verdict is written with sorted keys and is read back`() throws {
        let folder = try ResultFolder.create(at: path)
        let gate = VerdictGate(name: "answers", passed: false, reason: "2 wrong", exitCode: .strategyFailed)
        try folder.writeVerdict(RunVerdict(gates: []))
        try folder.writeVerdict(RunVerdict(gates: [gate]))
        #expect(
            try temporary.text("a/b/verdict.json") == """
                {
                  "exit_code" : 3,
                  "gates" : [
                    {
                      "exit_code" : 3,
                      "name" : "answers",
                      "passed" : false,
                      "reason" : "2 wrong"
                    }
                  ],
                  "passed" : false
                }

                """)
        #expect(try ResultFolder.readVerdict(at: path) == RunVerdict(gates: [gate]))
        #expect(try temporary.names("a/b").filter { $0.hasSuffix(".tmp") }.isEmpty)
    }

    @Test func `a verdict that can't be put in place is an error and leaves no file behind`() throws {
        let folder = try ResultFolder.create(at: path)
        try FileManager.default.createDirectory(
            atPath: "\(path)/verdict.json/x", withIntermediateDirectories: true)
        let error = #expect(throws: ReportsError.self) { try folder.writeVerdict(RunVerdict(gates: [])) }
        #expect(error?.description == "\(path)/verdict.json: could not replace: Is a directory")
        #expect(try temporary.names("a/b").filter { $0.hasSuffix(".tmp") }.isEmpty)
    }
}
