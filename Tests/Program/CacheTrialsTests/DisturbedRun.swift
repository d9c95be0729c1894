import Foundation
import Reports
import TestTiers
import Testing

/// A run of two strategies in several repetitions that a test disturbs, and the invariants that must hold afterwards.
struct DisturbedRun {
    /// Three in the nightly tier.
    static let repetitions = TestTier.isNightly ? 3 : 2

    private static let scenario = """
        title: A run to disturb
        seed: 7
        repetitions: \(repetitions)
        keys: { kind: string, count: 100, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 256 B }
        capacity: { entries: 20 }
        origin: { kind: server, delay: 100 us }
        strategies: [lru, actor]
        phases:
          - { name: warm-up, warm-up: true, operations: 50, mix: { load: 1 } }
          - { name: counted, operations: 200, mix: { read: 2, load: 6, write: 1, remove: 1 } }
          - { name: timed, duration: 50 ms, clients: 2, mix: { load: 1 } }

        """
    /// Rows of a complete run: strategies times repetitions times phases.
    static let rowCount = 2 * repetitions * 3

    let folder: TemporaryFolder
    /// In the environment of every process of this run, so that every process can be found.
    private let mark = "disturbed-\(UUID().uuidString)"

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.write(Self.scenario, to: "disturbed.yaml")
    }

    var output: String { "\(folder.path)/out" }

    /// Starts the run, from a shell that sets up its environment.
    ///
    /// - Parameter environment: variables besides those of the tests.
    func start(
        _ more: String..., shell: String = #"exec "$@""#, environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try Program.start(
            ["run", "disturbed.yaml", "--output", "out", "--quiet"] + more, in: folder.path, shell: shell,
            environment: environment.merging(["CACHE_TRIALS_TEST_MARK": mark]) { $1 })
    }

    /// Starts the run, and stops its program and a trial when this many rows are written: it can't end before the test
    /// continues it.
    func startHeld(
        rows count: Int = 0, shell: String = #"exec "$@""#
    ) async throws -> (program: RunningProgram, trial: Int32) {
        while true {
            let program = try start(shell: shell)
            try await eventually { try rows().count >= count }
            if let trial = try await program.holdTrial() { return (program, trial) }
            // The machine ran the whole run before this test had its turn: nothing was disturbed.
            _ = await program.ending()
            try FileManager.default.removeItem(atPath: output)
        }
    }

    /// The rows of `trials.csv`; none until it has a complete row.
    func rows() throws -> [[String: String]] {
        guard FileManager.default.fileExists(atPath: "\(output)/trials.csv") else { return [] }
        return try records(of: "\(output)/trials.csv")
    }

    /// Checks the invariants of every ended run: whole lines only, whole trials only, and no process left behind.
    func expectOrder(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        await expectNobodyLeft(sourceLocation: sourceLocation)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? [] where name.hasSuffix(".csv") {
            let text = try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8)
            let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
            #expect(lines.last == "", "\(name) ends in the middle of a line", sourceLocation: sourceLocation)
            let counts = Set(try CSVReader.read(text).records.map(\.fields.count))
            #expect(counts.count == 1, "\(name): lines of \(counts) fields", sourceLocation: sourceLocation)
        }
        for (trial, rows) in Dictionary(grouping: try rows(), by: { [$0["strategy"], $0["repetition"]] }) {
            #expect(Set(rows.map { $0["phase"] }).count == 3, "\(trial)", sourceLocation: sourceLocation)
        }
    }

    /// Checks that every process of the run ends by itself, and that its temporary folders are gone with it.
    func expectNobodyLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
        let end = ContinuousClock.now + .seconds(20)
        while !processes().isEmpty, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
        let left = processes()
        #expect(left.isEmpty, "processes left behind: \(left)", sourceLocation: sourceLocation)
        for process in left { kill(process, SIGKILL) }
    }

    /// Resumes the run, and checks that it is complete then and has kept all finished trials.
    func expectResumed(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // A trial with an unfinished phase is run again as a whole.
        let unfinished = Set(
            try rows().filter { ["invalid", "partial"].contains($0["status"]) }.map {
                [$0["strategy"], $0["repetition"]]
            })
        let kept = try rows().filter { !unfinished.contains([$0["strategy"], $0["repetition"]]) }
        let hasBegun = FileManager.default.fileExists(atPath: "\(output)/trials.csv")
        // The run was killed before there was anything to resume.
        if !hasBegun { try? FileManager.default.removeItem(atPath: output) }
        let again = hasBegun ? ["--resume"] : []
        let run = try Program.start(["run", "disturbed.yaml", "--output", "out", "--quiet"] + again, in: folder.path)
        let ending = await run.ending()
        let hasFindings = kept.contains { $0["status"] != "completed" }
        #expect(ending.exitCode == (hasFindings ? 3 : 0), "\(ending.errors)", sourceLocation: sourceLocation)
        let all = try rows()
        #expect(all.count == Self.rowCount, sourceLocation: sourceLocation)
        #expect(Array(all.prefix(kept.count)) == kept, sourceLocation: sourceLocation)
        let run2 = try String(contentsOfFile: "\(output)/run.json", encoding: .utf8)
        #expect(run2.contains("\"partial\" : false"), sourceLocation: sourceLocation)
        try await expectOrder(sourceLocation: sourceLocation)
    }

    /// The live processes of this run.
    private func processes() -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { process in
            guard process != getpid(), let bytes = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            return String(decoding: bytes, as: UTF8.self).contains(mark)
        }
    }
}
