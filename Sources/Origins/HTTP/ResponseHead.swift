/// The status line and those fields of an answer that tell where the answer ends.
struct ResponseHead: Sendable {
    /// How long the body is.
    enum Framing: Hashable, Sendable {
        case length(Int)
        case chunked
    }

    let status: Int
    private(set) var keepsAlive: Bool
    private var contentLength: Int?
    private var isChunked = false

    /// - Parameter line: the first line of an answer, without its line break.
    init(statusLine line: [UInt8]) throws(ExchangeFailure) {
        let isCurrent = line.starts(with: "HTTP/1.1 ".utf8)
        guard isCurrent || line.starts(with: "HTTP/1.0 ".utf8), line.count >= 12,
            line.count == 12 || line[12] == UInt8(ascii: " "),
            let status = Self.wholeNumber(line[9..<12], radix: 10), (100...599).contains(status)
        else { throw .malformed("no status line of HTTP/1") }
        self.status = status
        keepsAlive = isCurrent
    }

    /// Whether another head follows this one.
    var isInterim: Bool { status < 200 }

    /// - Parameter line: a field without its line break.
    mutating func read(field line: [UInt8]) throws(ExchangeFailure) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy({ (0x21...0x7E).contains($0) }),
            line[colon...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") })
        else { throw .malformed("a line that is not a field") }
        let name = line[..<colon]
        let value = Self.trimmed(line[(colon + 1)...])
        if Self.isEqual(name, "content-length") {
            guard let length = Self.wholeNumber(value, radix: 10) else {
                throw .malformed("a content-length that is not a number in range")
            }
            guard contentLength == nil || contentLength == length else {
                throw .malformed("two values of content-length")
            }
            contentLength = length
        } else if Self.isEqual(name, "transfer-encoding") {
            guard Self.isEqual(value, "chunked"), !isChunked else {
                throw .malformed("a transfer-encoding other than chunked")
            }
            isChunked = true
        } else if Self.isEqual(name, "connection") {
            let options = value.split(separator: UInt8(ascii: ","))
            if options.contains(where: { Self.isEqual(Self.trimmed($0), "close") }) { keepsAlive = false }
        }
    }

    /// The framing of the body, once all fields are read.
    ///
    /// A body that ends with the connection is refused, because a complete body could not be distinguished from a
    /// truncated one.
    func framing() throws(ExchangeFailure) -> Framing {
        if status == 204 || status == 304 { return .length(0) }
        switch (contentLength, isChunked) {
        case (let length?, false): return .length(length)
        case (nil, true): return .chunked
        case (_?, true): throw .malformed("both content-length and transfer-encoding")
        case (nil, false): throw .malformed("it doesn't say how long the body is")
        }
    }

    /// A number of digits only, without a sign; `nil` for anything else, and for a number that is too large for `Int`.
    static func wholeNumber(_ digits: some Collection<UInt8>, radix: Int) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits {
            let digit: Int
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = Int(byte) - 0x61 + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = Int(byte) - 0x41 + 10
            default: return nil
            }
            let (product, overflows) = number.multipliedReportingOverflow(by: radix)
            let (sum, overflowsNow) = product.addingReportingOverflow(digit)
            guard digit < radix, !overflows, !overflowsNow else { return nil }
            number = sum
        }
        return number
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
        return start[...last]
    }

    /// Whether the bytes equal a word of small letters and hyphens, in any case.
    private static func isEqual(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            bytes.count == word.count && zip(bytes, word).allSatisfy { $0 | 0x20 == $1 }
        }
    }
}
