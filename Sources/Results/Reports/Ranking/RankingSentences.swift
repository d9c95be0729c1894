import TrialModel

/// The findings of a run in sentences: which strategy is best, by how much, and how sure that is.
package enum RankingSentences {
    /// The strategy that is best most often, where it loses most, and what is not decided.
    package static func whole(_ rankings: [ScenarioRanking]) -> String {
        var best: [String: Int] = [:]
        for ranking in rankings { for name in ranking.surelyBest { best[name, default: 0] += 1 } }
        let most = best.values.max() ?? 0
        let names = best.filter { $0.value == most }.keys.sorted()
        guard most > 0 else { return "In \(rankings.count) scenarios no strategy is surely best." + open(rankings) }
        let lost = names.count == 1 ? losses(of: names[0], rankings) : ""
        return
            "In \(rankings.count) scenarios: \(ScenarioRanking.list(names)) \(names.count == 1 ? "is" : "are") best, or "
            + "the same as the best, in \(most)\(names.count == 1 ? "" : " each")\(lost)." + open(rankings)
    }

    /// The scenarios in which a strategy is surely worse than the best, the worst first.
    private static func losses(of strategy: String, _ rankings: [ScenarioRanking]) -> String {
        let lost = rankings.compactMap { ranking -> (String, Distance)? in
            let place = ranking.places.first { $0.summary.strategy == strategy && $0.verdict == .worse }
            return place.flatMap { ranking.distance(of: $0) }.map { ("\(ranking.scenario)", $0) }
        }.sorted { ($1.1.severity, $0.0) < ($0.1.severity, $1.0) }
        guard !lost.isEmpty else { return "" }
        return "; it loses most in " + ScenarioRanking.list(lost.prefix(3).map { "\($0.0) (\($0.1.text))" })
    }

    private static func open(_ rankings: [ScenarioRanking]) -> String {
        let open = rankings.filter { !$0.isDecided && $0.places.contains(where: \.isRanked) }.map(
            \.scenario.description)
        return open.isEmpty ? "" : " Not decided: \(open.joined(separator: ", "))."
    }
}

extension ScenarioRanking {
    /// The best strategy and those that are surely the same; empty when that is not decided, or only one is ranked.
    var surelyBest: [String] {
        guard isDecided, places.count(where: \.isRanked) > 1 else { return [] }
        return places.filter { $0.verdict == .best || $0.verdict == .same }.map(\.summary.strategy)
    }

    /// The best strategy, its lead, and the certainty of the lead.
    package var sentence: String {
        let (first, rest) = (places.filter { $0.rank == "1" }, places.filter { $0.rank == "2" })
        guard let best = first.first(where: { $0.verdict == .best }) else {
            return "\(scenario): no strategy is ranked.\(excesses)"
        }
        let open = first.filter { $0.verdict == .open }
        let names = Self.list(first.map(\.summary.strategy))
        let few = best.summary.repetitions.count < 3 ? " (it takes three repetitions)" : ""
        let found =
            switch (first.count, open.count) {
            case (1, _) where rest.isEmpty: "only \(names) is ranked"
            case (1, _): "\(names) is best"
            case (_, 0): "\(names) are the same, and best"
            default:
                "\(best.summary.strategy) is ahead of \(Self.list(open.map(\.summary.strategy))), but not surely\(few)"
            }
        let next = rest.first.map { next in
            "; next is \(next.summary.strategy)" + (distance(of: next).map { ", \($0.text)" } ?? "")
        }
        return "\(scenario): \(found)" + (figures(best).map { ": \($0)" } ?? "") + (next ?? "") + ".\(excesses)"
    }

    /// The strategies that are not ranked because they hold more than they may, a sentence each.
    private var excesses: String {
        places.filter { !$0.isRanked }.compactMap { place in
            place.summary.excess.map { " \(place.summary.strategy): \($0): not ranked." }
        }.joined()
    }

    /// The figures that decide, such as `hit ratio in counted 33.4%`.
    private func figures(_ place: Place) -> String? {
        let parts = zip(ranked.criteria, place.figures).compactMap { criterion, figure in
            figure.map { "\(criterion.text) \(criterion.shown($0))" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// `lru`, `lru and actor`, `lru, actor and disk`, `lru, actor, disk and 3 more`.
    package static func list(_ names: [String]) -> String {
        let shown = names.count > 4 ? names.prefix(3) + ["\(names.count - 3) more"] : names[...]
        guard let last = shown.last, shown.count > 1 else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
