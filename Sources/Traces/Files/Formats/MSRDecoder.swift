import Foundation

/// `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; the time in steps of 100 ns since 1601.
///
/// The key is the byte offset; for the first volume it is exactly that. Further volumes (host and disk) are
/// distinguished by the upper 12 bits. Each line is one request, independent of the number of sectors. Source:
/// Narayanan, Donnelly and Rowstron, FAST 2008.
struct MSRDecoder: TraceDecoder {
    static let offsetMax: UInt64 = (1 << 52) - 1
    static let volumeCountMax = 1 << 12

    let columns: TraceColumns
    private var volumes: [[UInt8]] = []
    private var lastVolume = 0

    init(columns: TraceColumns) { self.columns = columns }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit, let line = try window.nextLine() {
            guard let fields = Fields(line) else {
                throw window.fault(
                    .notARecord(
                        found: Excerpt.of(line),
                        allowed: "seven fields: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"))
            }
            let time = try window.number(fields.time, "timestamp", upTo: UInt64.max / 100)
            let operation = try window.operation(fields.type)
            let offset = try window.number(fields.offset, "offset", upTo: Self.offsetMax)
            let size = try window.size(fields.size)
            _ = try window.number(fields.disk, "disk number")
            _ = try window.number(fields.responseTime, "response time")
            let volume = try volume(fields.volume, window)
            block.keys.append(UInt64(volume) << 52 | offset)
            if columns.contains(.time) { block.timesNanoseconds.append(time &* 100) }
            if columns.contains(.size) { block.sizes.append(size) }
            if columns.contains(.operation) { block.operations.append(operation) }
        }
    }

    @inline(__always)
    private mutating func volume(
        _ name: UnsafeRawBufferPointer, _ window: ByteWindow
    ) throws(TraceFault) -> Int {
        if lastVolume < volumes.count, Self.areEqual(volumes[lastVolume], name) { return lastVolume }
        if let known = volumes.firstIndex(where: { Self.areEqual($0, name) }) {
            lastVolume = known
        } else {
            guard volumes.count < Self.volumeCountMax else {
                throw window.fault(.tooMany("volumes", limit: Self.volumeCountMax))
            }
            volumes.append(Array(name))
            lastVolume = volumes.count - 1
        }
        return lastVolume
    }

    @inline(__always)
    private static func areEqual(_ known: [UInt8], _ name: UnsafeRawBufferPointer) -> Bool {
        guard known.count == name.count, let base = name.baseAddress else { return false }
        return memcmp(known, base, name.count) == 0
    }

    /// The parts of a line.
    struct Fields {
        let time, volume, disk, type, offset, size, responseTime: UnsafeRawBufferPointer

        /// `nil` when the line does not have exactly six commas.
        @inline(__always)
        init?(_ line: UnsafeRawBufferPointer) {
            let first = line.position(of: 0x2C, from: 0)
            let second = line.position(of: 0x2C, from: first &+ 1)
            let third = line.position(of: 0x2C, from: second &+ 1)
            let fourth = line.position(of: 0x2C, from: third &+ 1)
            let fifth = line.position(of: 0x2C, from: fourth &+ 1)
            let sixth = line.position(of: 0x2C, from: fifth &+ 1)
            guard sixth < line.count, line.position(of: 0x2C, from: sixth &+ 1) >= line.count else { return nil }
            time = UnsafeRawBufferPointer(rebasing: line[..<first])
            volume = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<third])
            disk = UnsafeRawBufferPointer(rebasing: line[(second + 1)..<third])
            type = UnsafeRawBufferPointer(rebasing: line[(third + 1)..<fourth])
            offset = UnsafeRawBufferPointer(rebasing: line[(fourth + 1)..<fifth])
            size = UnsafeRawBufferPointer(rebasing: line[(fifth + 1)..<sixth])
            responseTime = UnsafeRawBufferPointer(rebasing: line[(sixth + 1)...])
        }
    }
}
