package import TrialModel

/// Strategies down, scenarios across: how far each strategy is behind the best of each scenario, by what decides there.
package struct ScenarioMatrix: Sendable {
    /// One strategy in one scenario.
    package struct Cell: Sendable, Hashable {
        package let distance: Distance
        /// `nil` for a strategy that is not ranked, such as a bound.
        package let verdict: RankVerdict?

        /// The distance, with a question mark where it is not sure.
        package var text: String {
            distance.text.replacing(" ", with: "") + (verdict == .open ? "?" : "")
        }
    }

    package let rankings: [ScenarioRanking]
    /// The strategies: those that are best, or the same as the best, most often come first; marked ones come last.
    package let strategies: [String]
    private let cells: [String: [ScenarioPoint: Cell]]

    package init(_ rankings: [ScenarioRanking]) {
        self.rankings = rankings
        var cells: [String: [ScenarioPoint: Cell]] = [:]
        var best: [String: Int] = [:]
        var ranked: Set<String> = []
        for ranking in rankings {
            for place in ranking.places {
                let name = place.summary.strategy
                best[name, default: 0] += ranking.surelyBest.contains(name) ? 1 : 0
                if place.isRanked { ranked.insert(name) }
                // A strategy that can't answer the question has no place in it.
                guard place.rank != "–", let distance = ranking.distance(of: place) else { continue }
                cells[name, default: [:]][ranking.scenario] = Cell(distance: distance, verdict: place.verdict)
            }
        }
        self.cells = cells
        strategies = best.keys.sorted { left, right in
            if ranked.contains(left) != ranked.contains(right) { return ranked.contains(left) }
            let counts = (best[left] ?? 0, best[right] ?? 0)
            return counts.0 == counts.1 ? left < right : counts.0 > counts.1
        }
    }

    /// The cell of a strategy in a scenario; `nil` where it has no figure there.
    package func cell(_ strategy: String, _ scenario: ScenarioPoint) -> Cell? { cells[strategy]?[scenario] }

    /// How to read it.
    package static let caption =
        "How far each strategy is behind the best of a scenario, by what decides there: a factor, or points (p). "
        + "A question mark: not surely behind. Bounds are shown, and not ranked."

    /// The matrix for people, in parts of so many scenarios that each has at most 100 columns of text.
    package var tables: [Table] {
        let heads = Self.abbreviations(rankings.map(\.scenario.description))
        let widest = (strategies + ["strategy"]).map(\.count).max() ?? 0
        var parts: [Range<Int>] = []
        var (start, width) = (0, widest)
        for index in rankings.indices {
            let own = 2 + max(heads[index].count, columnWidth(rankings[index]))
            if width + own > 100, index > start {
                parts.append(start..<index)
                (start, width) = (index, widest)
            }
            width += own
        }
        if start < rankings.count { parts.append(start..<rankings.count) }
        return parts.enumerated().map { number, part in
            Table(
                title: number == 0 ? title : nil, caption: number == 0 ? Self.caption : nil, of: strategies,
                [TableColumn("strategy") { .text($0) }] + part.map { column(rankings[$0], heads[$0]) },
                notes: part.map { "\(heads[$0]): \(rankings[$0].scenario), \(rankings[$0].decidingText)" })
        }
    }

    /// The whole matrix under full names, for a page that scrolls.
    package var wideTable: Table {
        Table(
            title: title, caption: Self.caption, of: strategies,
            [TableColumn("strategy") { .text($0) }] + rankings.map { column($0, $0.scenario.description) })
    }

    /// What it is about.
    package var title: String { "All \(rankings.count) scenarios" }

    private func column(_ ranking: ScenarioRanking, _ header: String) -> TableColumn<String> {
        TableColumn(header, .right) { .text(cell($0, ranking.scenario)?.text) }
    }

    private func columnWidth(_ ranking: ScenarioRanking) -> Int {
        strategies.compactMap { cell($0, ranking.scenario)?.text.count }.max() ?? 0
    }

    /// Short names, each once: the first letters of the words, or the beginning of a single word.
    static func abbreviations(_ names: [String]) -> [String] {
        var taken: Set<String> = []
        return names.map { name in
            let words = name.split { !$0.isLetter && !$0.isNumber }
            let letters = words.count > 1 ? String(words.compactMap(\.first).prefix(4)) : ""
            let candidates = [letters] + (1...max(1, name.count)).map { String(name.prefix(max(4, $0))) }
            let short = candidates.first { !$0.isEmpty && !taken.contains($0) } ?? name
            taken.insert(short)
            return short
        }
    }
}
