import TrialModel

extension TraceFormat {
    /// The number of bytes that are inspected to detect the format.
    static let headByteCount = 64 << 10

    /// The format of a trace, by its name and the beginning of its content.
    ///
    /// - Parameter window: at the beginning of the trace; detection uses up no bytes of it.
    static func detect(path: String, window: ByteWindow) throws(TraceFault) -> TraceFormat {
        try window.fill(atLeast: headByteCount)
        guard !window.unused.isEmpty else { throw TraceFault(reason: .empty) }
        let head = TraceHead(bytes: window.unused, isWhole: window.unused.count < headByteCount)
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
        case .arc: fitsLines(Self.isARC)
        case .lirs: fitsLines { $0.isEmpty || $0.contains(0x2A) || Digits.isCanonical($0.trimmed) } && hasNumber
        case .twitter: fitsLines(Self.isTwitter)
        case .msr: fitsLines(Self.isMSR)
        case .csv: hasHeader(.csv) || (hasColumns(separator: 0x2C) && !fits(.twitter) && !fits(.msr))
        case .tsv: hasHeader(.tsv) || hasColumns(separator: 0x09)
        case .keys:
            fitsLines { !$0.isEmpty } && ![TraceFormat.arc, .lirs, .twitter, .msr].contains { fits($0) }
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
        case .msr: isText && lines.first { _ in true }.map(Self.isMSR) ?? false
        case .csv: isText
        case .arc, .lirs: fits(format)
        }
    }

    private func isWhole(_ size: Int) -> Bool { bytes.count >= size && (!isWhole || bytes.count % size == 0) }

    private var lines: PrefixSequence<HeadLines> { HeadLines(bytes).prefix(Self.lineCountMax) }

    private var hasNumber: Bool { lines.contains { Digits.isCanonical($0.trimmed) } }

    private func fitsLines(_ isRecord: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        isText && lines.allSatisfy(isRecord)
    }

    private func hasHeader(_ format: TraceFormat) -> Bool {
        guard isText, let header = lines.first(where: { _ in true }) else { return false }
        let (separator, isQuoted): (UInt8, Bool) = format == .csv ? (0x2C, true) : (0x09, false)
        guard let layout = CSVLayout(header: header, separator: separator, isQuoted: isQuoted) else { return false }
        // A header of one column has no separator, and would fit both formats.
        return format == .csv || layout.fields.count > 1
    }

    /// Whether all lines have the same number of separators, at least one: a file without a header, or keys that look
    /// like one.
    private func hasColumns(separator: UInt8) -> Bool {
        guard isText else { return false }
        let counts = Set(lines.map { line in line.count { $0 == separator } })
        return counts.count == 1 && counts != [0]
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
        return [fields.first, fields.third, fields.fifth, fields.sixth, fields.seventh].allSatisfy(isNumber)
            && OperationName.operation(fields.fourth) != nil
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

    /// Whether keys are numbered from 0 or 1 in the order of first appearance, as cache2k's recorder does.
    private var countsKeys: Bool {
        var limit: UInt32 = 1
        for index in 0..<(bytes.count / 4) {
            let number = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            guard number <= limit else { return false }
            if number == limit { limit = number &+ 1 }
        }
        return true
    }
}
