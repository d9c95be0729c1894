import Foundation

/// `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; the time in steps of 100 ns since 1601.
///
/// The key is the byte offset; for the first volume it is exactly that. Further volumes (host and disk) are
/// distinguished by the upper 12 bits. Each line is one request, independent of the number of sectors, unless the caller
/// splits requests into blocks, whose offsets then are the keys. Source: Narayanan, Donnelly and Rowstron, FAST 2008.
struct MSRDecoder: TraceDecoder {
    static let offsetMax: UInt64 = (1 << 52) - 1
    static let volumeCountMax = 1 << 12

    let columns: TraceColumns
    private var volumes: [[UInt8]] = []
    private var lastVolume = 0

    private let blockByteCount: UInt64?
    /// The blocks of the last line that are not yet requested, and the request for each of them.
    private var waitingKeys: Range<UInt64> = 0..<0
    private var waiting = TraceRequest(key: 0)

    /// A first line of column names is left out.
    init(window: ByteWindow, columns: TraceColumns, options: TraceReadingOptions) throws(TraceFault) {
        self.columns = columns
        blockByteCount = options.blockByteCount
        if let first = try window.upcomingLine(), Self.isHeader(first) { _ = try window.nextLine() }
    }

    var ignored: [String] { ["response time"] }

    /// Whether a line names the columns.
    static func isHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let fields = fields(of: line) else { return false }
        return ["timestamp", "time"].contains(String(decoding: fields.first.trimmed, as: UTF8.self).lowercased())
    }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit {
            if let blockByteCount, let key = waitingKeys.first {
                block.keys.append(key &* blockByteCount)
                block.appendColumns(of: waiting)
                waitingKeys = (key + 1)..<waitingKeys.upperBound
                continue
            }
            guard let line = try window.nextLine() else { return }
            guard let fields = Self.fields(of: line) else {
                throw window.fault(
                    .notARecord(
                        found: Excerpt.of(line),
                        allowed: "seven fields: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"))
            }
            var request = TraceRequest(key: 0)
            request.timeNanoseconds = try window.number(fields.first, "timestamp", upTo: UInt64.max / 100) &* 100
            request.operation = try window.operation(fields.fourth)
            let offset = try window.number(fields.fifth, "offset", upTo: Self.offsetMax)
            request.size = try window.size(fields.sixth)
            _ = try window.number(fields.third, "disk number")
            if !fields.seventh.isEmpty { _ = try window.number(fields.seventh, "response time") }
            let name = UnsafeRawBufferPointer(
                start: fields.second.baseAddress, count: fields.second.count + 1 + fields.third.count)
            let volume = UInt64(try volume(name, window)) << 52
            if let blockByteCount {
                let end = min(Self.offsetMax, offset + max(request.size, 1) - 1)
                // The start of a volume is a multiple of every block, which is a power of two.
                waitingKeys = (volume | offset) / blockByteCount..<(volume | end) / blockByteCount + 1
                request.size = blockByteCount
                waiting = request
                continue
            }
            block.keys.append(volume | offset)
            block.appendColumns(of: request)
        }
    }

    /// The fields of a line; `nil` when it does not have exactly six commas.
    @inline(__always)
    static func fields(of line: UnsafeRawBufferPointer) -> SevenFields? {
        guard let fields = SevenFields(line), fields.second.position(of: 0x2C, from: 0) == fields.second.count else {
            return nil
        }
        return fields
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
}
