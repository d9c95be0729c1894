package import TrialModel

/// Marks in the files of a pull request, as GitHub's runner reads them from the output of a step.
package enum RaceAnnotations {
    /// A step shows no more of a kind.
    private static let countMax = 10

    /// A line for the first place of each race of a strategy that should have none.
    ///
    /// - Parameter expected: strategies whose races are expected.
    package static func lines(_ rows: [RaceRow], expected: Set<String>) -> [String] {
        let found = rows.filter { $0.verdict == .racy && !expected.contains($0.strategy) }
        return found.prefix(countMax).map { row in
            let races = Quantity.many(row.races, "data race")
            let text = "\(row.strategy) in \(row.scenario): \(races) in \(row.runsFlagged) of \(row.runs) runs"
            return "::warning \(place(row.firstLocation))title=Data race::\(escaped(text))"
        }
    }

    /// The properties of a place such as `Sources/Cache.swift:12`; none for one outside of the repository.
    private static func place(_ location: String) -> String {
        let parts = location.split(separator: ":")
        guard parts.count >= 2, let line = UInt32(parts[1]), !location.hasPrefix("/") else { return "" }
        return "file=\(property(String(parts[0]))),line=\(line),"
    }

    private static func escaped(_ text: String) -> String {
        DisplayWidth.harmless(text).replacing("%", with: "%25")
    }

    private static func property(_ text: String) -> String {
        escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
