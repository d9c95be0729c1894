import Foundation
package import TrialModel

/// The files in `histograms/`: every latency distribution of one strategy under one scenario, in the format of
/// HdrHistogram's interval logs.
///
/// Each row of `latency.csv` has one line. Its fields are: a tag with the row's names (and the tier, where the row is
/// about hits of one tier), the start of the phase in seconds since 1970, its duration in seconds, the longest latency
/// in milliseconds, and the counts.
package enum HistogramLog {
    /// The folder's name in a result folder.
    package static let folder = "histograms"

    /// The file of a trial, relative to the result folder. Strategy names have no dot, so every strategy has its own
    /// file.
    package static func path(of trial: TrialIdentity) -> String {
        "\(folder)/\(escaped(trial.scenario.description)).\(escaped(trial.strategy)).hlog"
    }

    /// One line of a file.
    package struct Entry: Hashable, Sendable {
        /// The key of the row.
        package var key: RowKey
        /// When the phase began, in seconds since 1970.
        package var startSeconds: Double
        /// The distribution behind the row's figures.
        package var distribution: EncodedDistribution
    }

    /// The header of a file.
    ///
    /// - Parameter start: when its first phase began, in seconds since 1970.
    static func header(start: Double) -> String {
        """
        #[Histogram log format version 1.3]
        #[Tag: scenario/strategy/repetition/phase/pool/operation/outcome/basis; latencies in nanoseconds]
        #[StartTime: \(DecimalText.fixed(start, places: 3)) (seconds since epoch)]
        "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"

        """
    }

    /// The lines of a phase.
    static func lines(_ result: PhaseResult) -> String {
        let trial = result.trial.key.trial
        let names = [trial.scenario.description, trial.strategy, String(trial.repetition), result.trial.key.phase]
        let start = DecimalText.fixed(result.startSeconds ?? 0, places: 3)
        let length = DecimalText.fixed(Double(result.trial.elapsedNanoseconds ?? 0) / 1e9, places: 6)
        return result.distributions.map { distribution in
            let labels = distribution.labels
            let tag =
                (names + [
                    labels.pool.rawValue, labels.operation.rawValue, labels.outcome.rawValue, labels.basis.rawValue,
                ] + (labels.tier == .all ? [] : [labels.tier.rawValue])).map(escaped).joined(separator: "/")
            let milliseconds = DecimalText.fixed(distribution.longestNanoseconds, of: 1_000_000, places: 6)
            return "Tag=\(tag),\(start),\(length),\(milliseconds),\(distribution.encoded)\n"
        }.joined()
    }

    /// Whether a line can be in such a file: a comment, the legend, or a distribution, also of another kind.
    static func isPossible(_ line: Substring) -> Bool {
        line.isEmpty || ["#", "\"StartTimestamp\"", "Tag="].contains { line.hasPrefix($0) }
    }

    /// Parses a line; `nil` when it is a comment, the legend, or nothing that this version writes.
    static func entry(_ line: Substring) -> Entry? {
        let fields = parts(of: line, at: ",")
        guard fields.count == 5, fields[0].hasPrefix("Tag=") else { return nil }
        let names = parts(of: fields[0].dropFirst(4), at: "/").map { $0.removingPercentEncoding ?? "" }
        guard (8...9).contains(names.count), !names.contains(""), let repetition = Int(cellText: names[2]),
            repetition >= 1,
            let pool = Selection<String>(rawValue: names[4]),
            let operation = Selection<OperationKind>(rawValue: names[5]),
            let outcome = Selection<Outcome>(rawValue: names[6]), let basis = LatencyBasis(rawValue: names[7]),
            let tier = Selection<HitTier>(rawValue: names.count == 9 ? names[8] : Selection<HitTier>.all.rawValue),
            let longest = nanoseconds(fields[3]), let start = DecimalText.parse(String(fields[1]))
        else { return nil }
        return Entry(
            key: RowKey(
                trial: TrialIdentity(scenario: ScenarioPoint(names[0]), strategy: names[1], repetition: repetition),
                phase: names[3]),
            startSeconds: start,
            distribution: EncodedDistribution(
                labels: LatencyLabels(
                    pool: pool, operation: operation, outcome: outcome, basis: basis, tier: tier),
                longestNanoseconds: longest, encoded: String(fields[4])))
    }

    private static func nanoseconds(_ milliseconds: Substring) -> UInt64? {
        let parts = parts(of: milliseconds, at: ".")
        guard parts.count == 2, parts[1].utf8.count == 6 else { return nil }
        return UInt64(cellText: String(parts[0] + parts[1]))
    }

    /// Splits by bytes, which is faster than by characters.
    private static func parts(of text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: separator) }.map { Substring($0) }
    }

    /// The text with every character escaped that a tag or a file name can't hold.
    private static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }

    private static let allowed = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
}

/// A file in `histograms/`.
struct HistogramFile {
    let path: String

    /// The files of a result folder; none where it has no histograms.
    static func all(in path: String) throws(ReportsError) -> [HistogramFile] {
        let folder = "\(path)/\(HistogramLog.folder)"
        guard try Files.kind(of: folder) == .folder else { return [] }
        return try Files.names(in: folder).filter { $0.hasSuffix(".hlog") }
            .map { HistogramFile(path: "\(folder)/\($0)") }
    }

    /// Its lines without their line ends; a last line that was cut off is left out.
    func lines() throws(ReportsError) -> [Substring] {
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        // Splits bytes, which is faster than splitting characters.
        return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
            Substring($0)
        }
    }

    /// Keeps the lines of some trials, and removes the file when no line is left. A file that needs no change is not
    /// touched.
    func keep(_ trials: Set<TrialIdentity>) throws(ReportsError) {
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        let lines = try lines()
        let kept = lines.filter { line in
            guard line.hasPrefix("Tag=") else { return true }
            return HistogramLog.entry(line).map { trials.contains($0.key.trial) } ?? false
        }
        guard kept.contains(where: { $0.hasPrefix("Tag=") }) else { return Files.remove(path) }
        guard kept.count < lines.count || text.utf8.last != UInt8(ascii: "\n") else { return }
        try Files.replace(path, with: kept.map { $0 + "\n" }.joined())
    }
}
