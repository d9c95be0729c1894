import Foundation
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

    /// Runs comparisons until the time is over; a comparison that has begun is finished.
    mutating func run(for time: Duration) throws {
        let end = ContinuousClock.now + time
        let rounds =
            cases.allSatisfy(\.isCounted) ? SpinRounds(tenth: 0, twentieth: 0, p99: 0) : try spinRounds()
        while ContinuousClock.now < end {
            guard let next = cases.min(by: { number(of: $0) < number(of: $1) }) else { return }
            let count = try compare(next, rounds)
            counts.append(count)
            try (counts.map(\.line).joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            FileHandle.standardError.write(Data("\(count.line)\n".utf8))
        }
    }

    private func number(of item: GateCase) -> Int { counts.count { $0.name == item.name } }

    private func spinRounds() throws -> SpinRounds {
        let results = folder.appendingPathComponent("calibration")
        defer { try? FileManager.default.removeItem(at: results) }
        let scenario = try write(GateCase.all[0])
        try ChildProgram.run(
            program,
            [
                "run", scenario, "--strategies", "planted-lru", "--repetitions", "9", "--quiet", "--output",
                results.path,
            ])
        let rows = try ResultFolder.read(at: results.path).compactMap { $0.latency.asCallersSee(.all) }
        let rates = rows.compactMap(\.throughputPerSecond).sorted()
        let tails = rows.compactMap(\.latency?.p99).sorted()
        guard let rate = rates.dropFirst(rates.count / 2).first, rate > 0,
            let tail = tails.dropFirst(tails.count / 2).first
        else { throw HarnessError("no trial had a throughput") }
        let clock = ContinuousClock()
        let spins = (0..<21).map { _ in clock.measure { Spinning.spin(1_000_000) } }.sorted()
        let perRound = Double(spins[10].components.attoseconds) / 1e18 / 1e6
        func rounds(_ seconds: Double) -> Int { max(1, Int((seconds / perRound).rounded())) }
        return SpinRounds(
            tenth: rounds(1 / rate / 9), twentieth: rounds(1 / rate / 19), p99: rounds(Double(tail) / 1e9))
    }

    private func compare(_ item: GateCase, _ rounds: SpinRounds) throws -> GateCount {
        let results = folder.appendingPathComponent("comparison")
        try? FileManager.default.removeItem(at: results)
        let begin = ContinuousClock.now
        let sides = [("baseline", item.baseline), ("candidate", item.fault(rounds))]
        if item.isCounted {
            let folders = try sides.map { try count(item, $0.0, $0.1) }
            try ChildProgram.run(
                program,
                ["compare"] + folders + [
                    "--metrics", item.metrics, "--output", results.path, "--fail-on", "none",
                ])
        } else {
            try ChildProgram.run(
                program,
                ["compare", "--live"] + sides.map { try side($0.0, $0.1) } + [
                    try write(item), "--strategies", item.strategies, "--metrics", item.metrics, "--budget",
                    "\(item.secondsMax)s", "--output", results.path, "--fail-on", "none", "--quiet",
                ])
        }
        let rows = try ResultFolder.rows(of: ComparisonRow.self, at: results.path)
        let spent = ContinuousClock.now - begin
        let seconds = Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
        return GateCount(item, rows, seconds: seconds)
    }

    /// Runs once and counts instructions; returns the folder of the results.
    private func count(_ item: GateCase, _ name: String, _ fault: PlantedFault) throws -> String {
        let results = folder.appendingPathComponent("counted-\(name)")
        try? FileManager.default.removeItem(at: results)
        try ChildProgram.run(
            program,
            [
                "run", try write(item), "--mode", "counted", "--counter", "callgrind", "--strategies", item.strategies,
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

    private func write(_ item: GateCase) throws -> String {
        let path = folder.appendingPathComponent("\(item.name).yaml")
        try item.scenario.write(to: path, atomically: true, encoding: .utf8)
        return path.path
    }

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
