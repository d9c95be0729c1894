import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct MergedFolderTests {
    @Test func `a folder that is read is written again unchanged, distributions and examples included`() throws {
        let temporary = try TemporaryFolder()
        let files = ResultFile.ofRun + ResultFile.others(of: [Samples.everything()] as [PhaseResult]) + [.consistency]
        let paths = [temporary.path("one"), temporary.path("two")]
        var result = Samples.everything()
        result.distributions = [
            EncodedDistribution(labels: LatencyLabels(operation: .only(.load)), longestNanoseconds: 7, encoded: "HIST=")
        ]
        result.startSeconds = 1_700_000_000.25
        let row = ConsistencyRow().with {
            ($0.trial, $0.promise, $0.verdict) = (result.trial.key.trial, .freshness, .inconsistent)
            ($0.operationsChecked, $0.violations, $0.example) = (9, 1, "stale")
        }
        let folder = try ResultFolder.create(at: paths[0], files: files)
        try folder.append([result], consistency: [ConsistencyEntry(row: row, example: "{}\n")])

        let contents = try ResultFolder.readContents(at: paths[0])
        let again = try ResultFolder.create(at: paths[1], files: files)
        try again.append(contents.results, consistency: contents.consistency)
        let names = files.map(\.rawValue) + ["histograms/steady.lru.hlog", ConsistencyEntry.path(of: row)]
        for name in names {
            #expect(try temporary.text("one/\(name)") == temporary.text("two/\(name)"), "\(name)")
        }
    }

    @Test func `the machine of a trial is read back unchanged, and is empty elsewhere`() throws {
        let temporary = try TemporaryFolder()
        let folder = try ResultFolder.create(at: temporary.path("m"), files: ResultFile.ofRun + [.machines])
        let row = MachineRow().with {
            ($0.trial, $0.shard, $0.machine) = (Samples.key().trial, 3, "box")
            $0.kind = "EPYC, 2 cores, \"x\""
        }
        try folder.append([row])
        #expect(try ResultFolder.rows(of: MachineRow.self, at: temporary.path("m")) == [row])
        _ = try ResultFolder.create(at: temporary.path("r"))
        #expect(try ResultFolder.rows(of: MachineRow.self, at: temporary.path("r")).isEmpty)
    }
}
