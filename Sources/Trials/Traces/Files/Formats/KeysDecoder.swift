/// One text key a line: all bytes, including blanks, without the line end. A first line that is the name of a key column is
/// a header.
struct KeysDecoder: TraceDecoder {
    let columns = TraceColumns.keyOnly
    let keyTexts: KeyTextTable?

    init(window: ByteWindow) throws(TraceFault) {
        keyTexts = try KeyTextTable()
        guard let first = try window.upcomingLine() else { return }
        if TraceField(headerName: String(decoding: first.trimmed, as: UTF8.self)) == .key { _ = try window.nextLine() }
    }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            try keyTexts?.append(line, to: &block.keys, window)
        }
    }
}
