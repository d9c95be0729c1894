/// One text key a line: all bytes, including blanks, without the line end.
struct KeysDecoder: TraceDecoder {
    let columns = TraceColumns.keyOnly
    let keyTexts: KeyTextTable?

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            try keyTexts?.append(line, to: &block.keys, window)
        }
    }
}
