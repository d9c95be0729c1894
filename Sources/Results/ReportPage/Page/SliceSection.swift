import Reports
import TrialModel

/// The effect of the machine on both sides: a chart for each phase with slices on both sides, collapsed by strategy.
struct SliceSection {
    /// The most charts, so that the page stays small.
    static let chartsMax = 12

    /// Every phase with slices on both sides: first those with a value that is worse, then the inconclusive ones.
    let all: [SliceSeries]
    private let palette: Palette

    /// - Parameter firstIndex: a number above those of the page's own palette.
    init(_ rows: [ComparisonRow], baseline: [PhaseResult], candidate: [PhaseResult], firstIndex: Int = 0) {
        let (before, after) = (Self.slices(baseline), Self.slices(candidate))
        let order: [ComparisonVerdict] = [.worse, .inconclusive, .better, .same]
        let places = order.flatMap { verdict in rows.filter { $0.verdict == verdict } }.map(SliceSeries.Place.init)
            .distinct
        all = places.compactMap { place in
            SliceSeries(
                place, baseline: before[place.baseline] ?? [], candidate: after[place.candidate] ?? [])
        }
        palette = Palette(SliceSeries.sides, marks: [:], firstIndex: firstIndex)
    }

    /// The slices of each phase, of all repetitions that completed.
    private static func slices(_ results: [PhaseResult]) -> [RowKey: [SliceRow]] {
        let completed = results.filter { $0.trial.status == .completed && !$0.slices.isEmpty }
        return Dictionary(grouping: completed, by: \.trial.key.ofStrategy).mapValues { $0.flatMap(\.slices) }
    }

    /// `nil` where no phase has slices on both sides.
    var section: Section? {
        guard !all.isEmpty else { return nil }
        let parts = all.prefix(Self.chartsMax).grouped(by: \.place.candidate.strategy).map(part)
        return Section(
            anchor: "slices", name: "Slice by slice", content: Markup.caption(Self.caption) + parts.joined() + leftOut)
    }

    private static let caption =
        "Both sides alternated in slices of a few milliseconds, so a disturbance of the machine hits both. Every block has fresh "
        + "processes. Where both lines move together, the machine changed. Where they stay apart, the sides differ."

    private func part(_ strategy: String, _ series: [SliceSeries]) -> String {
        let figures = series.map { Figure.html($0.chart, caption: $0.caption, palette) }
        return Markup.details(
            "\(strategy): throughput in \(Quantity.many(series.count, "phase"))", Markup.figures(figures))
    }

    /// The phases without a chart, and the reason.
    private var leftOut: String {
        let rest = all.dropFirst(Self.chartsMax)
        guard !rest.isEmpty else { return "" }
        return Markup.text(
            "p", ["class": "note"],
            "\(Self.chartsMax) of \(all.count) phases have a picture: those with a value that is worse, then those with "
                + "one that is inconclusive, then the others. Left out: \(Quantity.few(rest.map(\.place.name))).")
    }
}
