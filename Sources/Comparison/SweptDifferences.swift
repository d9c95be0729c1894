package import TrialModel

/// Where the curves of a sweep differ: a summary of the comparisons of all points.
package enum SweptDifferences {
    /// A curve: one metric of a strategy over the points of a sweep.
    private struct Curve: Hashable {
        var scenario: String
        var strategy: String
        var phase: String
        var metric: String
    }

    /// A sentence for each curve that is better or worse somewhere, or one sentence for a sweep without such a curve;
    /// empty without a sweep. O(rows).
    package static func lines(_ rows: [ComparisonRow]) -> [String] {
        let curves = rows.filter { !$0.scenario.swept.isEmpty }.grouped { row in
            Curve(scenario: row.scenario.name, strategy: row.strategy, phase: row.phase, metric: row.metric)
        }
        return curves.grouped(by: \.key.scenario).flatMap { name, curves in
            let found = curves.compactMap(line)
            return found.isEmpty ? ["\(name): no curve is surely better or worse at any point."] : found
        }
    }

    private static func line(_ curve: Curve, _ rows: [ComparisonRow]) -> String? {
        func places(_ verdict: ComparisonVerdict) -> [String] {
            rows.filter { $0.verdict == verdict }.map(\.scenario).sorted().map(\.pointText)
        }
        let parts = [ComparisonVerdict.worse, .better].compactMap { verdict in
            let places = places(verdict)
            return places.isEmpty ? nil : "\(verdict.rawValue) at \(places.joined(separator: ", "))"
        }
        guard !parts.isEmpty else { return nil }
        let rest = [ComparisonVerdict.same, .inconclusive].compactMap { verdict in
            let count = places(verdict).count
            return count == 0 ? nil : "\(verdict.rawValue) at \(count) of \(rows.count) points"
        }
        return "\(curve.scenario), \(curve.strategy), \(curve.metric) of \(curve.phase): "
            + (parts + rest).joined(separator: "; ") + "."
    }
}
