import TrialModel

/// The known facts about a trace, one per line.
package enum TraceTable {
    /// One line.
    package enum Fact: Sendable, Hashable {
        case text(String, String)
        /// A count, and the total that it is a part of.
        case count(String, Int, of: Int? = nil)
        /// From 0 to 1.
        case ratio(String, Double)
        case number(String, Double)
    }

    /// The table.
    package static func table(_ facts: [Fact], trace: String) -> Table {
        Table(
            title: trace, of: facts.map(line),
            [
                TableColumn("metric", name: "what") { .text($0.name) },
                TableColumn("value", name: "figure", .right) { $0.figure },
                TableColumn("share", .right) {
                    .number($0.share, places: 6) { "\(DecimalText.fixed(100 * $0, places: 1)) %" }
                },
            ])
    }

    private static func line(_ fact: Fact) -> (name: String, figure: TableCell, share: Double?) {
        switch fact {
        case .text(let name, let text): (name, .text(text), nil)
        case .count(let name, let count, let whole):
            (name, .integer(UInt64(max(0, count))), whole.map { $0 > 0 ? Double(count) / Double($0) : 0 })
        case .ratio(let name, let ratio): (name, .empty, ratio)
        case .number(let name, let number): (name, .decimal(number, places: 3), nil)
        }
    }
}
