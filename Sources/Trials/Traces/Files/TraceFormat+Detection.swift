import TrialModel

extension TraceFormat {
    /// The number of bytes that are inspected to detect the format.
    static let headByteCount = 64 << 10

    /// The format of a trace, by its name and the beginning of its content.
    ///
    /// - Parameters:
    ///   - window: at the beginning of the trace; detection uses up no bytes of it.
    ///   - options: columns that the caller names make it a file of columns.
    static func detect(
        path: String, window: ByteWindow, options: TraceReadingOptions
    ) throws(TraceFault) -> TraceFormat {
        try window.fill(atLeast: headByteCount)
        guard !window.unused.isEmpty else { throw TraceFault(reason: .empty) }
        let head = TraceHead(bytes: window.unused, isWhole: window.unused.count < headByteCount)
        if options.csvColumns != nil || options.csvNames != nil { return head.isTabbed ? .tsv : .csv }
        if let foreign = head.foreign { throw TraceFault(reason: .foreign(foreign)) }
        let content = allCases.filter { head.fits($0) }
        let named = self.named(by: path)
        if let format = content.first(where: { named.contains($0) }) { return format }
        if let format = named.first(where: { head.couldBe($0) }) { return format }
        // Nearly all text fits `keys`, so a fit proves nothing: the decoder of the named text format reports what is
        // wrong. A binary decoder could not, because nearly any bytes are valid records.
        if let format = named.last, format.isText, content.allSatisfy({ $0 == .keys }) { return format }
        if let name = named.first {
            throw TraceFault(reason: .contradictoryFormat(name: name, content: content))
        }
        // Every line of columns is also a text key, each different, so that no request would ever hit.
        if content == [.keys], let columns = head.columnsInPlaceOfKeys {
            throw TraceFault(reason: .unsureFormat(columns.why, columns.formats))
        }
        guard content.count == 1 else {
            throw TraceFault(reason: .ambiguousFormat(content.isEmpty ? allCases : content))
        }
        return content[0]
    }

    /// The formats that a file's name suggests, the most likely first. The first known part of a name such as
    /// `trace.oracleGeneral.bin.zst` decides.
    static func named(by path: String) -> [TraceFormat] {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".").dropFirst().map { $0.lowercased() }
        for part in parts {
            switch part {
            case "lis", "arc": return [.arc]
            case "lirs": return [.lirs]
            case "oraclegeneral": return [.oracleGeneral]
            case "cache2k": return [.cache2k]
            case "csv": return [.twitter, .msr, .csv]
            case "tsv": return [.tsv]
            case "keys": return [.keys]
            case "twitter": return [.twitter]
            case "msr": return [.msr]
            case "monitor": return [.redis]
            default: continue
            }
        }
        return []
    }
}

/// The formats that the beginning of a trace fits.
struct TraceHead {
    let bytes: UnsafeRawBufferPointer
    /// Whether the trace ends with these bytes.
    let isWhole: Bool
    /// Nearly every binary trace contains a NUL, and no text does.
    private let isText: Bool
    /// The most lines that are inspected.
    private static let lineCountMax = 200

    init(bytes: UnsafeRawBufferPointer, isWhole: Bool) {
        self.bytes = bytes
        self.isWhole = isWhole
        isText = bytes.position(of: 0, from: 0) == bytes.count
    }

    /// Whether the beginning fits a trace in this format.
    ///
    /// Text that fits several formats counts as the narrowest: numbers are not text keys, and Twitter's lines are not
    /// a CSV file without a header. Keys that all have the same number of commas remain ambiguous.
    func fits(_ format: TraceFormat) -> Bool {
        switch format {
        case .oracleGeneral: !isText && isWhole(OracleGeneralDecoder.recordByteCount) && hasNextRequests(hasTimes: true)
        case .cache2k: !isText && isWhole(4) && countsKeys
        case .arc: fitsLines(Self.isARC) && numbersItsLines
        case .lirs: fitsLines { $0.isEmpty || $0.contains(0x2A) || Digits.isCanonical($0.trimmed) } && hasNumber
        case .twitter: fitsLines(Self.isTwitter)
        case .msr: isText && lines.enumerated().allSatisfy { $0 == 0 && MSRDecoder.isHeader($1) || Self.isMSR($1) }
        case .redis: fitsLines(RedisDecoder.isRecord) && lines.contains { !$0.elementsEqual("OK".utf8) }
        case .csv: hasHeader(.csv) || (hasColumns(separator: 0x2C) && !fits(.twitter) && !fits(.msr) && !fits(.redis))
        case .tsv: hasHeader(.tsv) || hasColumns(separator: 0x09)
        case .keys:
            fitsLines { !$0.isEmpty } && ![TraceFormat.arc, .lirs, .twitter, .msr, .redis].contains { fits($0) }
                && !hasHeader(.csv) && !hasHeader(.tsv)
        }
    }

