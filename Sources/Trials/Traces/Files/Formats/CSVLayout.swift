/// What is between the columns of a line.
enum CSVSeparator: UInt8, CaseIterable {
    case comma = 0x2C
    case semicolon = 0x3B
    case tab = 0x09
    /// Blanks and tabs, of which several count as one.
    case blank = 0x20

    /// Whether fields may be quoted as in RFC 4180.
    var allowsQuotes: Bool { self == .comma || self == .semicolon }

    /// The fields of a line; `nil` when its quotes don't match.
    func fields(of line: UnsafeRawBufferPointer) -> [String]? {
        // No longer line is read.
        guard line.count <= ByteWindow.lineByteCountMax else { return nil }
        var texts: [String] = []
        if self == .blank {
            var words = BlankSeparatedFields(line: line)
            while true {
                let word = words.next()
                if word.isEmpty { return texts }
                texts.append(String(decoding: word, as: UTF8.self))
            }
        }
        let scratch = CSVScratch()
        var splitter = CSVSplitter(line: line, separator: rawValue, isQuoted: allowsQuotes, scratch: scratch)
        while let field = splitter.next() { texts.append(String(decoding: field.trimmed, as: UTF8.self)) }
        return splitter.isBroken ? nil : texts
    }

    /// The separator of a line that is a header; `nil` when it is none. Tabs make another format.
    static func ofHeader(_ line: UnsafeRawBufferPointer) -> CSVSeparator? {
        [.comma, .semicolon, .blank].first { separator in
            guard separator != .blank || !line.contains(CSVSeparator.tab.rawValue),
                let layout = CSVLayout(header: line, separator: separator)
            else { return false }
            return separator == .comma || layout.fields.count > 1
        }
    }

    /// The separator of a file of columns, by its first line: the one that gives the columns that the caller names, or that
    /// its header has.
    static func of(_ window: ByteWindow, _ options: TraceReadingOptions) throws(TraceFault) -> CSVSeparator {
        guard let line = try window.upcomingLine() else { return .comma }
        if let columns = options.csvColumns {
            return allCases.first { $0.fields(of: line)?.count == columns.count && (columns.count > 1 || $0 == .comma) }
                ?? [.comma, .semicolon, .tab].first { line.contains($0.rawValue) }
                ?? (columns.count > 1 ? .blank : .comma)
        }
        if let names = options.csvNames {
            return allCases.first { Set($0.fields(of: line)?.map { $0.lowercased() } ?? []).isSuperset(of: names.keys) }
                ?? .comma
        }
        return ofHeader(line) ?? .comma
    }
}

/// The meaning of the fields of a line.
struct CSVLayout {
    /// The meaning of each field; `nil` for a field that is not read.
    let fields: [TraceField?]
    /// The names of the fields in the header; empty without one.
    private(set) var names: [String] = []

    /// The requirement for a layout, for messages.
    static let allowed =
        "each of "
        + TraceField.allCases.map { "\($0.rawValue) (\($0.headerNames.joined(separator: ", ")))" }
        .joined(separator: "; ") + " at most once, and a key"

    /// - Parameter allowsKeyParts: whether several fields may form one key.
    /// - Returns: `nil` when there is no key, or a field occurs twice.
    init?(_ fields: [TraceField?], allowsKeyParts: Bool = true) {
        var named = fields.compactMap { $0 }
        guard named.contains(.key) else { return nil }
        if allowsKeyParts { named.removeAll { $0 == .key } }
        guard Set(named).count == named.count else { return nil }
        self.fields = fields
    }

    var columns: TraceColumns {
        fields.compactMap { $0?.column }.reduce(into: TraceColumns()) { $0.formUnion($1) }
    }

    /// The layout that a header names; `nil` when the line is not a header.
    ///
    /// - Parameter meanings: what the names mean, in lower case; `nil` for the usual names.
    init?(header: UnsafeRawBufferPointer, separator: CSVSeparator, meanings: [String: TraceField]? = nil) {
        guard let names = separator.fields(of: header) else { return nil }
        if let meanings {
            let known = names.map { meanings[$0.lowercased()] }
            guard known.compactMap({ $0 }).count == meanings.count else { return nil }
            self.init(known)
        } else {
            self.init(names.map(TraceField.init(headerName:)), allowsKeyParts: false)
        }
        self.names = names
    }

    /// Whether a line under columns that the caller names is a header by its words: no field that must be a number is one, or
    /// where there is none, its key is a name of the key column.
    func isHeader(_ line: UnsafeRawBufferPointer, separator: CSVSeparator) -> Bool {
        guard let texts = separator.fields(of: line), texts.count == fields.count else { return false }
        let numbers: [TraceField] = [.time, .size, .lifetime, .cost, .count]
        let mustBeNumbers = zip(fields, texts).filter { $0.0.map(numbers.contains) ?? false }.map(\.1)
        if mustBeNumbers.isEmpty {
            return zip(fields, texts).contains { $0 == .key && TraceField(headerName: $1) == .key }
        }
        return mustBeNumbers.allSatisfy { $0.first?.isLetter ?? false }
    }

    /// The fields that are not read, by their names or numbers.
    ///
    /// - Parameter isRead: the fields that are read.
    func ignored(_ isRead: [TraceField?]) -> [String] {
        isRead.indices.filter { isRead[$0] == nil }.map { names.indices.contains($0) ? names[$0] : "column \($0 + 1)" }
    }
}
