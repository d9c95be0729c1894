import Foundation

/// One text key a line: all bytes, including blanks, without the line end.
struct KeysDecoder: TraceDecoder {
    let columns = TraceColumns.keyOnly
    let naming: KeyNaming

    var keyTexts: KeyTextTable? { naming.table }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            try naming.append(line, to: &block.keys, window)
        }
    }
}

/// Turns text keys into numbers.
enum KeyNaming {
    case interned(KeyTextTable)
    case hashed

    init(_ mode: TraceTextKeys) {
        switch mode {
        case .numbered: self = .interned(KeyTextTable())
        case .hashed: self = .hashed
        }
    }

    var table: KeyTextTable? {
        if case .interned(let table) = self { return table }
        return nil
    }

    /// Appends the number of a key of the last line; see ``TraceDecoder/settle(_:)``.
    @inline(__always)
    func append(
        _ text: UnsafeRawBufferPointer, to keys: inout [UInt64], _ window: ByteWindow
    ) throws(TraceFault) {
        guard let base = text.baseAddress, !text.isEmpty, memchr(base, 0, text.count) == nil else {
            throw window.fault(
                .notARecord(found: text.isEmpty ? "an empty key" : "a NUL byte", allowed: "a text key without NUL"))
        }
        switch self {
        case .hashed: keys.append(TextHash.of(text, seed: 0))
        case .interned(let table):
            guard table.append(text, to: &keys) else {
                throw window.fault(.tooMany("keys", limit: KeyTextTable.countMax))
            }
        }
    }
}
