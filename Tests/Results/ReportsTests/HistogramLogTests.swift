import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct HistogramLogTests {
    let temporary: TemporaryFolder
    let path: String
    let plan: [ScenarioPoint: [String]] = ["steady": ["main"]]

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    private func distribution(_ operation: Selection<OperationKind>, longest: UInt64 = 1_234_567) -> EncodedDistribution
    {
        EncodedDistribution(
            labels: LatencyLabels(operation: operation), longestNanoseconds: longest, encoded: "HIST\(operation)=")
    }

    private func result(_ strategy: String = "lru", _ repetition: Int = 1, start: Double = 1_700_000_000) -> PhaseResult
    {
        var result = Samples.phase(Samples.key("steady", strategy, repetition, "main"))
        result.distributions = [distribution(.only(.load)), distribution(.all, longest: 7_000_000_001)]
        result.startSeconds = start
        return result
    }

    private func text(_ name: String = "steady.lru.hlog") throws -> String {
        try temporary.text("results/histograms/\(name)")
    }

    @Test func `a file starts with a header for readers, and has a line for each distribution`() throws {
        try ResultFolder.create(at: path).append([result()])
        #expect(
            try text() == """
                #[Histogram log format version 1.3]
                #[Tag: scenario/strategy/repetition/phase/pool/operation/outcome/basis; latencies in nanoseconds]
                #[StartTime: 1700000000.000 (seconds since epoch)]
                "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
                Tag=steady/lru/1/main/all/load/all/service,1700000000.000,1.000000,1.234567,HISTload=
                Tag=steady/lru/1/main/all/all/all/service,1700000000.000,1.000000,7000.000001,HISTall=

                """)
    }

    @Test func `each strategy has a file, and repetitions are appended`() throws {
        let folder = try ResultFolder.create(at: path)
        for repetition in 1...3 {
            try folder.append([result("lru", repetition)])
            try folder.append([result("none", repetition)])
        }
        #expect(try temporary.names("results/histograms") == ["steady.lru.hlog", "steady.none.hlog"])
        #expect(try text().split(separator: "\n").count == 4 + 6)
    }

    @Test func `names that contain characters of the format are read back unchanged`() throws {
        var odd = result()
        odd.trial.key.trial.scenario = "a/b,c d%é"
        odd.distributions[0].labels.pool = .only("x,y")
        try ResultFolder.create(at: path).append([odd])
        let read = try ResultFolder.readDistributions(at: path)
        #expect(read == [odd.trial.key: odd.distributions])
        #expect(try temporary.names("results/histograms").count == 1)
    }

    @Test func `a run without latencies makes no folder`() throws {
        try ResultFolder.create(at: path).append([Samples.phase()])
        #expect(try !temporary.names("results").contains("histograms"))
        #expect(try ResultFolder.readDistributions(at: path).isEmpty)
    }

    @Test func `distributions of a trial that never ended are left out, and dropped before a run resumes`() throws {
        try ResultFolder.create(at: path).append([result()])
        let whole = try text()
        let line = try #require(whole.split(separator: "\n").last)
        let other = line.replacingOccurrences(of: "lru/1", with: "lru/2")
        try temporary.write(whole + other + "\n" + other.prefix(40), to: "results/histograms/steady.lru.hlog")
        try temporary.write("#[torn", to: "results/histograms/steady.none.hlog")
        #expect(try ResultFolder.readDistributions(at: path).keys.sorted { $0.phase < $1.phase } == [Samples.key()])

        let (folder, finished) = try ResultFolder.reopen(at: path, phases: plan)
        #expect(finished.count == 1)
        #expect(try text() == whole)
        #expect(try temporary.names("results/histograms") == ["steady.lru.hlog"])
        try folder.append([result("lru", 2)])
        #expect(
            try text() == whole
                + whole.replacingOccurrences(of: "lru/1", with: "lru/2").split(separator: "\n")
                .dropFirst(4).joined(separator: "\n") + "\n")
    }

    @Test func `a file truncated anywhere keeps only whole lines of finished trials`() throws {
        try ResultFolder.create(at: path).append([result()])
        let whole = Array(try text().utf8)
        for cut in stride(from: 0, through: whole.count, by: 3) {
            try temporary.write(
                String(decoding: whole[..<cut], as: UTF8.self), to: "results/histograms/steady.lru.hlog")
            _ = try ResultFolder.reopen(at: path, phases: plan)
            let read = try ResultFolder.readDistributions(at: path)[Samples.key()] ?? []
            #expect(result().distributions.starts(with: read), "cut at \(cut)")
            if try temporary.names("results/histograms") != [] {
                let left = try text()
                #expect(left.hasSuffix("\n") && left.contains("Tag="), "cut at \(cut)")
            }
        }
    }

    @Test(arguments: [
        "Tag=a/b/1/c/d/e/f/g,0,0,1.000000", "Tag=a/b/0/c/d/e/f/g,0,0,1.000000,x", "Tag=a/b/1/c/d/e/f,0,0,1.000000,x",
        "Tag=a//1/c/d/e/f/g,0,0,1.000000,x", "Tag=a/b/1/c/d/e/f/g,0,0,1.0,x",
        "Tag=a/b/1/c/d/e/f/g,0,0,99999999999999999999.000000,x", "Tag=%ff/b/1/c/d/e/f/g,0,0,1.000000,x", "",
        "Tag=steady/lru/1/main/all/fetch/all/service,0,0,1.000000,x",
        "Tag=steady/lru/1/main/all/load/found/service,0,0,1.000000,x",
        "Tag=steady/lru/1/main/all/load/all/total,0,0,1.000000,x",
    ])
    func `a line of another kind is left out`(line: String) throws {
        try ResultFolder.create(at: path).append([result()])
        try temporary.write(try text() + line + "\n", to: "results/histograms/steady.lru.hlog")
        #expect(try ResultFolder.readDistributions(at: path) == [Samples.key(): result().distributions])
    }
}
