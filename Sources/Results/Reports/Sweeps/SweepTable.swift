package import TrialModel

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
        _ figure: Metric, _ group: Sweep.Group, _ sweep: Sweep, isFirst: Bool = true
    ) -> Table {
        var curves = group.curves[figure] ?? []
        let failed = Set(group.troubles.map(\.strategy))
        curves.removeAll { $0.samples.isEmpty && ($0.mark != nil || !failed.contains($0.strategy)) }
        if figure == .hitRatio, let optimum = group.optimum { curves.append(optimum) }
        let hasMarks = curves.contains { $0.mark != nil }
        let columns = sweep.values.map { value in
            TableColumn<SweepCurve>(
                sweep.texts.value(value, of: sweep.dimension),
                name: ScenarioPoint(named: "", [sweep.dimension: value]).pointText, .right
            ) { cell($0, at: value, figure, group) }
        }
        return Table(
            title: title(figure, group, sweep), caption: caption(figure, sweep), of: curves,
            [TableColumn("strategy") { .text($0.strategy) }] + columns
                + (hasMarks ? [TableColumn("kind") { .text($0.mark) }] : []),
            notes: notes(figure, group, sweep, isFirst: isFirst))
    }

    /// The title of a table or a chart.
    package static func title(_ figure: Metric, _ group: Sweep.Group, _ sweep: Sweep) -> String {
        let name = "\(sweep.scenario): \(figure.title) by \(SweepTexts.name(sweep.dimension))"
        return group.label.isEmpty ? name : "\(name), \(group.label)"
    }

    /// How to read the figures.
    package static func caption(_ figure: Metric, _ sweep: Sweep) -> String {
        let phase = sweep.times.map { "phase `\(DisplayWidth.cut($0.phase, to: 17))`" } ?? "the phase"
        let operation = sweep.times.map { $0.operation == .all ? "all operations" : "`\($0.operation)`" } ?? ""
        let phases = sweep.phaseCount > 1 ? ", mean of \(sweep.phaseCount) phases" : ""
        let what =
            switch figure {
            case .throughput: "\(figure.meaning) in \(phase)"
            case .p99: "\(figure.meaning) of \(phase) (\(operation))"
            default: figure.meaning + (figure.isCount ? phases : "")
            }
        return what + (sweep.repetitions > 1 ? "; medians of \(sweep.repetitions) repetitions." : ".")
    }

    private static func cell(
        _ curve: SweepCurve, at x: Double, _ figure: Metric, _ group: Sweep.Group
    ) -> TableCell {
        if let sample = curve[x] { return cell(sample, figure) }
        let trouble = group.troubles.first { $0.strategy == curve.strategy && $0.x == x }
        // In a column where every cell is `crashed 3/3`, the count adds nothing to `crashed`.
        let word = trouble?.status.split(separator: " ").first.map(String.init)
        return word.map { TableCell($0, value: .none) } ?? .empty
    }

    private static func cell(_ sample: SweepSample, _ figure: Metric) -> TableCell {
        let value = sample.spread.median
        let text = (sample.isAtLeast ? "≥ " : "") + figure.text(value)
        return switch figure.format {
        case .nanoseconds: TableCell(text, value: .integer(UInt64(max(0, min(value, 1e18)))))
        case .share: TableCell(text, value: .number(value, places: 6))
        default: TableCell(text, value: .number(value, places: 3))
        }
    }

    private static func notes(
        _ figure: Metric, _ group: Sweep.Group, _ sweep: Sweep, isFirst: Bool
    ) -> [String] {
        var notes: [String] = []
        if figure == .throughput,
            group.curves[figure]?.contains(where: { $0.samples.contains(where: \.isAtLeast) }) == true
        {
            notes.append(
                "≥: within 5% of the harness limit (`\(Sweep.ceiling)`); the strategy may be faster."
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

/// Formats the values of a sweep exactly, so that no two values look alike.
package struct SweepTexts: Hashable, Sendable {
    /// Whether capacities are in bytes instead of entries.
    package var isCapacityInBytes = false

    /// A value by itself: `4`, `5%`, `64 KiB`.
    package func value(_ number: Double, of dimension: SweepDimension) -> String {
        switch dimension {
        case .clients, .keys: Self.count(number)
        case .capacity: isCapacityInBytes ? Self.bytes(number) : Self.count(number)
        case .zipf: Self.shortest(number)
        case .writeShare: Self.shortest(number * 100) + "%"
        case .valueSize: Self.bytes(number)
        case .originDelay: Quantity.trimmed(Quantity.duration(nanoseconds: Self.whole(number)))
        case .rate: Self.count(number)
        }
    }

    /// A value in a sentence: `4 clients`, `a capacity of 5000`.
    package func phrase(_ number: Double, of dimension: SweepDimension) -> String {
        let text = value(number, of: dimension)
        return switch dimension {
        case .clients: number == 1 ? "1 client" : "\(text) clients"
        case .capacity: "a capacity of \(text)"
        case .zipf: "a Zipf exponent of \(text)"
        case .writeShare: "\(text) writes"
        case .valueSize: "values of \(text)"
        case .originDelay: "an origin delay of \(text)"
        case .rate: "\(text) arrivals a second"
        case .keys: "\(text) keys"
        }
    }

    /// The values of a point, for a title: `clients 4, write share 5%`; empty for a point without any.
    package func label(_ point: ScenarioPoint) -> String {
        point.dimensions.map { "\(Self.name($0)) \(value(point[$0] ?? 0, of: $0))" }.joined(separator: ", ")
    }

    /// A dimension in words.
    package static func name(_ dimension: SweepDimension) -> String {
        dimension == .zipf ? "Zipf exponent" : dimension.rawValue.replacing("-", with: " ")
    }

    /// A dimension with its unit, for an axis.
    package func axisTitle(_ dimension: SweepDimension) -> String {
        switch dimension {
        case .capacity: isCapacityInBytes ? "capacity in bytes" : "capacity in entries"
        case .writeShare: "share of writes"
        case .valueSize: "size of a value"
        case .originDelay: "delay of the origin"
        case .rate: "arrivals a second"
        case .clients, .zipf, .keys: Self.name(dimension)
        }
    }

    private static func whole(_ number: Double) -> UInt64 { UInt64(max(0, min(number.rounded(), 1e18))) }

    /// All digits. From 10,000 on, thousands or millions if one decimal is enough: `17.5k`.
    private static func count(_ number: Double) -> String {
        guard let count = UInt64(exactly: number) else { return shortest(number) }
        if count >= 1_000_000, count % 100_000 == 0 { return shortest(number / 1e6) + "M" }
        return count >= 10_000 && count % 100 == 0 ? shortest(number / 1e3) + "k" : "\(count)"
    }

    private static func bytes(_ number: Double) -> String {
        let count = whole(number)
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where count > 0 && count % (1 << shift) == 0 {
            return "\(count >> shift) \(unit)"
        }
        return "\(count) B"
    }

    private static func shortest(_ number: Double) -> String { DecimalText.shortest(number, places: 6) }
}
