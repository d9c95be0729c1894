/// One whole number a line. Lines with `*` are markers, not requests, and blank lines are ignored: the authors' own
/// files end with one. Source: the traces of Jiang and Zhang, SIGMETRICS 2002.
struct LIRSDecoder: TraceDecoder {
    let columns = TraceColumns.keyOnly

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            let number = line.trimmed
            do throws(Digits.Mistake) {
                block.keys.append(try Digits.number(number))
            } catch {
                if number.isEmpty || line.contains(0x2A) { continue }
                _ = try window.number(number, "key")
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The text without blanks and tabs at both ends.
    @inline(__always)
    var trimmed: UnsafeRawBufferPointer {
        var lower = 0
        var upper = count
        while upper > lower, self[upper - 1] == 0x20 || self[upper - 1] == 0x09 { upper -= 1 }
        while lower < upper, self[lower] == 0x20 || self[lower] == 0x09 { lower += 1 }
        return UnsafeRawBufferPointer(rebasing: self[lower..<upper])
    }
}
