package import Reports
package import TrialModel

extension JUnitXML {
    /// One test case per figure: it fails if its verdict fails the gate, and is skipped if inconclusive.
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
    /// - Parameter biggerIsBetter: which of the two files to write.
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
