package import Reports
package import TrialModel

/// A figure of a phase.
package struct FigureKey: Hashable, Sendable {
    package let phase: RowKey
    package let metric: Metric

    package init(phase: RowKey, metric: Metric) { (self.phase, self.metric) = (phase, metric) }
}

/// Figures that are committed beside the code, one a line, as a baseline that needs no run: counts of phases in which one
/// client sends its operations, which are the same on every machine.
///
/// A CSV file: `scenario,strategy,phase,metric,value`. Lines are ordered by scenario, strategy and phase, so that equal
/// figures make equal files, and a change of one figure changes one line.
package struct Thresholds: Sendable {
    /// A figure, and its line in the file; 0 for one that is not in it.
    private struct Threshold {
        var value: Double
        var line = 0
    }

    /// The path as given.
    package let path: String
    private var figures: [FigureKey: Threshold] = [:]

    /// The metrics that have lines. Instructions only as Callgrind counts them: those of the hardware scatter.
    package static let metrics: [Metric] = [.hitRatio, .byteHitRatio, .duplicateLoads, .instructions]

    private static let header = ["scenario", "strategy", "phase", "metric", "value"]

    /// The figures of the first repetition of a run.
    ///
    /// - Parameter exactPhases: the phases of strategies whose counts repeat exactly.
    package init(path: String, of results: [PhaseResult], exactPhases: Set<RowKey>) {
        self.path = path
        for result in results where result.trial.key.repetition == 1 {
            let phase = result.trial.key.ofStrategy
            guard exactPhases.contains(phase) else { continue }
            for metric in Self.metrics where metric != .instructions || [result].countedBy == [.callgrind] {
                guard let value = metric.value(result), value.isFinite else { continue }
                figures[FigureKey(phase: phase, metric: metric)] = Threshold(value: value)
            }
        }
    }

    /// Reads a file.
    ///
    /// - Throws: ``ThresholdError`` with the line, and ``ReportsError`` when the file can't be read.
    package init(readingFrom path: String) throws {
        self.path = path
        guard try Files.kind(of: path) != .nothing else { throw ThresholdError.missing(path: path) }
        do throws(CSVError) {
            var records = try CSVReader.read(try Self.bytes(path)).records[...]
            guard let first = records.popFirst(), first.fields == Self.header else {
                throw CSVError(line: 1, problem: "the header must be \(Self.header.joined(separator: ","))")
            }
            for record in records { try take(record) }
        } catch {
            throw ThresholdError.damaged(path: path, line: error.line, problem: error.problem)
        }
    }

    private static func bytes(_ path: String) throws(CSVError) -> [UInt8] {
        do { return try Files.read(path) } catch { throw CSVError(line: 1, problem: "\(error)") }
    }

    private mutating func take(_ record: CSVRecord) throws(CSVError) {
        func fail(_ problem: String) -> CSVError { CSVError(line: record.line, problem: problem) }
        guard record.fields.count == Self.header.count else {
            throw fail("\(record.fields.count) fields, where the header has \(Self.header.count)")
        }
        guard let metric = Self.metrics.first(where: { $0.rawValue == record.fields[3] }) else {
            throw fail("metric: one of \(Self.metrics.map(\.rawValue).joined(separator: ", "))")
        }
        guard let value = DecimalText.parse(record.fields[4]), (0...1e15).contains(value) else {
            throw fail("value: a number from 0 to 1e15, without an exponent")
        }
        let phase = RowKey(
            scenario: ScenarioPoint(record.fields[0]), strategy: record.fields[1], phase: record.fields[2])
        let known = figures.updateValue(
            Threshold(value: value, line: record.line), forKey: FigureKey(phase: phase, metric: metric))
        if let known { throw fail("the same metric as in line \(known.line)") }
    }

    /// How many figures there are.
    package var count: Int { figures.count }

    /// Takes over the figures of a newer run; those that it does not have stay.
    package mutating func update(with newer: Thresholds) { figures.merge(newer.figures) { $1 } }

    /// Writes the file whole.
    package func write() throws(ReportsError) {
        let lines = figures.map { place, threshold in
            [
                "\(place.phase.scenario)", place.phase.strategy, place.phase.phase, place.metric.rawValue,
                Self.text(threshold.value),
            ]
        }
        let sorted = lines.sorted { $0.lexicographicallyPrecedes($1) }
        // Line ends as in other files of a repository.
        let text = ([Self.header] + sorted).map(CSVWriter.line).joined().replacing("\r\n", with: "\n")
        try ResultFolder.writeText(text, to: path)
    }

    /// The file's name and line of a figure, such as `thresholds.csv:12`; `nil` for one that is not in it.
    package func line(of place: FigureKey) -> String? { figures[place].map { "\(path):\($0.line)" } }
}

