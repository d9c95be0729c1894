/// `timestamp,key,key size,value size,client,operation,lifetime`, times in seconds. The size is the sum of key size
/// and value size. The key is the text between the first comma and the last five commas. Source: Yang, Yue and
/// Rashmi, OSDI 2020, and their published traces.
struct TwitterDecoder: TraceDecoder {
    let columns: TraceColumns
    let naming: KeyNaming

    var keyTexts: KeyTextTable? { naming.table }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            guard let fields = Fields(line) else {
                throw window.fault(
                    .notARecord(
                        found: Excerpt.of(line),
                        allowed: "seven fields: timestamp,key,key size,value size,client,operation,lifetime"))
            }
            let seconds = try window.number(fields.time, "timestamp", upTo: UInt64(UInt32.max))
            let size = UInt64(try window.size(fields.keySize)) + UInt64(try window.size(fields.valueSize))
            guard let size = UInt32(exactly: size) else {
                throw window.fault(.outOfRange("size", found: "\(size)", allowed: "0 to \(UInt32.max)"))
            }
            _ = try window.number(fields.client, "client")
            let operation = try window.operation(fields.operation)
            let lifetime = try window.number(fields.lifetime, "lifetime", upTo: UInt64(UInt32.max))
            try naming.append(fields.key, to: &block.keys, window)
            if columns.contains(.time) { block.timesNanoseconds.append(seconds &* 1_000_000_000) }
            if columns.contains(.size) { block.sizes.append(size) }
            if columns.contains(.operation) { block.operations.append(operation) }
            if columns.contains(.lifetime) { block.lifetimesSeconds.append(UInt32(truncatingIfNeeded: lifetime)) }
        }
    }

    /// The parts of a line.
    struct Fields {
        let time, key, keySize, valueSize, client, operation, lifetime: UnsafeRawBufferPointer

        /// `nil` when the line has fewer than six commas.
        @inline(__always)
        init?(_ line: UnsafeRawBufferPointer) {
            let first = line.position(of: 0x2C, from: 0)
            let fifth = Self.comma(in: line, before: line.count, behind: first)
            let fourth = Self.comma(in: line, before: fifth, behind: first)
            let third = Self.comma(in: line, before: fourth, behind: first)
            let second = Self.comma(in: line, before: third, behind: first)
            let keyEnd = Self.comma(in: line, before: second, behind: first)
            guard keyEnd > first else { return nil }
            keySize = UnsafeRawBufferPointer(rebasing: line[(keyEnd + 1)..<second])
            valueSize = UnsafeRawBufferPointer(rebasing: line[(second + 1)..<third])
            client = UnsafeRawBufferPointer(rebasing: line[(third + 1)..<fourth])
            operation = UnsafeRawBufferPointer(rebasing: line[(fourth + 1)..<fifth])
            lifetime = UnsafeRawBufferPointer(rebasing: line[(fifth + 1)...])
            time = UnsafeRawBufferPointer(rebasing: line[..<first])
            key = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<keyEnd])
        }

        /// The last comma before a position; `first` when there is none after it.
        @inline(__always)
        private static func comma(in line: UnsafeRawBufferPointer, before end: Int, behind first: Int) -> Int {
            var comma = end &- 1
            while comma > first, line[comma] != 0x2C { comma &-= 1 }
            return comma > first ? comma : first
        }
    }
}
