extension TraceFormat {
    /// As much of a trace is looked at to find out its format.
    static let headByteCount = 64 << 10

    /// The format of a trace, by its name and the beginning of its content.
    ///
    /// - Parameter window: at the beginning of the trace; nothing of it is used.
    static func detect(path: String, window: ByteWindow) throws(TraceFault) -> TraceFormat {
        try window.fill(atLeast: headByteCount)
        guard !window.unused.isEmpty else { throw TraceFault(reason: .empty) }
        let head = TraceHead(bytes: window.unused, isWhole: window.unused.count < headByteCount)
        let content = allCases.filter { head.fits($0) }
        let named = self.named(by: path)
        if let format = content.first(where: { named.contains($0) }) { return format }
        if let name = named.first {
            throw TraceFault(reason: .contradictoryFormat(name: name, content: content))
        }
        guard content.count == 1 else {
            throw TraceFault(reason: .ambiguousFormat(content.isEmpty ? allCases : content))
        }
        return content[0]
    }

    /// The formats that a file's name speaks of, the likeliest first: what comes first in a name of several parts, as
    /// in `trace.oracleGeneral.bin.zst`, counts most.
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

/// What the beginning of a trace could be.
struct TraceHead {
    let bytes: UnsafeRawBufferPointer
    /// Whether the trace ends with these bytes.
    let isWhole: Bool
    /// Lines are looked at up to this many.
    private static let lineCountMax = 200

    /// Whether the beginning is that of a trace in this format.
    ///
    /// Text that is several formats at once counts as the narrowest: numbers are no text keys, and Twitter's lines
    /// are no lines of a CSV file without header.
    func fits(_ format: TraceFormat) -> Bool {
        switch format {
        case .oracleGeneral: fitsOracleGeneral
        case .cache2k: fitsCache2k
        case .arc: fitsLines(Self.isARC)
        case .lirs: fitsLines { $0.isEmpty || $0.contains(0x2A) || Digits.isCanonical($0.trimmed) } && hasNumber
        case .twitter: fitsLines(Self.isTwitter)
        case .msr: fitsLines(Self.isMSR)
        case .csv: fitsHeader(separator: 0x2C, isQuoted: true)
        case .tsv: fitsHeader(separator: 0x09, isQuoted: false)
        case .keys: fitsLines { !$0.isEmpty } && ![.arc, .lirs, .twitter, .msr, .tsv, .csv].contains { fits($0) }
        }
    }

    /// A NUL is in hardly any binary trace absent, and in no text.
    private var isText: Bool { !bytes.contains(0) }

    private var lines: PrefixSequence<HeadLines> { HeadLines(bytes).prefix(Self.lineCountMax) }

    private var hasNumber: Bool { lines.contains { Digits.isCanonical($0.trimmed) } }

    private func fitsLines(_ isRecord: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        isText && lines.allSatisfy(isRecord)
    }

    private func fitsHeader(separator: UInt8, isQuoted: Bool) -> Bool {
        guard isText, let header = lines.first(where: { _ in true }) else { return false }
        guard let layout = CSVLayout(header: header, separator: separator, isQuoted: isQuoted) else { return false }
        // A header of one column has no separator, and fits both.
        return separator == 0x2C || layout.fields.count > 1
    }

    private static func isARC(_ line: UnsafeRawBufferPointer) -> Bool {
        var fields = BlankSeparatedFields(line: line)
        for _ in 0..<4 where !isNumber(fields.next()) { return false }
        return fields.next().isEmpty
    }

    private static func isTwitter(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let fields = TwitterDecoder.Fields(line) else { return false }
        return [fields.time, fields.keySize, fields.valueSize, fields.client, fields.lifetime].allSatisfy(isNumber)
            && OperationName.operation(fields.operation) != nil
    }

    private static func isMSR(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let fields = MSRDecoder.Fields(line) else { return false }
        return [fields.time, fields.disk, fields.offset, fields.size, fields.responseTime].allSatisfy(isNumber)
            && OperationName.operation(fields.type) != nil
    }

    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool { (try? Digits.number(text)) != nil }

    /// Times that never go back by more than an hour, and next requests that are -1 or later than their own.
    private var fitsOracleGeneral: Bool {
        let size = OracleGeneralDecoder.recordByteCount
        guard bytes.count >= size, !isWhole || bytes.count % size == 0, !isText else { return false }
        var latest: UInt32 = 0
        for index in 0..<(bytes.count / size) {
            let time = OracleGeneralDecoder.load(bytes, index, 0, as: UInt32.self)
            let next = OracleGeneralDecoder.load(bytes, index, 16, as: Int64.self)
            guard next == -1 || next == .max || next > Int64(index), next <= 1 << 48 || next == .max,
                latest < 3600 || time >= latest - 3600
            else { return false }
            latest = max(latest, time)
        }
        return true
    }

    /// Numbers given in the order in which the keys first come, from 0 or 1 on, as cache2k's recorder gives them.
    private var fitsCache2k: Bool {
        guard bytes.count >= 4, !isWhole || bytes.count % 4 == 0, !isText else { return false }
        var limit: UInt32 = 1
        for index in 0..<(bytes.count / 4) {
            let number = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            guard number <= limit else { return false }
            if number == limit { limit = number &+ 1 }
        }
        return true
    }
}
