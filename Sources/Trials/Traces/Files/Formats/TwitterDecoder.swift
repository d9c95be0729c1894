/// `timestamp,key,key size,value size,client,operation,lifetime`, times in seconds. The size is the sum of key size
/// and value size; that of a read without a value, which missed, is 0, and so the last known one. The key is the text
/// between the first comma and the last five commas. Source: Yang, Yue and Rashmi, OSDI 2020, and their published traces.
struct TwitterDecoder: TraceDecoder {
    let columns: TraceColumns
    let keyTexts: KeyTextTable?

    var ignored: [String] { ["client"] }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            guard let fields = SevenFields(line) else {
                throw window.fault(
                    .notARecord(
                        found: Excerpt.of(line),
                        allowed: "seven fields: timestamp,key,key size,value size,client,operation,lifetime"))
            }
            var request = TraceRequest(key: 0)
            let seconds = try window.number(fields.first, "timestamp", upTo: UInt64(UInt32.max))
            request.timeNanoseconds = seconds &* 1_000_000_000
            // Each is at most half of what the sum can hold.
            let valueSize = try window.size(fields.fourth)
            request.size = try window.size(fields.third) &+ valueSize
            guard request.size <= TraceRequest.sizeMax else {
                throw window.fault(
                    .outOfRange("size", found: "\(request.size)", allowed: "0 to \(TraceRequest.sizeMax)"))
            }
            _ = try window.number(fields.fifth, "client")
            request.operation = try window.operation(fields.sixth)
            if request.operation == .read, valueSize == 0 { request.size = 0 }
            let lifetime = try window.number(fields.seventh, "lifetime", upTo: UInt64(UInt32.max))
            request.lifetimeSeconds = UInt32(truncatingIfNeeded: lifetime)
            try keyTexts?.append(fields.second, to: &block.keys, window)
            block.appendColumns(of: request)
        }
    }
}

/// The parts of a line with six commas or more; only the second part may hold further ones.
struct SevenFields {
    let first, second, third, fourth, fifth, sixth, seventh: UnsafeRawBufferPointer

    /// `nil` when the line has fewer than six commas.
    @inline(__always)
    init?(_ line: UnsafeRawBufferPointer) {
        let start = line.position(of: 0x2C, from: 0)
        let end6 = Self.comma(in: line, before: line.count, behind: start)
        let end5 = Self.comma(in: line, before: end6, behind: start)
        let end4 = Self.comma(in: line, before: end5, behind: start)
        let end3 = Self.comma(in: line, before: end4, behind: start)
        let end2 = Self.comma(in: line, before: end3, behind: start)
        guard end2 > start else { return nil }
        first = UnsafeRawBufferPointer(rebasing: line[..<start])
        second = UnsafeRawBufferPointer(rebasing: line[(start + 1)..<end2])
        third = UnsafeRawBufferPointer(rebasing: line[(end2 + 1)..<end3])
        fourth = UnsafeRawBufferPointer(rebasing: line[(end3 + 1)..<end4])
        fifth = UnsafeRawBufferPointer(rebasing: line[(end4 + 1)..<end5])
        sixth = UnsafeRawBufferPointer(rebasing: line[(end5 + 1)..<end6])
        seventh = UnsafeRawBufferPointer(rebasing: line[(end6 + 1)...])
    }

    /// The last comma before a position; `first` when there is none after it.
    @inline(__always)
    private static func comma(in line: UnsafeRawBufferPointer, before end: Int, behind first: Int) -> Int {
        var comma = end &- 1
        while comma > first, line[comma] != 0x2C { comma &-= 1 }
        return comma > first ? comma : first
    }
}
