/// The words that traces use for operations.
enum OperationName {
    static let allowed =
        "read, get, gets, head, load, r, get_lease, 28, 88, 08 (SCSI); write, set, put, add, insert, update, replace, cas, append, prepend, incr, decr, "
        + "w, set_lease, 2a, 8a, 0a (SCSI); remove, delete, del"

    /// The operation of a word, ignoring case; `nil` for an unknown word.
    @inline(__always)
    static func operation(_ word: UnsafeRawBufferPointer) -> TraceOperation? {
        guard (1...8).contains(word.count) else {
            return switch String(decoding: word, as: UTF8.self).lowercased() {
            case "get_lease": .read
            case "set_lease": .write
            default: nil
            }
        }
        var packed: UInt64 = 0
        for byte in word { packed = packed << 8 | UInt64(byte | 0x20) }
        // These words cover nearly all of a trace, and the table is slower.
        switch packed {
        case 0x67_6574, 0x7265_6164: return .read
        case 0x73_6574, 0x77_7269_7465: return .write
        default: return operations[packed]
        }
    }

    private static let operations: [UInt64: TraceOperation] = {
        var table: [UInt64: TraceOperation] = [:]
        for (index, words) in allowed.split(separator: ";").enumerated() {
            for word in words.replacing(" (SCSI)", with: "").split(separator: ",") {
                let packed = word.utf8.filter { $0 != 0x20 }.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                table[packed] = TraceOperation(rawValue: UInt8(index))
            }
        }
        return table
    }()
}

extension ByteWindow {
    /// The operation in a field of the last line.
    @inline(__always)
    func operation(_ word: UnsafeRawBufferPointer) throws(TraceFault) -> TraceOperation {
        guard let operation = OperationName.operation(word) else {
            throw fault(.notARecord(found: "operation \(Excerpt.of(word))", allowed: OperationName.allowed))
        }
        return operation
    }
}
