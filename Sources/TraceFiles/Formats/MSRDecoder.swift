/// `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; the time in steps of 100 ns since 1601.
///
/// The key is the byte offset, and the first volume's keys are just that. Volumes (host and disk) after the first
/// are told apart in the upper 12 bits. A request is one request, however many sectors it covers. Source: Narayanan,
/// Donnelly and Rowstron, FAST 2008.
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
        if lastVolume < volumes.count, volumes[lastVolume].elementsEqual(name) { return lastVolume }
        if let known = volumes.firstIndex(where: { $0.elementsEqual(name) }) {
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

    /// The parts of a line.
    struct Fields {
        let time, volume, disk, type, offset, size, responseTime: UnsafeRawBufferPointer

        /// `nil` when the line has not exactly six commas.
        @inline(__always)
        init?(_ line: UnsafeRawBufferPointer) {
            var commas: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)
            var count = 0
            for index in 0..<line.count where line[index] == 0x2C {
                switch count {
                case 0: commas.0 = index
                case 1: commas.1 = index
                case 2: commas.2 = index
                case 3: commas.3 = index
                case 4: commas.4 = index
                case 5: commas.5 = index
                default: return nil
                }
                count += 1
            }
            guard count == 6 else { return nil }
            time = UnsafeRawBufferPointer(rebasing: line[..<commas.0])
            volume = UnsafeRawBufferPointer(rebasing: line[(commas.0 + 1)..<commas.2])
            disk = UnsafeRawBufferPointer(rebasing: line[(commas.1 + 1)..<commas.2])
            type = UnsafeRawBufferPointer(rebasing: line[(commas.2 + 1)..<commas.3])
            offset = UnsafeRawBufferPointer(rebasing: line[(commas.3 + 1)..<commas.4])
            size = UnsafeRawBufferPointer(rebasing: line[(commas.4 + 1)..<commas.5])
            responseTime = UnsafeRawBufferPointer(rebasing: line[(commas.5 + 1)...])
        }
    }
}
