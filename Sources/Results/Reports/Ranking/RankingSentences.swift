import Foundation
import Statistics
import TrialModel

/// The findings of a run in sentences: a sentence a scenario, and what the strategies cost that are best somewhere.
package enum RankingSentences {
    /// A sentence for each scenario, then who leads in how many of them, and the price of each strategy that is the best of
    /// one.
    package static func all(_ rankings: [ScenarioRanking]) -> [String] {
        rankings.map(\.sentence) + [leaders(rankings)].compactMap(\.self) + weakest(rankings)
    }

    /// How often strategies are best, or can't be told apart from the best; `nil` for fewer than three scenarios.
    private static func leaders(_ rankings: [ScenarioRanking]) -> String? {
        let ranked = rankings.filter { ranking in
            !ranking.hasFewRepetitions && ranking.places.contains { $0.firstVerdict == .best }
        }
        guard ranked.count > 2 else { return nil }
        var counts: [String: Int] = [:]
        for place in ranked.flatMap(\.places) where place.isRanked {
            counts[place.summary.strategy, default: 0] += place.firstVerdict == .worse ? 0 : 1
        }
        let groups = Dictionary(grouping: counts.keys.sorted()) { counts[$0] ?? 0 }.sorted { $0.key > $1.key }
        guard let first = groups.first, groups.count > 1 else { return nil }
        var parts = [
            "\(ScenarioRanking.list(first.value)) \(first.value.count == 1 ? "is" : "are") best, or can't be told apart from the best, "
                + "in \(first.key)",
            "\(ScenarioRanking.list(groups[1].value)) in \(groups[1].key)",
        ]
        if groups.count > 2 {
            parts.append("the others in " + (groups[2].key == 0 ? "none" : "\(groups[2].key) or fewer"))
        }
        return "All \(ranked.count) scenarios together: \(parts.joined(separator: "; "))."
    }

    /// Where the strategies that are best in one scenario are furthest behind in another.
    private static func weakest(_ rankings: [ScenarioRanking]) -> [String] {
        let best = rankings.compactMap { ranking in
            ranking.places.first { $0.firstVerdict == .best }?.summary.strategy
        }.distinct
        guard rankings.count > 1 else { return [] }
        return best.compactMap { name in
            let gaps = rankings.compactMap { $0.gap(of: name) }
            guard let largest = gaps.max(by: { $0.size < $1.size }) else { return nil }
            return "Weakest scenario of \(name): \(largest.text)."
        }
    }
}

extension ScenarioRanking {
    /// Who is best by the first figure that decides, who can't be told apart from it, and how far the others are behind.
    package var sentence: String {
        let lead = question.sentence ?? "\(scenario)"
        let ranked = places.filter(\.isRanked)
        guard let best = ranked.first(where: { $0.firstVerdict == .best }), let criterion = criteria.first else {
            return "\(lead): no strategy is ranked.\(excesses)"
        }
        func figure(_ place: Place) -> String { criterion.shown(place.figures.first ?? nil) }
        // Equal values may have different intervals, which are left out then.
        func value(_ place: Place) -> String {
            (place.figures.first ?? nil).map { criterion.shown($0.value) } ?? figure(place)
        }
        func common(_ places: [Place]) -> String {
            Set(places.map(figure)).count == 1 ? figure(places[0]) : value(places[0])
        }
        let leaders = ranked.filter { $0.firstVerdict == .best || isLevel($0, with: best) }
        let tied = ranked.filter { $0.firstVerdict == .tied && !isLevel($0, with: best) }
        let worse = ranked.filter { $0.firstVerdict == .worse }.sorted { left, right in
            let (first, second) = (left.figures.first??.value ?? .nan, right.figures.first??.value ?? .nan)
            return (first < second) != criterion.metric.higherIsBetter && first != second
        }
        let end = criterion.metric.higherIsBetter ? "highest" : "lowest"
        var parts = [
            "\(Self.list(leaders.map(\.summary.strategy))) \(leaders.count == 1 ? "has" : "have") the \(end) "
                + "\(criterion.name), \(figure(best))"
        ]
        if ranked.count == 1 { parts = ["only \(best.summary.strategy) is ranked, \(criterion.name) \(figure(best))"] }
        if !tied.isEmpty { parts.append("\(Self.list(tied.map(\.summary.strategy))) can't be told apart from it") }
        if ranked.contains(where: { $0.firstVerdict == .inconclusive }) { parts.append(RankVerdict.fewRepetitions) }
        if worse.count > 1, Set(worse.map(value)).count == 1 {
            parts.append("the others have \(common(worse))")
        } else if let next = worse.first {
            parts.append("next is \(next.summary.strategy), \(figure(next))")
            let last = worse.filter { value($0) == value(worse[worse.count - 1]) }
            let names = Self.list(last.map(\.summary.strategy))
            if worse.count > 1 { parts.append("last \(last.count == 1 ? "is" : "are") \(names), \(common(last))") }
        }
        return "\(lead): \(parts.joined(separator: "; ")).\(excesses)"
    }

    /// Whether a strategy that can't be told apart from the best one has the same figure.
    func isLevel(_ place: Place, with best: Place) -> Bool {
        (place.firstVerdict == .tied || place.firstVerdict == .inconclusive)
            && place.figures.first??.value == best.figures.first??.value
    }

    /// What a strategy has here beside the best one, and how far behind that is, as a difference of logarithms or of ten
    /// points; `nil` where it is not worse.
    fileprivate func gap(of strategy: String) -> (size: Double, text: String)? {
        guard let own = places.first(where: { $0.summary.strategy == strategy }), own.firstVerdict == .worse,
            let best = places.first(where: { $0.firstVerdict == .best }), let criterion = criteria.first,
            let figure = own.figures.first ?? nil, let other = best.figures.first ?? nil
        else { return nil }
        let isRatio = criterion.isRatio && figure.value > 0 && other.value > 0
        let difference = isRatio ? log(figure.value / other.value) : (figure.value - other.value) * 10
        let head = head
        return (
            difference.magnitude,
            "\(head.column), \(head.figure) \(criterion.shown(figure)); \(best.summary.strategy) has "
                + criterion.shown(other)
        )
    }

    /// The strategies that are not ranked because they hold more than they may, a sentence each.
    private var excesses: String {
        places.filter { !$0.isRanked }.compactMap { place in
            place.summary.excess.map { " \(place.summary.strategy): \($0): not ranked." }
        }.joined()
    }

    /// `lru`, `lru and actor`, `lru, actor and disk`, `lru, actor, disk and 3 more`.
    package static func list(_ names: [String]) -> String {
        let shown = names.count > 4 ? names.prefix(3) + ["\(names.count - 3) more"] : names[...]
        guard let last = shown.last, shown.count > 1 else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
