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

extension OperationKind: CellValue {}
extension Outcome: CellValue {}
