import TrialModel

/// The findings of a run in sentences: which strategy is best, by how much, and how sure that is.
package enum RankingSentences {
    /// One sentence for each scenario; for several scenarios, also one for all of them.
    package static func lines(_ rankings: [ScenarioRanking]) -> [String] {
        rankings.map(\.sentence) + (rankings.count > 1 ? [whole(rankings)] : [])
    }

    /// The strategies that are best most often. Ranks are counted, because figures of several scenarios can't be added.
    private static func whole(_ rankings: [ScenarioRanking]) -> String {
        var tallies: [String: Tally] = [:]
        for ranking in rankings {
            let best = ranking.best.map(\.strategy)
            for name in best { tallies[name, default: Tally(strategy: name)].note(isAlone: best.count == 1) }
        }
        let sorted = tallies.values.sorted()
        guard let first = sorted.first else { return "In all \(rankings.count) scenarios: no strategy is ranked." }
        let equals = sorted.filter { $0.best == first.best && $0.alone == first.alone }
        let rest = sorted.dropFirst(equals.count)
        let next = rest.filter { $0.best == rest.first?.best && $0.alone == rest.first?.alone }
        let others =
            next.isEmpty
            ? ""
            : "; next \(verb(next, "is", "are")) \(names(next)), in \(rest.first?.best ?? 0) (alone in \(rest.first?.alone ?? 0))"
        return
            "In all \(rankings.count) scenarios: \(names(equals)) \(verb(equals, "has", "have")) rank 1 most often, in "
            + "\(first.best)\(equals.count == 1 ? "" : " each") (alone in \(first.alone))\(others)."
    }

    private static func names(_ tallies: [Tally]) -> String { ScenarioRanking.list(tallies.map(\.strategy)) }

    private static func verb(_ tallies: [Tally], _ one: String, _ several: String) -> String {
        tallies.count == 1 ? one : several
    }

    /// The number of scenarios in which a strategy has the first rank.
    private struct Tally: Comparable {
        let strategy: String
        var best = 0
        var alone = 0

        mutating func note(isAlone: Bool) {
            best += 1
            if isAlone { alone += 1 }
        }

        static func < (left: Tally, right: Tally) -> Bool {
            if left.best != right.best { return left.best > right.best }
            return left.alone == right.alone ? left.strategy < right.strategy : left.alone > right.alone
        }
    }
}

extension ScenarioRanking {
    /// The strategies that no other strategy surely beats.
    var best: [StrategySummary] { places.filter { $0.rank == "1" }.map(\.summary) }

    /// The best strategy, its lead, and the certainty of the lead.
    package var sentence: String {
        let rest = places.filter { $0.isRanked && $0.rank != "1" }.map(\.summary)
        guard let first = best.first else { return "\(scenario): no strategy is ranked." }
        let found =
            if best.count > 1 {
                tie(rest)
            } else if let next = rest.first {
                lead(first, next)
            } else {
                "only \(first.strategy) is ranked\(figures([first]).map { ", with \($0)" } ?? "")"
            }
        return "\(scenario): \(found)."
    }

    /// One strategy is better than all others: its lead over the next one.
    private func lead(_ first: StrategySummary, _ next: StrategySummary) -> String {
        let share = ranked.share(of: first.strategy)
        let repetitions = min(first.repetitions.count, next.repetitions.count)
        let tail = ranked.figure(making: first.strategy, betterThan: next.strategy) == .tail
        if tail, let own = first.p99, let other = next.p99 {
            return "\(first.strategy) is surely best, in every one of \(repetitions) repetitions: p99 "
                + "\(Quantity.duration(nanoseconds: own)), \(Quantity.duration(nanoseconds: other)) for "
                + next.strategy + (share.map { "; as much \(shareName), \(Quantity.percent($0))" } ?? "")
        }
        let points = ((ranked.share(of: next.strategy) ?? 0) - (share ?? 0)) * 100
        let isFew = repetitions < SureOrder.enough
        let sure = isFew ? "is ahead" : "is surely best, in every one of \(repetitions) repetitions"
        return "\(first.strategy) \(sure): \(Quantity.percent(share ?? 0)) \(shareName), "
            + "\(DecimalText.fixed(points, places: 1)) points less than \(next.strategy)"
            + (isFew ? "; \(Self.times(repetitions)) can't say how sure that is" : "")
    }

    /// No single strategy is surely better than the others.
    private func tie(_ rest: [StrategySummary]) -> String {
        let repetitions = best.map(\.repetitions.count).min() ?? 0
        let next = rest.first.map { next in "; next is \(next.strategy)\(figures([next]).map { " with \($0)" } ?? "")" }
        return "\(Self.list(best.map(\.strategy))) share rank 1, since \(Self.times(repetitions)) "
            + "\(repetitions == 1 ? "does" : "do") not tell them apart"
            + (figures(best).map { ": \($0)" } ?? "") + (next ?? "")
    }

    /// The ranges of the figures that decide ranks, such as `33.4%–33.9% to the origin, p99 1.30–1.32 ms`.
    private func figures(_ summaries: [StrategySummary]) -> String? {
        let shares = summaries.compactMap { ranked.share(of: $0.strategy) }.sorted()
        let tails = summaries.compactMap(\.p99).sorted()
        var parts: [String] = []
        if let low = shares.first, let high = shares.last {
            let texts = [Quantity.percent(low), Quantity.percent(high)]
            parts.append("\(texts[0] == texts[1] ? texts[0] : texts.joined(separator: "–")) \(shareName)")
        }
        if let low = tails.first, let high = tails.last {
            let text = low == high ? Quantity.duration(nanoseconds: low) : Quantity.durations(low...high)
            parts.append("p99 \(text)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The name of the share; misses replace requests where the origin kept no log.
    private var shareName: String { ranked.share == .misses ? "misses" : "to the origin" }

    private static func times(_ repetitions: Int) -> String {
        repetitions == 1 ? "one repetition" : "\(repetitions) repetitions"
    }

    /// `lru`, `lru and actor`, `lru, actor and disk`, `lru, actor, disk and 3 more`.
    package static func list(_ names: [String]) -> String {
        let shown = names.count > 4 ? names.prefix(3) + ["\(names.count - 3) more"] : names[...]
        guard let last = shown.last, shown.count > 1 else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
