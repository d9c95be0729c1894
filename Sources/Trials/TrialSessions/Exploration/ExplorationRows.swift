import HistoryChecking
import Reports
import Schedules
package import TrialModel

/// Makes rows of an exploration's findings, and script files of broken promises.
struct ExplorationRows {
    let subject: WorkSubject
    let strategy: String
    let plan: ExplorationPlan

    /// Writes a text under a name; returns its path relative to the result folder.
    typealias WriteScript = (_ text: String, _ name: String) throws -> String

    /// A row with its evidence.
    struct Explored {
        var row: ExplorationRow
        var example: Counterexample?
        /// The steps of threads that break the promise.
        var timeline: [String] = []
    }

    /// The rows with their counterexamples: one for each promise, and one for a schedule that the process did
    /// not survive, or for a strategy that could not be explored.
    func rows(
        _ result: StrategyExploration.Result, write: WriteScript
    ) throws -> [Explored] {
        var rows: [Explored] = []
        let report = result.report
        for finding in report?.findings ?? [] {
            var row = row(finding.promise, verdict(finding.verdict), report)
            let isPartial = row.verdict == .consistent && report?.unseen.isEmpty == false
            if isPartial { row.verdict = .unknown }
            row.operationsChecked = finding.operationsChecked
            row.violations = finding.violations
            row.example = finding.example.map { CounterexampleDrawing($0).line } ?? ""
            if isPartial { row.example = "no interleaving violated it, but not all can be chosen: \(row.unseen)" }
            if finding.operationsChecked == 0, row.verdict == .unknown, row.example.isEmpty, !row.unseen.isEmpty {
                row.example =
                    "not explored: \(row.unseen) runs concurrently, at moments that no interleaving can choose"
            }
            try add(finding.firstSeed, finding.smallest, to: &row, write)
            let isBroken = finding.verdict == .inconsistent
            let example = isBroken ? finding.smallest?.example ?? finding.example : nil
            rows.append(Explored(row: row, example: example, timeline: finding.smallest?.timeline ?? []))
        }
        if let doubt = result.doubt {
            var row = row(.noLostCaller, .unknown, report)
            row.example = doubt
            // The interleavings so far say nothing of the others.
            rows.removeAll { $0.row.promise == .noLostCaller && $0.row.verdict != .inconsistent }
            rows.append(Explored(row: row))
        }
        if let failure = result.failure {
            var row = row(.noLostCaller, .failed, nil)
            row.example = failure
            rows.append(Explored(row: row))
        }
        if let death = result.death {
            var row = row(.noLostCaller, death.isHung ? .hung : .crashed, report)
            row.schedules += 1
            row.violations = 1
            row.example = death.reason
            try add(death.seed, death.smallest, to: &row, write)
            // Earlier schedules say nothing about a promise that this one broke.
            rows.removeAll { $0.row.promise == .noLostCaller && $0.row.verdict != .inconsistent }
            rows.append(Explored(row: row, example: Counterexample(summary: death.reason, events: [])))
        }
        return rows
    }

    private func row(
        _ promise: Promise, _ verdict: ExplorationVerdict, _ report: ExplorationReport?
    ) -> ExplorationRow {
        var row = ExplorationRow()
        row.scenario = subject.scenario.point
        row.strategy = strategy
        row.promise = promise
        row.verdict = verdict
        if let report {
            row.schedules = UInt64(clamping: report.schedules)
            row.distinctTraces = UInt64(clamping: report.distinctTraces)
            row.traceDigest = Self.hexadecimal(report.digest)
            row.distinctOrders = UInt64(clamping: report.distinctOrders)
            row.spaceCovered = report.spaceCovered
            row.unseen = report.unseen.names.joined(separator: ", ")
            row.switchedAt = report.switchPoints.text
        }
        row.carrier = plan.carrier.rawValue
        let ordersThreads = report?.unseen.contains(.threads) != true
        row.orders = plan.orders?.rawValue ?? (ordersThreads ? "random, pos, pct" : OrderChoice.random.rawValue)
        return row
    }

    private func verdict(_ verdict: ConsistencyVerdict) -> ExplorationVerdict {
        switch verdict {
        case .consistent: .consistent
        case .inconsistent: .inconsistent
        case .unknown: .unknown
        }
    }

    private func add(
        _ seed: UInt64?, _ smallest: SmallestScript?, to row: inout ExplorationRow, _ write: WriteScript
    ) throws {
        guard let seed else { return }
        row.firstSeed = seed
        row.replayCommand = Self.command(seed, plan.orders, path: subject.path, strategy: strategy)
        guard let smallest else { return }
        let name = ScriptFile.name("\(subject.scenario.point)-\(strategy)-\(row.promise.rawValue)")
        let text = ScriptFile.text(
            smallest.script, strategy: strategy, scenario: subject.scenario,
            title: "The smallest script found with which \(strategy) violates \(row.promise.rawValue)",
            comments: [
                "Again: " + Self.command(smallest.seed, smallest.orders, path: name, strategy: strategy)
            ] + smallest.timeline)
        row.scriptFile = try write(text, name)
        row.scriptSeed = smallest.seed
        row.scriptOrders = smallest.orders?.rawValue ?? ""
    }

    private static func command(_ seed: UInt64, _ orders: OrderChoice?, path: String, strategy: String) -> String {
        "\(ProgramName.current) explore \(path.shellQuoted) --strategies \(strategy) --orders 1 --seed \(seed)"
            + (orders.map { " --choice \($0.rawValue)" } ?? "")
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// A script as a scenario file.
package enum ScriptFile {
    /// The name of the file of a script: one that a scenario may have, and that no other script has.
    ///
    /// - Parameter script: what the script is of; a point of a sweep has blanks, and `shared+lru` a sign.
    package static func name(_ script: String) -> String {
        let plain = script.replacing(/[^A-Za-z0-9._-]/, with: "-")
        guard plain != script || plain.utf8.count > 64 else { return "\(script).yaml" }
        // What differs between two scripts may be what was replaced or cut.
        let digest = (FileDigest.sha256(ofText: script) ?? "").prefix(8)
        return "\(plain.prefix(64 - 1 - digest.count))-\(digest).yaml"
    }

    /// The file's text; `explore` reads it and repeats the script.
    ///
    /// - Parameters:
    ///   - script: the operations of the callers.
    ///   - strategy: the strategy to run.
    ///   - scenario: the scenario of the exploration, which gives its keys, the size of its values and its limits.
    ///   - title: what it shows, in one line.
    ///   - comments: lines at the top.
    package static func text(
        _ script: ScheduleScript, strategy: String, scenario: Scenario, title: String, comments: [String]
    ) -> String {
        var limits: [String] = []
        if let entries = script.entryLimit ?? scenario.capacity.entries { limits.append("entries: \(entries)") }
        if let bytes = scenario.capacity.bytes { limits.append("bytes: \(bytes) B") }
        let lines =
            comments.map { "# \($0)" } + [
                "", "title: \"\(title)\"", "keys: { kind: integer, count: \(scenario.keys.count) }",
                "values: { kind: bytes, size: \(scenario.values.largestSize) B }",
                "capacity: { \(limits.joined(separator: ", ")) }",
                "origin: { kind: memory }", "strategies: [\(strategy)]", "phases:", "  - name: script", "    script:",
            ] + script.lines.map { "      - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
