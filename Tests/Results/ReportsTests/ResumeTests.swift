import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct ResumeTests {
    let temporary: TemporaryFolder
    let path: String
    let plan: [ScenarioPoint: [String]] = ["steady": ["fill", "main"]]

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    private func trial(_ strategy: String, _ repetition: Int = 1) -> TrialIdentity {
        TrialIdentity(scenario: "steady", strategy: strategy, repetition: repetition)
    }

    private func results(_ strategy: String, _ repetition: Int = 1) -> [PhaseResult] {
        [
            Samples.phase(Samples.key("steady", strategy, repetition, "fill")),
            Samples.phase(Samples.key("steady", strategy, repetition, "main")),
        ]
    }

    /// A folder with two finished trials, closed.
    private func makeFolder() throws {
        let folder = try ResultFolder.create(at: path)
        try folder.append(results("lru"))
        try folder.append(results("actor"))
    }

    private func finished() throws -> Set<TrialIdentity> { try ResultFolder.reopen(at: path, phases: plan).finished }

    private func append(_ text: String, to file: ResultFile) throws {
        try temporary.write(try temporary.text("results/\(file.rawValue)") + text, to: "results/\(file.rawValue)")
    }

    private func texts() throws -> [String] {
        try ResultFile.ofRun.map { try temporary.text("results/\($0.rawValue)") }
    }

    @Test func `trials with a row for each phase are finished, and nothing is rewritten`() throws {
        try makeFolder()
        let before = try texts()
        #expect(try finished() == [trial("lru"), trial("actor")])
        #expect(try texts() == before)
    }

    @Test func `a run resumes after the existing rows`() throws {
        try makeFolder()
        let (folder, _) = try ResultFolder.reopen(at: path, phases: plan)
        try folder.append(results("lru", 2))
        #expect(try ResultFolder.read(at: path).map(\.trial.key.repetition) == [1, 1, 1, 1, 2, 2])
    }

    @Test func `a run resumes in a folder whose files lack a column, which is added`() throws {
        try makeFolder()
        for (file, column) in [(ResultFile.trials, "close_ns"), (ResultFile(LatencyRow.self), "p99_9_ns")] {
            let records = try CSVReader.read(Array(try temporary.text("results/\(file.rawValue)").utf8)).records
            let index = try #require(file.columnNames.firstIndex(of: column))
            let lines = records.map { record in
                CSVWriter.line(record.fields.indices.filter { $0 != index }.map { record.fields[$0] })
            }
            try temporary.write(lines.joined(), to: "results/\(file.rawValue)")
        }
        let (folder, finished) = try ResultFolder.reopen(at: path, phases: plan)
        #expect(finished == [trial("lru"), trial("actor")])
        try folder.append(results("lru", 2))
        let rows = try ResultFolder.read(at: path)
        #expect(rows.map { $0.latency.first?.latency?.p99_9 == nil } == [true, true, true, true, false, false])
        #expect(try ResultFolder.missingColumns(at: path).isEmpty)
    }

    @Test func `a trial without a row for each phase runs again`() throws {
        try makeFolder()
        let before = try texts()
        let row = Samples.phase(Samples.key("steady", "disk", 1, "fill")).trial
        try append(CSVWriter.line(row), to: .trials)
        #expect(try finished() == [trial("lru"), trial("actor")])
        #expect(try texts() == before)
    }

    @Test func `a file truncated anywhere keeps whole trials only`() throws {
        try makeFolder()
        let whole = Array(try temporary.text("results/trials.csv").utf8)
        let measurements = try [LatencyRow.file, HitRateRow.file, MemoryRow.file].map {
            ($0, try temporary.text("results/\($0)"))
        }
        for cut in stride(from: 0, through: whole.count, by: 5) {
            try temporary.write(String(decoding: whole[..<cut], as: UTF8.self), to: "results/trials.csv")
            for (name, text) in measurements { try temporary.write(text, to: "results/\(name)") }
            let finished = try finished()
            let read = try ResultFolder.read(at: path)
            #expect(Set(read.map(\.trial.key.trial)) == finished, "cut at \(cut)")
            #expect(read.count == finished.count * 2 && read.allSatisfy { $0.latency.count == 2 }, "cut at \(cut)")
            let lines = try temporary.text("results/latency.csv").split(separator: "\r\n").count
            #expect(lines == 1 + finished.count * 4, "cut at \(cut)")
        }
    }

    @Test(arguments: [
        (TrialStatus.partial, "interrupted"), (.slow, "still at work"), (.invalid, "a client stood still"),
    ])
    func `a trial without a description of its strategy runs again, and its rows are dropped`(
        status: TrialStatus, reason: String
    ) throws {
        try makeFolder()
        let before = try texts()
        do {
            let (folder, _) = try ResultFolder.reopen(at: path, phases: plan)
            try folder.append([
                Samples.phase(Samples.key("steady", "disk", 1, "fill")),
                Samples.failure(Samples.key("steady", "disk", 1, "main"), status, reason),
            ])
        }
        #expect(try ResultFolder.read(at: path).count == 6)
        #expect(try finished() == [trial("lru"), trial("actor")])
        #expect(try texts() == before)
    }

    @Test(arguments: [TrialStatus.crashed, .hung])
    func `a trial that crashed or hung is finished: that is its result`(status: TrialStatus) throws {
        do {
            let folder = try ResultFolder.create(at: path)
            try folder.append(
                ["fill", "main"].map { Samples.failure(Samples.key("steady", "lru", 1, $0), status, "why") })
        }
        #expect(try finished() == [trial("lru")])
    }

    @Test func `a scenario that is not part of the run is refused`() throws {
        try makeFolder()
        let error = #expect(throws: ReportsError.self) {
            try ResultFolder.reopen(at: path, phases: ["other": ["main"]])
        }
        #expect(
            error?.description
                == "\(path)/trials.csv:2: the scenario steady is not part of this run; pass the scenarios that the "
                + "folder was made from, or choose another --output")
    }

    @Test func `a phase that the scenario no longer has is refused`() throws {
        try makeFolder()
        #expect(
            throws: ReportsError.notInPlan(path: "\(path)/trials.csv", line: 3, what: "the phase main of steady")
        ) { try ResultFolder.reopen(at: path, phases: ["steady": ["fill"]]) }
    }

    @Test(arguments: [LatencyRow.file, HitRateRow.file, MemoryRow.file])
    func `missing measurements are named, and nothing of the folder is changed`(file: String) throws {
        try makeFolder()
        let whole = try temporary.text("results/\(file)")
        for kept in ["", String(whole.prefix(10)), String(whole.prefix { $0 != "\r\n" }) + "\r\n"] {
            try temporary.write(kept, to: "results/\(file)")
            let before = try texts()
            let error = #expect(throws: ReportsError.self) {
                try ResultFolder.reopen(at: path, phases: plan)
            }
            #expect(
                error?.description
                    == "\(path)/\(file) has no rows of lru in steady, fill, repetition 1, though trials.csv says that "
                    + "it completed; put the file back as it was, or remove the trial's rows from trials.csv to run it "
                    + "again, or choose another --output")
            #expect(error?.exitCode == .badInput)
            #expect(try texts() == before)
        }
    }

    @Test func `a warm-up has no measurements, and neither has a phase that crashed`() throws {
        do {
            let folder = try ResultFolder.create(at: path)
            let warmUp = PhaseResult(
                trial: TrialRow(
                    key: Samples.key("steady", "lru", 1, "fill"), driver: .threads, status: .completed, operations: 9))
            try folder.append([warmUp, Samples.failure(Samples.key("steady", "lru", 1, "main"), .crashed, "why")])
        }
        #expect(try finished() == [trial("lru")])
    }

    @Test func `a phase without operations has no latencies`() throws {
        do {
            var idle = results("lru")
            idle[1].trial.operations = 0
            idle[1].latency = []
            try ResultFolder.create(at: path).append(idle)
        }
        #expect(try finished() == [trial("lru")])
    }

    @Test func `a folder that is missing, or holds no results, is named`() throws {
        #expect(throws: ReportsError.noResults(path: path)) { try ResultFolder.reopen(at: path, phases: plan) }
        #expect(throws: ReportsError.noResults(path: temporary.path)) {
            try ResultFolder.reopen(at: temporary.path, phases: plan)
        }
    }

    @Test func `the remains of a crash during a file's replacement are removed`() throws {
        try makeFolder()
        try temporary.write("{", to: "results/run.json.77.tmp")
        try temporary.write("mine", to: "results/notes.tmp")
        let histograms = "results/histograms"
        try FileManager.default.createDirectory(atPath: temporary.path(histograms), withIntermediateDirectories: true)
        try temporary.write("x", to: "\(histograms)/steady.lru.hlog.77.tmp")
        #expect(try finished().count == 2)
        #expect(
            try temporary.names("results") == [
                "histograms", "hit-rate.csv", "latency.csv", "memory.csv", "notes.tmp", "timeline.csv", "trials.csv",
            ])
        #expect(try temporary.names(histograms).isEmpty)
    }
}