    /// Whether a file whose name says the format may be read as it; its decoder then reports what is wrong, and
    /// where.
    ///
    /// This is wider than ``fits(_:)``: numbers may be text keys, a file may be truncated, times may be in any order.
    func couldBe(_ format: TraceFormat) -> Bool {
        switch format {
        case .oracleGeneral: hasNextRequests(hasTimes: false)
        case .cache2k: !isText && countsKeys
        case .keys, .tsv: isText
        case .twitter: isText && lines.first { _ in true }.map(Self.isTwitter) ?? false
        case .msr: isText && lines.first { _ in true }.map { MSRDecoder.isHeader($0) || Self.isMSR($0) } ?? false
        case .redis: isText && lines.first { _ in true }.map(RedisDecoder.isRecord) ?? false
        case .csv: isText
        case .arc: fitsLines(Self.isARC)
        case .lirs: fits(format)
        }
    }

    private func isWhole(_ size: Int) -> Bool { bytes.count >= size && (!isWhole || bytes.count % size == 0) }

    private var lines: PrefixSequence<HeadLines> { HeadLines(bytes).prefix(Self.lineCountMax) }

    private var hasNumber: Bool { lines.contains { Digits.isCanonical($0.trimmed) } }

    private func fitsLines(_ isRecord: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        isText && lines.allSatisfy(isRecord)
    }

    /// Whether the first line names the columns of a file in this format.
    func hasHeader(_ format: TraceFormat) -> Bool {
        guard [.csv, .tsv].contains(format), isText, let header = lines.first(where: { _ in true }) else {
            return false
        }
        if format == .csv { return CSVSeparator.ofHeader(header) != nil }
        guard let layout = CSVLayout(header: header, separator: .tab) else { return false }
        // A header of one column has no separator, and would fit both formats.
        return layout.fields.count > 1
    }

    /// Whether all lines have the same number of separators, at least one: a file without a header, or keys that look
    /// like one.
    private func hasColumns(separator: UInt8) -> Bool {
        guard isText else { return false }
        let counts = Set(lines.map { line in line.count { $0 == separator } })
        return counts.count == 1 && counts != [0]
    }

    /// Whether the first line has tabs between its columns.
    var isTabbed: Bool { isText && (lines.first { _ in true }?.contains(0x09) ?? false) }

    /// Why lines that would be read as text keys may be columns, and the formats that are possible; `nil` for lines that
    /// don't look like columns.
    var columnsInPlaceOfKeys: (why: String, formats: [TraceFormat])? {
        if fitsLines(Self.isARC) {
            return (
                "each line has four numbers, the last of which don't count lines as in ARC files", [.arc, .csv, .keys]
            )
        }
        let words = lines.map { line in
            var fields = BlankSeparatedFields(line: line)
            let first = fields.next()
            var count = 0
            var field = first
            while !field.isEmpty {
                count += 1
                field = fields.next()
            }
            return (count: count, startsWithNumber: Digits.isDecimal(first))
        }
        if let count = words.first?.count, count > 1, words.allSatisfy({ $0.count == count }) {
            return ("each line has \(count) words", [.csv, .keys])
        }
        if !words.isEmpty, words.allSatisfy({ $0.count > 1 && $0.startsWithNumber }) {
            return ("each line begins with a number and a blank", [.csv, .keys])
        }
        if hasColumns(separator: 0x3B) { return ("each line has as many semicolons", [.csv, .keys]) }
        return nil
    }

