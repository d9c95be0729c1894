package import TrialModel

/// The table of a run that counted instructions: for each scenario, the instructions per operation in each phase and
/// strategy.
///
/// Figures are medians of the repetitions. The strategies are in the order of their sums over the phases, the fewest
/// first. Strategies counted by another method, which may include the harness, come after them.
package enum CountTable {
    /// A table for each scenario with counts. Simulated cache misses, where there are any, have tables of their own.
    package static func tables(_ results: [PhaseResult]) -> [Table] {
        results.grouped(by: \.trial.key.scenario).flatMap { scenario, own in
            let tables = figures.compactMap { figure in
                table(scenario, own.filter { $0.trial.status == .completed }, figure).map { (figure, $0) }
            }
            return tables.map { figure, table in
                var table = table
                // In CSV and JSON the title alone tells rows of one table from those of another.
                if tables.count > 1 { table.title = "\(scenario), \(figure.name)" }
                return table
            }
        }
    }

    private struct Figure {
        let name: String
        let title: String
        let value: @Sendable (InstructionCounts) -> Double?
    }

    private static let figures = [
        Figure(name: "instructions", title: "instructions for each operation") { $0.instructions },
        Figure(name: "first-level misses", title: "misses of the first-level data cache for each operation") {
            $0.firstLevelMisses
        },
        Figure(name: "last-level misses", title: "misses of the last level for each operation") {
            $0.lastLevelMisses
        },
    ]

    /// A strategy counted by one method: figures of two methods are never mixed.
    private struct Line {
        struct Side: Hashable {
            let strategy: String
            let method: InstructionCounts.Method
        }

        let side: Side
        /// The median in each phase.
        let figures: [String: Double]
        var place: Int { InstructionCounts.Method.allCases.firstIndex(of: side.method) ?? 0 }
    }

    private static func table(_ scenario: ScenarioPoint, _ results: [PhaseResult], _ figure: Figure) -> Table? {
        let counted = results.compactMap { result in
            result.latency.asCallersSee(.all)?.counts.flatMap { counts in
                figure.value(counts).map { (result.trial.key, counts.method, $0) }
            }
        }
        guard !counted.isEmpty else { return nil }
        let phases = counted.map(\.0.phase).distinct
        let lines = counted.grouped { Line.Side(strategy: $0.0.trial.strategy, method: $0.1) }.map { side, own in
            Line(
                side: side,
                figures: Dictionary(grouping: own, by: \.0.phase).compactMapValues { $0.map(\.2).median })
        }
        func sum(_ line: Line) -> Double { phases.compactMap { line.figures[$0] }.reduce(0, +) }
        return Table(
            title: "\(scenario)", caption: "By phase: \(figure.title).",
            of: lines.sorted { $0.place == $1.place ? sum($0) < sum($1) : $0.place < $1.place },
            [TableColumn("strategy") { .text($0.side.strategy) }]
                + phases.map { phase in
                    TableColumn(phase, .right) { .decimal($0.figures[phase], places: 1, ofValue: 3) }
                }
                + [TableColumn("counted by", name: "counted_by", isSpare: true) { .text($0.side.method.rawValue) }])
    }
}
