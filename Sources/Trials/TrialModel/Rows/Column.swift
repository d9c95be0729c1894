/// The type of the cells of a column.
package enum ColumnType: String, Sendable {
    /// Any text; quoted when CSV needs it.
    case text
    /// A whole number, without separators.
    case integer
    /// From 0 to 1, with six decimals.
    case ratio
    /// A number with decimals and a point.
    case decimal
}

/// A column of a result file, declared once: its header, its explanation, and how a cell is written and read.
package struct Column<Row: Sendable>: Changeable, Sendable {
    /// A property of a row.
    package typealias Property<Value> = any WritableKeyPath<Row, Value> & Sendable

    /// The name in the header.
    package let name: String
    /// The unit; empty without one.
    package let unit: String
    /// The type of the cells.
    package let type: ColumnType
    /// Every text that a cell may hold; empty when the texts are not limited to a list.
    package let words: [String]
    /// The meaning of the column, in one sentence.
    package let meaning: String
    /// The property of the row that the column shows; `nil` where it is no single property.
    let path: (any PartialKeyPath<Row> & Sendable)?
    /// The text of the cell, not yet quoted; empty means not measured.
    package let cell: @Sendable (Row) -> String
    /// Stores the text of a cell in a row; false when the text is not valid in this column.
    package let read: @Sendable (String, inout Row) -> Bool
    /// Whether the cells are the same in every run of the same trials, on any machine: the counts of a replay, and those
    /// of phases that `run.json` calls exact, in which one client sends a fixed number of operations and no clock
    /// influences the result. Background work of a strategy may still change its counts.
    package private(set) var repeats = false
    /// What the cells hold in a file that was written before the column existed.
    package private(set) var textWhereMissing = ""

    init(
        _ name: String, unit: String = "", type: ColumnType, words: [String] = [], _ meaning: String,
        of path: (any PartialKeyPath<Row> & Sendable)? = nil, cell: @escaping @Sendable (Row) -> String,
        read: @escaping @Sendable (String, inout Row) -> Bool
    ) {
        self.name = name
        self.unit = unit
        self.type = type
        self.words = words
        self.meaning = meaning
        self.path = path
        self.cell = cell
        self.read = read
    }

    /// The number of the cell; `nil` where it was not measured.
    package func number(_ row: Row) -> Double? { DecimalText.parse(cell(row)) }

    /// The column, as one that ``repeats``.
    func repeating() -> Column {
        with { $0.repeats = true }
    }

    /// The column, with the text that its cells hold in a file from before the column existed.
    func whereMissing(_ text: String) -> Column {
        with { $0.textWhereMissing = text }
    }
}

extension Array {
    /// The columns, each as one that repeats.
    func repeating<Row>() -> [Column<Row>] where Element == Column<Row> { map { $0.repeating() } }
}

extension Column {
    /// A column that shows one property unchanged.
    init<Value: CellValue>(_ name: String, unit: String = "", _ meaning: String, _ path: Property<Value>) {
        self.init(
            name, unit: unit, type: Value.columnType, words: Value.words, meaning, of: path,
            cell: { $0[keyPath: path].cellText },
            read: { text, row in
                guard let value = Value(cellText: text) else { return false }
                row[keyPath: path] = value
                return true
            })
    }

    /// A column of numbers with a fixed count of decimals; a number that is not finite is an empty cell.
    ///
    /// - Parameter range: the valid values when a cell is read.
    static func decimal(
        _ name: String, unit: String = "", type: ColumnType = .decimal, places: Int,
        in range: ClosedRange<Double> = 0 ... .infinity, _ meaning: String, _ path: Property<Double>
    ) -> Column {
        Column(name, unit: unit, type: type, meaning, of: path) {
            DecimalText.fixed($0[keyPath: path], places: places)
        } read: { text, row in
            guard let value = DecimalText.parse(text), range.contains(value) else { return false }
            row[keyPath: path] = value
            return true
        }
    }

    /// A column of numbers that may be absent.
    static func decimal(
        _ name: String, unit: String = "", type: ColumnType = .decimal, places: Int,
        in range: ClosedRange<Double> = -.infinity ... .infinity, _ meaning: String, _ path: Property<Double?>
    ) -> Column {
        Column(name, unit: unit, type: type, meaning, of: path) {
            $0[keyPath: path].map { DecimalText.fixed($0, places: places) } ?? ""
        } read: { text, row in
            guard !text.isEmpty else { return true }
            guard let value = DecimalText.parse(text), range.contains(value) else { return false }
            row[keyPath: path] = value
            return true
        }
    }

    /// A column of ratios that may be absent.
    static func ratio(_ name: String, _ meaning: String, _ path: Property<Double?>) -> Column {
        .decimal(name, type: .ratio, places: 6, in: 0...1, meaning, path)
    }

    /// A column of ratios that are computed from other cells, so reading one changes nothing.
    static func ratio(_ name: String, _ meaning: String, of share: @escaping @Sendable (Row) -> Double?) -> Column {
        Column(name, type: .ratio, meaning) {
            share($0).map { DecimalText.fixed($0, places: 6) } ?? ""
        } read: { text, _ in
            text.isEmpty || DecimalText.parse(text).map { (0...1).contains($0) } ?? false
        }
    }

    /// The column `repetition`, which counts from 1.
    static func repetition(_ meaning: String, _ path: Property<Int>) -> Column {
        Column("repetition", type: .integer, meaning) {
            $0[keyPath: path].cellText
        } read: { text, row in
            guard let number = Int(cellText: text), number >= 1 else { return false }
            row[keyPath: path] = number
            return true
        }
    }
}
