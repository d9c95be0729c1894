import Reports
import TrialModel

/// What strategies cost the main thread while a list scrolled: a table and two charts for each such phase.
struct FrameCharts {
    let ranking: ScenarioRanking
    let palette: Palette

    /// Empty where no phase has frames.
    var html: String {
        ranking.frameTables.map { phase, table in
            let figures =
                (held(in: phase).map { [Figure.html($0, caption: Self.heldCaption, palette)] } ?? [])
                + [Figure.html(cells(in: phase), caption: "Medians of the repetitions.", palette)]
            return PageTable(palette: palette).titled(table, as: "Frames of \(phase)") + Markup.figures(figures)
        }.joined()
    }

    /// The charts of the first phase with frames; empty without such a phase.
    var leading: [any PicturedChart] {
        guard let phase = ranking.frameTables.first?.phase, let held = held(in: phase) else { return [] }
        return [held, cells(in: phase)]
    }

    private static let heldCaption =
        "The longest time in each stretch of frames; medians of the repetitions. A cross marks a frame after which "
        + "others were missed, in any repetition. Frames delayed by the machine alone are left out."

    /// The most points of a line.
    private static let partsMax = 45

    /// Shorter times are drawn as 100 ns, because a logarithmic axis has no 0.
    private static let shortest: UInt64 = 100

    /// The time for which the cache held the main thread, over the scroll.
    func held(in phase: String) -> LineChart? {
        let all = ranking.results.filter { $0.trial.key.phase == phase }
        let last = all.flatMap { $0.frameTimes.map(\.frame) }.max() ?? 0
        guard last > 0 else { return nil }
        let length = max(1, (Double(last) / Double(Self.partsMax)).rounded(.up))
        let series = ranking.completed(phase).compactMap { completed -> LineChart.Series? in
            let repetitions = completed.results.map(\.frameTimes).filter { !$0.isEmpty }
            guard !repetitions.isEmpty else { return nil }
            var parts: [Int: [Double]] = [:]
            var marks: [LineChart.Point] = []
            for frames in repetitions {
                let own = frames.filter { $0.blame != .machine }
                for (part, frames) in Dictionary(grouping: own, by: { Int((Double($0.frame) - 1) / length) }) {
                    parts[part, default: []].append(
                        Double(max(Self.shortest, frames.map(\.heldNanoseconds).max() ?? 0)))
                }
                marks += own.filter { $0.missed > 0 }.map {
                    LineChart.Point(x: Double($0.frame), y: Double(max(Self.shortest, $0.heldNanoseconds)))
                }
            }
            let points = parts.sorted { $0.key < $1.key }.compactMap { part, values in
                values.median.map { LineChart.Point(x: (Double(part) + 0.5) * length, y: $0) }
            }
            return LineChart.Series(strategy: completed.strategy, pieces: [points], marks: marks)
        }
        guard !series.isEmpty else { return nil }
        let values = series.flatMap { $0.pieces.joined().map(\.y) + $0.marks.map(\.y) }
        return LineChart(
            title: "The main thread blocked by the cache, \(phase)",
            x: .linear("frame", [Double(last)], text: TickText.count),
            y: .logarithmic("time of a frame, log", values, text: TickText.duration), series: series,
            stretches: stretches(all))
    }

    /// The steps of the scroll, by the frames in which they began.
    private func stretches(_ results: [PhaseResult]) -> [LineChart.Stretch] {
        let longest = results.map(\.frameTimes).max { $0.count < $1.count } ?? []
        var stretches: [LineChart.Stretch] = []
        for row in longest {
            if let last = stretches.indices.last, stretches[last].name == row.scroll {
                stretches[last].to = Double(row.frame)
            } else {
                stretches.append(.init(from: Double(row.frame) - 1, to: Double(row.frame), name: row.scroll))
            }
        }
        return stretches
    }

    /// When cells got their values.
    private func cells(in phase: String) -> BarChart {
        let rows = ranking.completed(phase).filter { $0.results.contains { $0.frames != nil } }.map { own in
            let (atOnce, later) = (own.median(\.frames?.shownShare) ?? 0, own.median(\.frames?.laterShare) ?? 0)
            return BarChart.Row(strategy: own.strategy, values: [atOnce, later, max(0, 1 - atOnce - later)])
        }
        return BarChart(
            title: "What cells showed, \(phase)", axis: .share("cells that came into view"),
            parts: ["at once", "later", "never"], rows: rows, text: TickText.percent)
    }
}
