/// `timestamp,key,key size,value size,client,operation,lifetime`, times in seconds. The size is that of key and value
/// together. The key is all that stands between the first comma and the last five. Source: Yang, Yue and Rashmi,
/// OSDI 2020, and their published traces.
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
            block.keys.append(try naming.key(fields.key, window))
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
            guard let first = line.firstIndex(of: 0x2C) else { return nil }
            var end = line.count
            func last() -> UnsafeRawBufferPointer? {
                var comma = end - 1
                while comma > first, line[comma] != 0x2C { comma -= 1 }
                guard comma > first else { return nil }
                defer { end = comma }
                return UnsafeRawBufferPointer(rebasing: line[(comma + 1)..<end])
            }
            guard let lifetime = last(), let operation = last(), let client = last(), let valueSize = last(),
                let keySize = last()
            else { return nil }
            time = UnsafeRawBufferPointer(rebasing: line[..<first])
            key = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<end])
            (self.keySize, self.valueSize, self.client) = (keySize, valueSize, client)
            (self.operation, self.lifetime) = (operation, lifetime)
        }
    }
}