extension ComparedRuns {
    /// Compares committed figures with a run.
    ///
    /// Figures of scenarios that did not run, and instructions where they were not counted, are left out, and counted in a
    /// note. A figure that the run lacks although its scenario ran is lost: all strategies may have crashed.
    ///
    /// - Parameters:
    ///   - scenarios: those of which the run has any row.
    ///   - isCounted: whether it counted instructions.
    ///   - names: the strategies to compare; `nil` for all.
    /// - Throws: ``ThresholdError`` where only one of both counted instructions, because phases are cut for that.
    package init(
        thresholds: Thresholds, with run: Thresholds, of scenarios: Set<ScenarioPoint>, isCounted: Bool,
        metrics: [Metric], strategies names: Set<String>?
    ) throws(ThresholdError) {
        let (counted, other) = isCounted ? (run, thresholds) : (thresholds, run)
        for place in counted.places where place.metric == .instructions && other[place] == nil {
            guard other[FigureKey(phase: place.phase, metric: .hitRatio)] != nil else { continue }
            throw .ofAnotherVerb(path: thresholds.path, phase: place.phase, isCounted: isCounted)
        }
        var (pairs, notes, lost) = ([SamplePair](), [String](), [Lost]())
        var unmeasured = 0
        for place in thresholds.places where metrics.contains(place.metric) {
            guard names?.contains(place.phase.strategy) ?? true else { continue }
            guard scenarios.contains(place.phase.scenario), isCounted || place.metric != .instructions else {
                unmeasured += 1
                continue
            }
            if run[place] == nil {
                lost.append(
                    Lost(
                        strategy: place.phase.strategy,
                        text: "\(place.phase): \(place.metric) (\(thresholds.line(of: place) ?? ""))"))
            }
            func sample(_ side: Thresholds) -> [Int: Double] { side[place].map { [1: $0] } ?? [:] }
            pairs.append(
                SamplePair(
                    key: place.phase, metric: place.metric, baseline: sample(thresholds), candidate: sample(run),
                    repeatsExactly: true))
        }
        let new = run.places.count { thresholds[$0] == nil && names?.contains($0.phase.strategy) ?? true }
        if unmeasured > 0 { notes.append("\(unmeasured) lines of \(thresholds.path) are about what did not run") }
        if new > 0 { notes.append("\(new) values have no line in \(thresholds.path); --write-thresholds adds them") }
        self.init(pairs: pairs, notes: notes, lost: lost)
    }
}

extension Thresholds {
    /// The places in the order of the file.
    fileprivate var places: [FigureKey] {
        figures.keys.sorted { first, second in
            let (one, other) = (figures[first]?.line ?? 0, figures[second]?.line ?? 0)
            return one == other
                ? "\(first.phase) \(first.metric)" < "\(second.phase) \(second.metric)" : one < other
        }
    }

    /// A figure as it is written, so that a run is equal to its own file.
    fileprivate subscript(place: FigureKey) -> Double? {
        figures[place].flatMap { DecimalText.parse(Self.text($0.value)) }
    }

    fileprivate static func text(_ value: Double) -> String { DecimalText.shortest(value, places: 6) }

    /// Which line to edit for each figure that has changed.
    ///
    /// - Parameter rows: the verdicts.
    package func edits(_ rows: [ComparisonRow]) -> [String] {
        rows.filter { $0.verdict == .worse || $0.verdict == .better }.compactMap { row in
            guard let metric = Metric(rawValue: row.metric), let value = row.candidate else { return nil }
            let phase = RowKey(scenario: row.scenario, strategy: row.strategy, phase: row.phase)
            return line(of: FigureKey(phase: phase, metric: metric)).map { line in
                "\(line): \(row.verdict == .worse ? "if that is meant, write" : "to keep the gain, write") "
                    + Self.text(value)
            }
        }
    }
}

/// Why committed figures can't be used.
package enum ThresholdError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// A line can't be read.
    case damaged(path: String, line: Int, problem: String)
    /// The run counted instructions and the figures are of one that did not, or the other way around.
    case ofAnotherVerb(path: String, phase: RowKey, isCounted: Bool)

    package var description: String {
        switch self {
        case .missing(let path): "\(path): there is no such file; compare RESULT --write-thresholds \(path) makes one"
        case .damaged(let path, let line, let problem):
            "\(path):\(line): \(problem); mend the line, or restore an earlier version of the file"
        case .ofAnotherVerb(let path, let phase, let isCounted):
            "\(path): the values of \(phase) are of `\(isCounted ? "run" : "count")`, and this is a run of "
                + "`\(isCounted ? "count" : "run")`; `count` cuts phases, so compare two runs of one verb"
        }
    }
}
