import TrialModel

/// The findings of a sweep in sentences: where strategies overtake each other, and what more of the dimension gains.
package enum SweepSentences {
    /// Advice first, then crossings; empty where no result is clear.
    package static func lines(_ sweep: Sweep) -> [String] {
        sweep.groups.flatMap { group in
            let start = sweep.scenario + (group.label.isEmpty ? "" : ", \(group.label)") + ": "
            let advice =
                switch sweep.dimension {
                case .clients: saturations(group, sweep)
                case .capacity: knees(group, sweep)
                case .zipf, .writeShare, .valueSize, .originDelay, .rate, .keys: [String]()
                }
            return (advice + crossings(group, sweep)).map { start + $0 }
        }
    }

    /// The most crossings that are reported; the others are counted.
    static let mostCrossings = 5

    // MARK: Crossings

    private static func crossings(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let all = sweep.tabledFigures.flatMap { SweepCrossing.all(group.curves[$0] ?? [], $0) }
            .sorted { $0.precedes($1) }
        let told = all.prefix(mostCrossings).map { crossing in
            let verb =
                crossing.figure.higherIsBetter
                ? "passes `\(crossing.loser)` in \(crossing.figure.title)"
                : "gets below `\(crossing.loser)` in \(crossing.figure.title)"
            return "`\(crossing.winner)` \(verb) from \(sweep.texts.phrase(crossing.x, of: sweep.dimension)) on "
                + "\(crossing.certainty.text)."
        }
        let rest = all.count - told.count
        guard rest > 0 else { return told }
        return told + [
            rest == 1 ? "1 more crossing is less sure or smaller." : "\(rest) more crossings are less sure or smaller."
        ]
    }

    // MARK: Clients

    /// One sentence for all strategies that gain nothing beyond the same number of clients with the same certainty.
    private static func saturations(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let found = (group.curves[.throughput] ?? []).filter(\.isCandidate).compactMap { curve in
            Saturation(curve).map { (curve.strategy, $0) }
        }
        let grouped = Dictionary(grouping: found, by: \.1).sorted {
            $0.key.x == $1.key.x ? $0.key.certainty > $1.key.certainty : $0.key.x < $1.key.x
        }
        return grouped.map { saturation, found in
            "\(names(found.map(\.0))) \(found.count == 1 ? "gains" : "gain") nothing beyond "
                + "\(sweep.texts.phrase(saturation.x, of: sweep.dimension)) \(saturation.certainty.text)."
        }
    }

    // MARK: Capacity

    /// One sentence for all strategies whose curves have their knee at the same capacity.
    private static func knees(_ group: Sweep.Group, _ sweep: Sweep) -> [String] {
        let curves = (group.curves[.hitRatio] ?? []).filter(\.isCandidate)
        let found = curves.compactMap { curve in Knee(curve).map { (curve, $0) } }
        return Dictionary(grouping: found, by: \.1.x).sorted { $0.key < $1.key }.map { x, found in
            let hits = range(found.map(\.1.y), Quantity.percent)
            let gains = found.map(\.1.doublingGain).complete()
            let last = sweep.texts.phrase(found[0].1.lastX, of: sweep.dimension)
            let points = range((gains.isEmpty ? found.map(\.1.lastGain) : gains).map { $0 * 100 }) {
                DecimalText.fixed($0, places: 1)
            }
            let isExact = found.allSatisfy { $0.0.samples.allSatisfy(\.isExact) }
            let tail = isExact ? " (exact counts)" : ""
            return "the hit ratio of \(names(found.map(\.0.strategy))) has its knee at "
                + "\(sweep.texts.phrase(x, of: sweep.dimension)), with \(hits): "
                + (gains.isEmpty ? "\(last) brings" : "twice that brings") + " \(points) points more\(tail)."
        } + steady(curves.filter { Knee($0) == nil })
    }

    /// One sentence for all strategies that gain about as much from each doubling.
    private static func steady(_ curves: [SweepCurve]) -> [String] {
        let found = curves.compactMap { curve in
            Knee.gainsPerDoubling(curve.samples.map { ($0.x, $0.spread.median) }).map { (curve.strategy, $0) }
        }
        guard !found.isEmpty else { return [] }
        let points = range(found.flatMap { [$0.1.lowerBound * 100, $0.1.upperBound * 100] }) {
            DecimalText.fixed($0, places: 1)
        }
        return [
            "the hit ratio of \(names(found.map(\.0))) has no clear knee: twice the capacity brings \(points) points."
        ]
    }

    // MARK: Text

    private static func names(_ strategies: [String]) -> String { ScenarioRanking.list(strategies.map { "`\($0)`" }) }

    /// `57.9%` or `57.3%–61.6%`.
    private static func range(_ figures: [Double], _ text: (Double) -> String) -> String {
        guard let low = figures.min(), let high = figures.max() else { return "" }
        return text(low) == text(high) ? text(low) : "\(text(low))–\(text(high))"
    }
}