    /// What else a file is that is no trace, and what to do about it.
    var foreign: String? {
        let known: [(at: Int, bytes: [UInt8], what: String)] = [
            (257, Array("ustar".utf8), "a tar archive; unpack it: tar -xf"),
            (0, [0x50, 0x4B, 0x03, 0x04], "a zip archive; unpack it: unzip"),
            (0, Array("BZh".utf8), "compressed with bzip2; unpack it: bunzip2"),
            (0, [0x04, 0x22, 0x4D, 0x18], "compressed with lz4; unpack it: unlz4"),
            (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive; unpack it: 7z x"),
            (0, Array("PAR1".utf8), "a Parquet file; write it as csv"),
        ]
        if let found = known.first(where: { bytes.dropFirst($0.at).starts(with: $0.bytes) }) { return found.what }
        let first = lines.first { _ in true }.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard first?.filter({ $0 != " " }) == "timestamp,response,iotype,lun,offset,size" else { return nil }
        return "a SYSTOR '17 trace; read it with --columns time=timestamp,operation=iotype,key=lun+offset,size=size"
    }

    /// Whether the last numbers of ARC's lines are as in all published files: 0, or the number of the line; and no line asks
    /// for more keys than one of them does. Any other four numbers would also be read without an error.
    private var numbersItsLines: Bool {
        var expected: UInt64?
        var areZero = true
        var areCounted = true
        var count = 0
        for line in lines {
            var fields = BlankSeparatedFields(line: line)
            _ = fields.next()
            let numbers = [fields.next(), fields.next(), fields.next()].map { (try? Digits.number($0)) ?? .max }
            guard (1...ARCDecoder.runCountMax).contains(numbers[0]) else { return false }
            if numbers[1] != 0 || numbers[2] != 0 { areZero = false }
            if let expected, numbers[2] != expected { areCounted = false }
            expected = numbers[2] &+ 1
            count += 1
        }
        return areZero || (areCounted && count > 1)
    }

    private static func isARC(_ line: UnsafeRawBufferPointer) -> Bool {
        var fields = BlankSeparatedFields(line: line)
        for _ in 0..<4 where !isNumber(fields.next()) { return false }
        return fields.next().isEmpty
    }

    private static func isTwitter(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let fields = SevenFields(line) else { return false }
        return [fields.first, fields.third, fields.fourth, fields.fifth, fields.seventh].allSatisfy(isNumber)
            && OperationName.operation(fields.sixth) != nil
    }

    private static func isMSR(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let fields = MSRDecoder.fields(of: line) else { return false }
        return [fields.first, fields.third, fields.fifth, fields.sixth].allSatisfy(isNumber)
            && (fields.seventh.isEmpty || isNumber(fields.seventh)) && OperationName.operation(fields.fourth) != nil
    }

    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool { (try? Digits.number(text)) != nil }

    /// Whether each next request is -1 or later than its own request, and times never go back by more than an hour.
    private func hasNextRequests(hasTimes: Bool) -> Bool {
        var latest: UInt32 = 0
        for index in 0..<(bytes.count / OracleGeneralDecoder.recordByteCount) {
            let time = OracleGeneralDecoder.load(bytes, index, 0, as: UInt32.self)
            let next = OracleGeneralDecoder.load(bytes, index, 16, as: Int64.self)
            guard next == -1 || next == .max || next > Int64(index), next <= 1 << 48 || next == .max,
                !hasTimes || latest < 3600 || time >= latest - 3600
            else { return false }
            latest = max(latest, time)
        }
        return true
    }

    /// A trace of one key is believed below this many bytes.
    private static let headByteCountOfOneKey = 1 << 10

    /// Whether keys are numbered from 0 or 1 in the order of first appearance, as cache2k's recorder does.
    private var countsKeys: Bool {
        var limit: UInt32 = 1
        for index in 0..<(bytes.count / 4) {
            let number = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            guard number <= limit else { return false }
            if number == limit { limit = number &+ 1 }
        }
        // Zeros without an end, as /dev/zero has them, are no trace.
        return limit > 1 || bytes.count < Self.headByteCountOfOneKey
    }
}
