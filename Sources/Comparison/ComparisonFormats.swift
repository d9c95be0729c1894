package import Reports
package import TrialModel

extension JUnitXML {
    /// A case for each figure: one with a verdict that fails the gate failed, one that nothing is sure of is skipped.
    package static func cases(of rows: [ComparisonRow], gate: ComparisonGate) -> [Case] {
        rows.map { row in
            let fails = gate.failing.contains(row.verdict) && !gate.exempt.contains(row.strategy)
            let text = "\(row.verdict.rawValue): \(ComparisonText.line(row))"
            return Case(
                group: "\(row.scenario).\(row.strategy)", name: "\(row.phase), \(row.metric)",
                failure: fails ? text : nil,
                skipped: !fails && row.verdict == .inconclusive ? "inconclusive: \(row.reason)" : nil)
        }
    }
}

extension BenchmarkJSON {
    /// The candidate's figures.
    ///
    /// - Parameter biggerIsBetter: which of the two files.
    package static func entries(_ rows: [ComparisonRow], biggerIsBetter: Bool) -> [Entry] {
        rows.compactMap { row in
            guard let metric = ComparisonMetric(rawValue: row.metric), metric.higherIsBetter == biggerIsBetter,
                let value = row.candidate
            else { return nil }
            let interval = ComparisonText.interval(row)
            return Entry(
                name: "\(row.scenario)/\(row.strategy)/\(row.phase)/\(row.metric)",
                unit: row.unit.isEmpty ? "ratio" : row.unit, value: value, range: interval.isEmpty ? nil : interval,
                extra: row.reason.isEmpty ? row.verdict.rawValue : "\(row.verdict.rawValue): \(row.reason)")
        }
    }
}
