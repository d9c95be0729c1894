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
            title: trace,
            columns: [TableColumn("what"), TableColumn("figure", .right), TableColumn("share", .right)],
            rows: facts.map(row))
    }

    private static func row(_ fact: Fact) -> [TableCell] {
        switch fact {
        case .text(let name, let text): [.text(name), .text(text)]
        case .count(let name, let count, let whole):
            [.text(name), .integer(UInt64(max(0, count)))]
                + (whole.map { [share($0 > 0 ? Double(count) / Double($0) : 0)] } ?? [])
        case .ratio(let name, let ratio): [.text(name), .empty, share(ratio)]
        case .number(let name, let number):
            [
                .text(name),
                TableCell(DecimalText.fixed(number, places: 3), value: .number(number, places: 3)),
            ]
        }
    }

    private static func share(_ ratio: Double) -> TableCell {
        TableCell("\(DecimalText.fixed(100 * ratio, places: 1)) %", value: .number(ratio, places: 6))
    }
}
