import TrialModel

/// The tables of a sweep: one for each figure and group, with a row for each strategy and a column for each value.
package enum SweepTable {
    /// All tables, group by group; failures are listed below the first table of a group.
    package static func tables(_ sweep: Sweep) -> [Table] {
        sweep.groups.flatMap { group in
            sweep.tabledFigures.enumerated().map { index, figure in
                table(figure, group, sweep, isFirst: index == 0)
            }
        }
    }

    /// A table of one figure.
    package static func table(
        _ figure: SweepFigure, _ group: Sweep.Group, _ sweep: Sweep, isFirst: Bool = true
    ) -> Table {
        var curves = group.curves[figure] ?? []
        let failed = Set(group.troubles.map(\.strategy))
        curves.removeAll { $0.samples.isEmpty && ($0.mark != nil || !failed.contains($0.strategy)) }
        if figure == .hitRatio, let optimum = group.optimum { curves.append(optimum) }
        let hasMarks = curves.contains { $0.mark != nil }
        let rows = curves.map { curve in
            [TableCell.text(curve.strategy)] + sweep.values.map { cell(curve, at: $0, figure, group) }
                + (hasMarks ? [curve.mark.map(TableCell.text) ?? .empty] : [])
        }
        let columns = sweep.values.map { value in
            TableColumn(
                sweep.texts.value(value, of: sweep.dimension),
                name: ScenarioPoint(named: "", [sweep.dimension: value]).pointText, .right)
        }
        return Table(
            title: title(figure, group, sweep), caption: caption(figure, sweep),
            columns: [TableColumn("strategy")] + columns + (hasMarks ? [TableColumn("kind")] : []), rows: rows,
            notes: notes(figure, group, sweep, isFirst: isFirst))
    }

    /// The title of a table or a chart.
    package static func title(_ figure: SweepFigure, _ group: Sweep.Group, _ sweep: Sweep) -> String {
        let name = "\(sweep.scenario): \(figure.title) by \(SweepTexts.name(sweep.dimension))"
        return group.label.isEmpty ? name : "\(name), \(group.label)"
    }

    /// How to read the figures.
    package static func caption(_ figure: SweepFigure, _ sweep: Sweep) -> String {
        let phase = sweep.times.map { "phase `\(DisplayWidth.cut($0.phase, to: 17))`" } ?? "the phase"
        let operation = sweep.times.map { $0.operation == .all ? "all operations" : "`\($0.operation)`" } ?? ""
        let phases = sweep.phaseCount > 1 ? ", mean of \(sweep.phaseCount) phases" : ""
        let what =
            switch figure {
            case .throughput: "Operations a second in \(phase)"
            case .p99: "99th percentile of the times of \(phase) (\(operation))"
            case .hitRatio: "Hits per lookup\(phases)"
            case .originShare: "Requests to the origin per lookup\(phases)"
            case .instructions(let phase, let method):
                "Instructions for each operation of phase `\(phase)`, counted by `\(method.rawValue)`"
            }
        return what + (sweep.repetitions > 1 ? "; medians of \(sweep.repetitions) repetitions." : ".")
    }

    private static func cell(
        _ curve: SweepCurve, at x: Double, _ figure: SweepFigure, _ group: Sweep.Group
    ) -> TableCell {
        if let sample = curve[x] { return figure.cell(sample.spread.median, isAtLeast: sample.isAtLeast) }
        let trouble = group.troubles.first { $0.strategy == curve.strategy && $0.x == x }
        // In a column where every cell is `crashed 3/3`, the count adds nothing to `crashed`.
        let word = trouble?.status.split(separator: " ").first.map(String.init)
        return word.map { TableCell($0, value: .none) } ?? .empty
    }

    private static func notes(
        _ figure: SweepFigure, _ group: Sweep.Group, _ sweep: Sweep, isFirst: Bool
    ) -> [String] {
        var notes: [String] = []
        if figure == .throughput,
            group.curves[figure]?.contains(where: { $0.samples.contains(where: \.isAtLeast) }) == true
        {
            notes.append(
                "≥: within 5% of what the harness alone can send (`\(Sweep.ceiling)`); the strategy may be faster."
            )
        }
        guard isFirst else { return notes }
        let lines = group.troubles.flatMap { trouble in
            trouble.reasons.map { reason in
                "\(trouble.strategy) at \(sweep.texts.phrase(trouble.x, of: sweep.dimension)): \(reason)"
            }
        }
        notes += lines.prefix(mostNotes)
        if lines.count > mostNotes { notes.append("\(lines.count - mostNotes) more like these.") }
        return notes
    }

    /// The most notes: a strategy that crashes at every value gives the same reason each time.
    private static let mostNotes = 5
}
