package import TrialModel

/// The table of a run that counted instructions: for each scenario, the instructions per operation in each phase and
/// strategy.
///
/// Figures are medians of the repetitions. The strategies are in the order of their sums over the phases, the fewest
/// first. Strategies counted by another method, which may include the harness, come after them.
package enum CountTable {
    /// A table for each scenario with counts. Simulated cache misses, where there are any, have tables of their own.
    package static func tables(_ results: [PhaseResult]) -> [Table] {
        let scenarios = results.map(\.trial.key.trial.scenario).distinct
        return scenarios.flatMap { name in
            let own = results.filter { $0.trial.key.trial.scenario == name && $0.trial.status == .completed }
            return figures.compactMap { table(name, own, $0) }
        }
    }

    /// The strategy and the method of a row: figures of two methods are never mixed.
    private struct Side: Hashable {
        let strategy: String
        let method: InstructionCounts.Method
    }

    private struct Figure {
        let title: String
        let value: @Sendable (InstructionCounts) -> Double?
    }

    private static let figures = [
        Figure(title: "instructions for each operation") { $0.instructions },
        Figure(title: "misses of the first-level data cache for each operation") { $0.firstLevelMisses },
        Figure(title: "misses of the last level for each operation") { $0.lastLevelMisses },
    ]

    private static func table(_ scenario: ScenarioPoint, _ results: [PhaseResult], _ figure: Figure) -> Table? {
        let counted = results.compactMap { result in
            result.latency.asCallersSee(.all)?.counts.flatMap { counts in
                figure.value(counts).map { (result.trial.key, counts.method, $0) }
            }
        }
        guard !counted.isEmpty else { return nil }
        let phases = counted.map(\.0.phase).distinct
        var rows: [(method: InstructionCounts.Method, sum: Double, cells: [TableCell])] = []
        let sides = counted.map { Side(strategy: $0.0.trial.strategy, method: $0.1) }.distinct
        for side in sides {
            let (strategy, method) = (side.strategy, side.method)
            let own = counted.filter { $0.0.trial.strategy == strategy && $0.1 == method }
            let values = phases.map { phase in own.filter { $0.0.phase == phase }.map(\.2).median }
            rows.append(
                (
                    method, values.compactMap(\.self).reduce(0, +),
                    [.text(strategy)]
                        + values.map { value in
                            value.map { TableCell(DecimalText.fixed($0, places: 1), value: .number($0, places: 3)) }
                                ?? .empty
                        } + [.text(method.rawValue)]
                ))
        }
        let order = InstructionCounts.Method.allCases
        rows.sort {
            let (first, second) = (order.firstIndex(of: $0.method) ?? 0, order.firstIndex(of: $1.method) ?? 0)
            return first == second ? $0.sum < $1.sum : first < second
        }
        return Table(
            title: "\(scenario)", caption: "By phase: \(figure.title).",
            columns: [TableColumn("strategy")] + phases.map { TableColumn($0, .right) }
                + [TableColumn("counted by", name: "counted_by", isSpare: true)],
            rows: rows.map(\.cells))
    }
}

extension Array where Element: Hashable {
    /// Each element once, in the order of their first appearance.
    fileprivate var distinct: [Element] {
        var seen = Set<Element>()
        return filter { seen.insert($0).inserted }
    }
}
