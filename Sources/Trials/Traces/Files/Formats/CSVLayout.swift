/// The meaning of the fields of a line.
struct CSVLayout {
    /// The meaning of each field; `nil` for a field that is not read.
    let fields: [TraceField?]

    /// The requirement for a layout, for messages.
    static let allowed =
        "each of "
        + TraceField.allCases.map { "\($0.rawValue) (\($0.headerNames.joined(separator: ", ")))" }
        .joined(separator: "; ") + " at most once, and a key"

    /// - Returns: `nil` when there is no key, or a field occurs twice.
    init?(_ fields: [TraceField?]) {
        let named = fields.compactMap { $0 }
        guard named.contains(.key), Set(named).count == named.count else { return nil }
        self.fields = fields
    }

    var columns: TraceColumns {
        fields.compactMap { $0?.column }.reduce(into: TraceColumns()) { $0.formUnion($1) }
    }

    /// The layout that a header names; `nil` when the line is not a header.
    init?(header: UnsafeRawBufferPointer, separator: UInt8, isQuoted: Bool) {
        let scratch = CSVScratch()
        var splitter = CSVSplitter(
            line: Self.withoutMark(header), separator: separator, isQuoted: isQuoted, scratch: scratch)
        var fields: [TraceField?] = []
        while let field = splitter.next() {
            fields.append(TraceField(headerName: String(decoding: field.trimmed, as: UTF8.self)))
        }
        guard !splitter.isBroken else { return nil }
        self.init(fields)
    }

    /// Spreadsheets begin a file with a byte order mark.
    private static func withoutMark(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        line.starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeRawBufferPointer(rebasing: line[3...]) : line
    }
}
