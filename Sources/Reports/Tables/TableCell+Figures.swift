/// Cells of figures that may be missing.
extension TableCell {
    /// A ratio from 0 to 1, in per cent.
    package static func ratio(_ value: Double?) -> TableCell {
        value.map { TableCell(Quantity.percent($0), value: .number($0, places: 6)) } ?? .empty
    }

    /// A count.
    package static func count(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.count($0), value: .integer($0)) } ?? .empty
    }

    /// A number of bytes.
    package static func bytes(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.bytes($0), value: .integer($0)) } ?? .empty
    }

    /// A time in nanoseconds.
    package static func duration(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.duration(nanoseconds: $0), value: .integer($0)) } ?? .empty
    }
}
