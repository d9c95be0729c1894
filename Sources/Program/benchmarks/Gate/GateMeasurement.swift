import CacheTrials
import Foundation
import Platform
import Reports
import TrialModel

/// Runs the cases in turns until the time is over, and counts the verdicts of `compare --live`.
struct GateMeasurement {
    private let folder: URL
    private let cases: [GateCase]
    private let program: String
    private var counts: [GateCount] = []

    /// - Parameter folder: the folder for the counts; an existing one is continued.
    /// - Throws: the error of a file that can't be read or written.
    init(folder: URL, cases: [GateCase]) throws {
        self.folder = folder
        self.cases = cases
        program = try ChildProgram.own()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        counts = try text.split(separator: "\n").map { line in
            guard let count = GateCount(line: line) else {
                throw HarnessError("\(file.path): '\(line)' is not a count")
            }
            return count
        }
    }

    private var file: URL { folder.appendingPathComponent("counts.csv") }

    /// Runs comparisons until the time is over, and at least one; a comparison that has begun is finished.
    mutating func run(for time: Duration) throws {
        let end = ContinuousClock.now + time
        let rounds =
            cases.allSatisfy(\.isCounted) ? SpinRounds(tenth: 0, twentieth: 0, p99: 0) : try spinRounds()
        // On a busy machine the time may be over before the first comparison.
        repeat {
            guard let next = cases.min(by: { number(of: $0) < number(of: $1) }) else { return }
            let count = try compare(next, rounds)
            counts.append(count)
            try (counts.map(\.line).joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            StandardError.write(count.line)
        } while ContinuousClock.now < end
    }

    private func number(of item: GateCase) -> Int { counts.count { $0.name == item.name } }

    private func spinRounds() throws -> SpinRounds {
        let rows = try ChildProgram.results(
            of: GateCase.all[0].scenario, "planted-lru", in: folder, options: ["--repetitions", "9"]
        ).compactMap { $0.latency.asCallersSee(.all) }
        guard let rate = rows.compactMap(\.throughputPerSecond).median, rate > 0,
            let tail = rows.compactMap(\.latency?.p99).median
        else { throw HarnessError("no trial had a throughput") }
        let spins = (0..<21).map { _ in time(1, [0]) { _ in Spinning.spin(1_000_000) } }
        let perRound = (spins.median ?? .nan) / 1e15
        func rounds(_ seconds: Double) -> Int { max(1, Int((seconds / perRound).rounded())) }
        return SpinRounds(
            tenth: rounds(1 / rate / 9), twentieth: rounds(1 / rate / 19), p99: rounds(Double(tail) / 1e9))
    }

    private func compare(_ item: GateCase, _ rounds: SpinRounds) throws -> GateCount {
        let results = folder.appendingPathComponent("comparison")
        try? FileManager.default.removeItem(at: results)
        let begin = Nanoclock.now()
        let sides = [("baseline", item.baseline), ("candidate", item.fault(rounds))]
        if item.isCounted {
            let folders = try sides.map { try count(item, $0.0, $0.1) }
            try ChildProgram.run(
                program,
                ["compare"] + folders + [
                    "--metrics", item.metrics, "--output", results.path, "--fail-on", "never",
                ])
        } else {
            try ChildProgram.run(
                program,
                ["compare", "--live"] + sides.map { try side($0.0, $0.1) } + [
                    try ChildProgram.write(item.scenario, item.name, in: folder), "--strategies", item.strategies,
                    "--metrics", item.metrics, "--budget",
                    "\(item.secondsMax)s", "--output", results.path, "--fail-on", "never", "--quiet",
                    // On a busy machine the time may be too short for any verdict: that is inconclusive, and none is false.
                ], allowed: [0, TrialExitCode.harnessTrouble.rawValue])
        }
        let isJudged = FileManager.default.fileExists(atPath: results.appendingPathComponent("comparison.csv").path)
        let rows = isJudged ? try ResultFolder.rows(of: ComparisonRow.self, at: results.path) : []
        return GateCount(item, rows, seconds: Double(Nanoclock.elapsed(from: begin, to: Nanoclock.now())) / 1e9)
    }

    /// Runs once and counts instructions; returns the folder of the results.
    private func count(_ item: GateCase, _ name: String, _ fault: PlantedFault) throws -> String {
        let results = folder.appendingPathComponent("counted-\(name)")
        try? FileManager.default.removeItem(at: results)
        try ChildProgram.run(
            program,
            [
                "count", try ChildProgram.write(item.scenario, item.name, in: folder), "--strategies", item.strategies,
                "--output", results.path, "--quiet",
            ], with: [PlantedFault.variable: try fault.json])
        return results.path
    }

    /// Makes a program that runs this one with a fault.
    private func side(_ name: String, _ fault: PlantedFault) throws -> String {
        let path = folder.appendingPathComponent(name)
        let script = "#!/bin/sh\n\(PlantedFault.variable)='\(try fault.json)' exec '\(program)' \"$@\"\n"
        try script.write(to: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
        return path.path
    }

    /// Whether any comparison had a value: a program that always fails is no busy machine.
    var isMeasured: Bool { counts.contains { $0.figures > 0 } }

    /// Whether no verdict was false.
    var holds: Bool { cases.allSatisfy { GateResult($0, counts).holds } }

    /// A row for each case.
    var table: String {
        Table(
            title: "Verdicts of `compare --live`", of: cases.map { GateResult($0, counts) },
            [
                TableColumn("what") { .text($0.item.what) }, TableColumn("goal") { .text($0.goal) },
                TableColumn("seen", .right) { .text($0.isMeasured ? Quantity.percent($0.share) : nil) },
                TableColumn("of", .right) { .text("\($0.sum(\.figures))") },
                TableColumn("median time, s", .right) {
                    .text($0.isMeasured ? DecimalText.fixed($0.seconds, places: 1) : nil)
                },
                TableColumn("verdict") { .text($0.verdict) },
            ]
        ).rendered(as: .markdown)
    }
}
