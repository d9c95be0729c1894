import TrialModel

/// A value that a cell shows in one way only, and that can be read back from it.
protocol CellValue: Sendable {
    /// The type of a column of such values.
    static var columnType: ColumnType { get }
    /// The text of the cell, not yet quoted.
    var cellText: String { get }
    /// The value that the text stands for; `nil` when there is none.
    init?(cellText: String)
}

extension String: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { self }
    init?(cellText: String) { self = cellText }
}

extension UInt64: CellValue {
    static var columnType: ColumnType { .integer }
    var cellText: String { String(self) }
    init?(cellText: String) {
        guard DecimalText.isDigits(cellText) else { return nil }
        self.init(cellText)
    }
}

/// Whole numbers from 0 on; nothing in the files is negative.
extension Int: CellValue {
    static var columnType: ColumnType { .integer }
    var cellText: String { String(self) }
    init?(cellText: String) {
        guard DecimalText.isDigits(cellText) else { return nil }
        self.init(cellText)
    }
}

extension Driver: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension TrialStatus: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension ConsistencyVerdict: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension Promise: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension RaceVerdict: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension ControlKind: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

/// An absent value is an empty cell, never zero.
extension Optional: CellValue where Wrapped: CellValue {
    static var columnType: ColumnType { Wrapped.columnType }
    var cellText: String { self?.cellText ?? "" }
    init?(cellText: String) {
        if cellText.isEmpty {
            self = .none
        } else if let value = Wrapped(cellText: cellText) {
            self = .some(value)
        } else {
            return nil
        }
    }
}
