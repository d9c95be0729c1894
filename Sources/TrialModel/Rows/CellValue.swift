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

/// Numbers as text, the same under every locale.
package enum DecimalText {
    /// The number with a point and exactly `places` decimals; empty when it is not finite.
    ///
    /// Halves are rounded away from zero. A number too large for that many exact decimals has Swift's own form.
    package static func fixed(_ value: Double, places: Int) -> String {
        guard value.isFinite else { return "" }
        var scale: UInt64 = 1
        for _ in 0..<max(0, min(places, 9)) { scale *= 10 }
        let scaled = (value.magnitude * Double(scale)).rounded()
        guard scaled < 9_007_199_254_740_992, let units = UInt64(exactly: scaled) else { return "\(value)" }
        let sign = value < 0 && units > 0 ? "-" : ""
        guard scale > 1 else { return sign + String(units) }
        let fraction = String(units % scale)
        let padding = String(repeating: "0", count: max(0, places - fraction.count))
        return "\(sign)\(units / scale).\(padding)\(fraction)"
    }

    /// Parses a finite number: digits, optionally with a sign, a point and an exponent.
    package static func parse(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"):
                true
            default: false
            }
        }
        guard allowed, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Whether `text` consists of one or more decimal digits only.
    package static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
