import TrialModel

/// Lines of fields; a header or the caller gives their meaning.
struct CSVDecoder: TraceDecoder {
    let columns: TraceColumns
    /// The meaning of each field; `nil` for a field that is not read and may contain any text.
    private let fields: [TraceField?]
    private let separator: UInt8
    private let isQuoted: Bool
    private let isBlankSeparated: Bool
    private let timeUnit: UInt64
    private let comment: UInt8?
    private let operations: [String: TraceOperation]
    let ignored: [String]
    /// Whether several fields form one key, whose parts are joined in ``joinedKey``.
    private let hasKeyParts: Bool
    private var joinedKey: [UInt8] = []
    /// The last request, its key, and how often it is still to be repeated.
    private var repeated = TraceRequest(key: 0)
    private var repeatedKey: [UInt8] = []
    private var repetitions = 0
    private let areKeysNumbers: Bool
    /// Whether a later key may be text nevertheless.
    private let allowsStrayTexts: Bool
    private(set) var hasStrayTexts = false
    private let texts: KeyTextTable
    private let scratch = CSVScratch()

    var keyTexts: KeyTextTable? { areKeysNumbers ? nil : texts }

    /// Reads the header, unless the caller has given the columns.
    init(
        window: ByteWindow, separator: CSVSeparator, options: TraceReadingOptions
    ) throws(TraceFault) {
        let layout: CSVLayout
        comment = options.csvComment
        operations = options.csvOperations
        isBlankSeparated = separator == .blank
        let isQuoted = separator.allowsQuotes
        if let given = options.csvColumns {
            guard let known = CSVLayout(given) else {
                let names = given.map { $0?.rawValue ?? "-" }.joined(separator: ",")
                throw TraceFault(reason: .unusableColumns(found: names, allowed: CSVLayout.allowed))
            }
            layout = known
            if let first = try window.upcomingLine(), known.isHeader(first, separator: separator) {
                _ = try window.nextLine()
            }
        } else {
            guard let header = try window.nextLine() else { throw TraceFault(reason: .empty) }
            guard let known = CSVLayout(header: header, separator: separator, meanings: options.csvNames) else {
                let allowed = options.csvNames.map { "a header with \($0.keys.sorted().joined(separator: ", "))" }
                throw window.fault(.unusableColumns(found: Excerpt.of(header), allowed: allowed ?? CSVLayout.allowed))
            }
            layout = known
        }
        let columns = options.columns(of: layout.columns)
        self.columns = columns
        fields = layout.fields.map { field in field.flatMap { columns.contains($0.column) ? $0 : nil } }
        ignored = layout.ignored(fields)
        hasKeyParts = fields.count { $0 == .key } > 1
        self.separator = separator.rawValue
        self.isQuoted = isQuoted
        timeUnit = options.csvTimeUnit.nanoseconds
        texts = try KeyTextTable()
        allowsStrayTexts = options.csvKeys == .automatic
        try window.fill(atLeast: TraceFormat.headByteCount)
        switch hasKeyParts ? .text : options.csvKeys {
        case .numbers: areKeysNumbers = true
        case .text: areKeysNumbers = false
        case .automatic:
            areKeysNumbers = Self.keysAreNumbers(
                in: window.unused, layout: layout, separator: separator, comment: comment, scratch: scratch)
        }
    }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit {
            if repetitions > 0 {
                try appendRepetition(window, to: &block)
                continue
            }
            var isOpen = false
            let line =
                isQuoted
                ? try window.nextLine { piece in
                    if CSVSplitter.hasQuotes(piece), CSVSplitter.hasOddQuotes(piece) { isOpen.toggle() }
                    return isOpen
                } : try window.nextLine()
            guard let line else { return }
            if let comment, line.first == comment { continue }
            try decode(line, window, into: &block)
        }
    }

    @inline(__always)
    private mutating func decode(
        _ line: UnsafeRawBufferPointer, _ window: ByteWindow, into block: inout TraceBlock
    ) throws(TraceFault) {
        var request = TraceRequest(key: 0)
        var key = UnsafeRawBufferPointer(start: nil, count: 0)
        if hasKeyParts { joinedKey.removeAll(keepingCapacity: true) }
        repetitions = 1
        if isBlankSeparated {
            var words = BlankSeparatedFields(line: line)
            for field in fields {
                let word = words.next()
                // Fields that are not read may be missing at the end of a line.
                guard !word.isEmpty || field == nil else { throw wrongFields(line, window) }
                try read(word, as: field, into: &request, &key, window)
            }
            guard words.next().isEmpty else { throw wrongFields(line, window) }
        } else if isQuoted, CSVSplitter.hasQuotes(line) {
            var splitter = CSVSplitter(line: line, separator: separator, isQuoted: true, scratch: scratch)
            for field in fields {
                guard let text = splitter.next() else { throw wrongFields(line, window) }
                try read(text, as: field, into: &request, &key, window)
            }
            guard splitter.next() == nil, !splitter.isBroken else { throw wrongFields(line, window) }
        } else {
            // The case of nearly every line of nearly every trace: a splitter takes a seventh more.
            var start = 0
            for field in fields {
                guard start <= line.count else { throw wrongFields(line, window) }
                let end = line.position(of: separator, from: start)
                try read(UnsafeRawBufferPointer(rebasing: line[start..<end]), as: field, into: &request, &key, window)
                start = end &+ 1
            }
            guard start == line.count + 1 else { throw wrongFields(line, window) }
        }
        repetitions -= 1
        guard repetitions >= 0 else { return }
        if hasKeyParts {
            let joined = joinedKey
            try joined.withUnsafeBufferPointer { bytes throws(TraceFault) in
                try append(UnsafeRawBufferPointer(bytes), request, window, to: &block)
            }
            if repetitions > 0 { (repeated, repeatedKey) = (request, joinedKey) }
        } else {
            if repetitions > 0 { (repeated, repeatedKey) = (request, Array(key)) }
            try append(key, request, window, to: &block)
        }
    }

    @inline(__always)
    private mutating func append(
        _ key: UnsafeRawBufferPointer, _ request: TraceRequest, _ window: ByteWindow, to block: inout TraceBlock
    ) throws(TraceFault) {
        if areKeysNumbers {
            try appendNumber(key, to: &block.keys, window)
        } else {
            try texts.append(key, to: &block.keys, window)
        }
        block.appendColumns(of: request)
    }

    /// Appends the last request once more.
    @inline(never)
    private mutating func appendRepetition(_ window: ByteWindow, to block: inout TraceBlock) throws(TraceFault) {
        repetitions -= 1
        let key = repeatedKey
        try key.withUnsafeBufferPointer { bytes throws(TraceFault) in
            try append(UnsafeRawBufferPointer(bytes), repeated, window, to: &block)
        }
    }

    /// Appends a key that must be a number in its only spelling: `01` is not `1`.
    @inline(__always)
    private mutating func appendNumber(
        _ key: UnsafeRawBufferPointer, to keys: inout [UInt64], _ window: ByteWindow
    ) throws(TraceFault) {
        do throws(Digits.Mistake) {
            let number = try Digits.number(key)
            if key.count == 1 || key[0] != 0x30 {
                keys.append(number)
                return
            }
        } catch {}
        try appendStrayText(key, to: &keys, window)
    }

    @inline(never)
    private mutating func appendStrayText(
        _ key: UnsafeRawBufferPointer, to keys: inout [UInt64], _ window: ByteWindow
    ) throws(TraceFault) {
        guard allowsStrayTexts else {
            _ = try window.number(key, "key")
            throw window.fault(
                .notARecord(
                    found: "key \(Excerpt.of(key))", allowed: "a number without zeroes in front; or read keys as text"))
        }
        // Numbers use all 64 bits, so a hash equals a numeric key with a probability of 1 in 2^64.
        try window.requireText(key)
        keys.append(TextHash.of(key, seed: 0))
        hasStrayTexts = true
    }

    @inline(__always)
    private mutating func read(
        _ text: UnsafeRawBufferPointer, as field: TraceField?, into request: inout TraceRequest,
        _ key: inout UnsafeRawBufferPointer, _ window: ByteWindow
    ) throws(TraceFault) {
        switch field {
        case nil: break
        case .key:
            key = text
            if hasKeyParts {
                if !joinedKey.isEmpty { joinedKey.append(0x2B) }
                joinedKey += text
            }
        case .count: repetitions = Int(try window.number(text, "count", upTo: Self.repetitionsMax))
        case .time: request.timeNanoseconds = try time(text, window)
        case .size: request.size = try window.size(text)
        case .operation: request.operation = try operation(text, window)
        case .lifetime:
            let seconds = text.isEmpty ? 0 : try window.number(text, "lifetime", upTo: UInt64(UInt32.max))
            request.lifetimeSeconds = UInt32(truncatingIfNeeded: seconds)
        case .cost:
            request.cost = UInt32(truncatingIfNeeded: try window.number(text, "cost", upTo: UInt64(UInt32.max)))
        }
    }

    /// The most requests that one line may stand for.
    private static let repetitionsMax: UInt64 = 1 << 20

    @inline(__always)
    private func operation(
        _ word: UnsafeRawBufferPointer, _ window: ByteWindow
    ) throws(TraceFault) -> TraceOperation {
        if !operations.isEmpty {
            if let own = operations[String(decoding: word, as: UTF8.self).lowercased()] { return own }
        }
        return try window.operation(word)
    }

    @inline(never)
    private func wrongFields(_ line: UnsafeRawBufferPointer, _ window: ByteWindow) -> TraceFault {
        let count = fields.count
        return window.fault(
            .notARecord(
                found: Excerpt.of(line),
                allowed: "\(count) \(count == 1 ? "field" : "fields")" + (isQuoted ? ", quoted as in RFC 4180" : "")))
    }

    private func time(_ text: UnsafeRawBufferPointer, _ window: ByteWindow) throws(TraceFault) -> UInt64 {
        do throws(Digits.Mistake) {
            return try Digits.nanoseconds(text, unit: timeUnit)
        } catch .tooLarge {
            let limit = UInt64.max / timeUnit
            throw window.fault(
                .outOfRange("time", found: Excerpt.of(text), allowed: "0 to \(limit), or another unit of time"))
        } catch {
            throw window.fault(
                .notARecord(found: "time \(Excerpt.of(text))", allowed: "a number, with or without a fraction"))
        }
    }

    /// Whether every key in the available bytes is a number in its only spelling.
    private static func keysAreNumbers(
        in bytes: UnsafeRawBufferPointer, layout: CSVLayout, separator: CSVSeparator, comment: UInt8?,
        scratch: CSVScratch
    ) -> Bool {
        guard let column = layout.fields.firstIndex(of: .key) else { return false }
        for line in HeadLines(bytes) where !line.isEmpty {
            if let comment, line.first == comment { continue }
            if separator == .blank {
                var words = BlankSeparatedFields(line: line)
                for _ in 0..<column { _ = words.next() }
                if !Digits.isCanonical(words.next()) { return false }
                continue
            }
            var splitter = CSVSplitter(
                line: line, separator: separator.rawValue, isQuoted: separator.allowsQuotes, scratch: scratch)
            for _ in 0..<column { _ = splitter.next() }
            guard let key = splitter.next() else {
                // A quoted field continues on the next line, so lines are not records here.
                if splitter.isBroken { return false }
                continue
            }
            if !Digits.isCanonical(key) { return false }
        }
        return true
    }
}

/// The complete lines at the beginning of a trace, without their ends. A last line without an end counts only when it
/// is the only line.
struct HeadLines: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer
    private var isFirst = true

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func next() -> UnsafeRawBufferPointer? {
        defer { isFirst = false }
        guard !rest.isEmpty else { return nil }
        guard let end = rest.firstIndex(of: 0x0A) else {
            defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
            return isFirst ? rest : nil
        }
        var line = UnsafeRawBufferPointer(rebasing: rest[..<end])
        if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        return line
    }
}
