@_exported public import SharedValues

/// A value with exactly one text form in a cell, which can be read back.
package protocol CellValue: Sendable {
    /// The type of a column of such values.
    static var columnType: ColumnType { get }
    /// Every text that a cell may hold; empty when the texts are not limited to a list.
    static var words: [String] { get }
    /// The text of the cell, not yet quoted.
    var cellText: String { get }
    /// Parses the text of a cell; `nil` when it is not valid.
    init?(cellText: String)
}

extension CellValue {
    package static var words: [String] { [] }
}

extension CellValue where Self: CaseIterable {
    package static var words: [String] { allCases.map(\.cellText) }
}

extension String: CellValue {
    package static var columnType: ColumnType { .text }
    package var cellText: String { self }
    package init?(cellText: String) { self = cellText }
}

/// Whole numbers from 0; no number in the files is negative.
extension CellValue where Self: FixedWidthInteger {
    package static var columnType: ColumnType { .integer }
    package var cellText: String { String(self) }
    package init?(cellText: String) {
        guard DecimalText.isDigits(cellText) else { return nil }
        self.init(cellText)
    }
}

extension UInt64: CellValue {}
extension Int: CellValue {}

extension Bool: CellValue {
    package static var columnType: ColumnType { .text }
    package var cellText: String { self ? "yes" : "no" }
    package init?(cellText: String) {
        guard cellText == "yes" || cellText == "no" else { return nil }
        self = cellText == "yes"
    }
}

/// A word.
extension CellValue where Self: RawRepresentable<String> {
    package static var columnType: ColumnType { .text }
    package var cellText: String { rawValue }
    package init?(cellText: String) { self.init(rawValue: cellText) }
}

extension Driver: CellValue {}
extension HitTier: CellValue {}
extension MemoryPressure: CellValue {}
extension OperationKind: CellValue {}

/// An absent value is an empty cell, never zero.
extension Optional: CellValue where Wrapped: CellValue {
    package static var columnType: ColumnType { Wrapped.columnType }
    package static var words: [String] { Wrapped.words }
    package var cellText: String { self?.cellText ?? "" }
    package init?(cellText: String) {
        if cellText.isEmpty {
            self = .none
        } else if let value = Wrapped(cellText: cellText) {
            self = .some(value)
        } else {
            return nil
        }
    }
}

/// All values of a kind, or only one of them. Files show `all` or the value's name. Selections with the same text are
/// equal.
package enum Selection<Value: CellValue>: RawRepresentable, Codable, Hashable, Sendable, CellValue,
    CustomStringConvertible
{
    case all
    case only(Value)

    package init?(rawValue: String) {
        let value = rawValue == "all" ? nil : Value(cellText: rawValue)
        guard value != nil || rawValue == "all" else { return nil }
        self.init(value)
    }

    /// Selects one value; `nil` selects all.
    package init(_ value: Value?) { self = value.map(Self.only) ?? .all }

    package var rawValue: String {
        switch self {
        case .all: "all"
        case .only(let value): value.cellText
        }
    }

    package static var words: [String] { Value.words.isEmpty ? [] : Value.words + [Self.all.rawValue] }

    package var description: String { rawValue }
}
