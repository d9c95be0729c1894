import Foundation
import TrialModel

/// Turns the bytes of a connection into answers, wherever the network has split them.
///
/// It trusts no input. Every number has a range, and a hostile server can't make it hold more than ``headByteCountMax``
/// bytes of head, one line and the largest body that its user allows.
///
/// It can't be used after an error, because the start of the next answer is then unknown.
struct ResponseParser: Sendable {
    private enum State: Sendable {
        case statusLine
        case fields
        case body(missing: Int)
        case chunkSize
        case chunk(missing: Int)
        case chunkEnd
        case trailers
    }

    /// The most bytes of all heads and trailers of one answer together.
    static let headByteCountMax = 64 << 10
    /// The most bytes of one line: of a head, or of the size of a chunk with its extensions.
    static let lineByteCountMax = 16 << 10
    /// The most memory that is reserved at once because a head asks for it. Beyond that, memory grows with the bytes
    /// received.
    private static let reservedByteCountMax = 8 << 20

    private let bodyByteCountMax: Int
    private var state = State.statusLine
    /// The current line, as far as it was received.
    private var line: [UInt8] = []
    private var head: ResponseHead?
    private var headByteCount = 0
    private var body = Data()
    /// Whether no byte of the next answer was received.
    private(set) var isUntouched = true

    /// - Parameter bodyByteCountMax: a larger body is an error.
    init(bodyByteCountMax: Int) {
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// Consumes received bytes. O(bytes).
    ///
    /// - Returns: the answer, once it is complete; the next one may follow. Bytes beyond its end are discarded, and the
    ///   answer says that its connection can't be reused.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(ExchangeFailure) -> HTTPResponse? {
        var rest = bytes[...]
        while !rest.isEmpty {
            isUntouched = false
            if try advance(&rest) { return finish(hasSurplus: !rest.isEmpty) }
        }
        return nil
    }

    /// The failure that a connection's end means at this point.
    var failureAtEnd: ExchangeFailure {
        isUntouched ? .unreachable("the server closed the connection") : .malformed("the connection was closed")
    }

    /// Consumes one more line or piece of the body.
    ///
    /// - Returns: whether the answer is complete.
    private mutating func advance(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(ExchangeFailure) -> Bool {
        switch state {
        case .body(let missing):
            let left = missing - takeBody(missing, of: &rest)
            state = .body(missing: left)
            return left == 0
        case .chunk(let missing):
            let left = missing - takeBody(missing, of: &rest)
            state = left == 0 ? .chunkEnd : .chunk(missing: left)
            return false
        case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
            guard try takeLine(of: &rest) else { return false }
            defer { line.removeAll(keepingCapacity: true) }
            return try readLine()
        }
    }

    private mutating func takeBody(_ missing: Int, of rest: inout Slice<UnsafeRawBufferPointer>) -> Int {
        let part = rest.prefix(missing)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
        rest = rest.dropFirst(part.count)
        return part.count
    }

    /// Moves bytes to the current line, up to its end.
    ///
    /// - Returns: whether the line is complete; then its line break is removed.
    private mutating func takeLine(of rest: inout Slice<UnsafeRawBufferPointer>) throws(ExchangeFailure) -> Bool {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let part = end.map { rest[...$0] } ?? rest
        rest = rest.dropFirst(part.count)
        guard line.count + part.count <= Self.lineByteCountMax else {
            throw .malformed("a line of more than \(Self.lineByteCountMax) bytes")
        }
        switch state {
        case .statusLine, .fields, .trailers: headByteCount += part.count
        case .body, .chunkSize, .chunk, .chunkEnd: break
        }
        guard headByteCount <= Self.headByteCountMax else {
            throw .malformed("a head of more than \(Self.headByteCountMax) bytes")
        }
        line.append(contentsOf: part)
        guard end != nil else { return false }
        guard line.suffix(2).first == UInt8(ascii: "\r") else {
            throw .malformed("a line that doesn't end with CR and LF")
        }
        line.removeLast(2)
        return true
    }

    private mutating func readLine() throws(ExchangeFailure) -> Bool {
        switch state {
        case .statusLine:
            head = try ResponseHead(statusLine: line)
            state = .fields
        case .fields:
            if line.isEmpty { return try beginBody() }
            try head?.read(field: line)
        case .chunkSize:
            let size = try chunkSize()
            state = size == 0 ? .trailers : .chunk(missing: size)
        case .chunkEnd:
            guard line.isEmpty else { throw .malformed("a chunk that is longer than it says") }
            state = .chunkSize
        case .trailers: return line.isEmpty
        case .body, .chunk: break
        }
        return false
    }

    private mutating func beginBody() throws(ExchangeFailure) -> Bool {
        guard let head, head.status != 101 else { throw .malformed("another protocol") }
        guard !head.isInterim else {
            state = .statusLine
            return false
        }
        switch try head.framing() {
        case .chunked: state = .chunkSize
        case .length(let count):
            guard count <= bodyByteCountMax else {
                throw .unusable("a body of \(count) bytes; the limit is \(bodyByteCountMax)")
            }
            body.reserveCapacity(min(count, Self.reservedByteCountMax))
            state = .body(missing: count)
            return count == 0
        }
        return false
    }

    private func chunkSize() throws(ExchangeFailure) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard let size = ResponseHead.wholeNumber(ResponseHead.trimmed(digits), radix: 16) else {
            throw .malformed("a chunk whose size is not a number in range")
        }
        guard size <= bodyByteCountMax - body.count else {
            throw .unusable("a body of more than \(bodyByteCountMax) bytes")
        }
        return size
    }

    private mutating func finish(hasSurplus: Bool) -> HTTPResponse {
        let keepsAlive = head?.keepsAlive == true && !hasSurplus
        let response = HTTPResponse(status: head?.status ?? 0, body: body, keepsAlive: keepsAlive)
        state = .statusLine
        head = nil
        headByteCount = 0
        body = Data()
        isUntouched = true
        return response
    }
}

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

/// A complete answer of the server.
struct HTTPResponse: Hashable, Sendable {
    let status: Int
    let body: Data
    /// Whether another request may follow on the same connection.
    let keepsAlive: Bool
}

/// Why a request got no usable answer.
enum ExchangeFailure: Error, Hashable, Sendable {
    /// The deadline of the whole request has passed.
    case timedOut
    /// The caller's task was cancelled.
    case cancelled
    /// There is no connection, or it was lost.
    case unreachable(String)
    /// The answer can't be used, for this reason.
    case unusable(String)

    /// The answer is not HTTP, or is incomplete.
    static func malformed(_ reason: String) -> ExchangeFailure {
        .unusable("the answer breaks off or is not HTTP (\(reason))")
    }
}

/// The bytes of a request.
struct HTTPRequest: Sendable {
    /// The methods that requests to this origin need.
    enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case delete = "DELETE"
    }

    let bytes: [UInt8]

    /// - Parameters:
    ///   - path: a path with its query, which needs no escaping.
    ///   - authority: the server's name and port.
    init(_ method: Method, _ path: String, at authority: String, body: Data? = nil) {
        var head = "\(method.rawValue) \(path) HTTP/1.1\r\nhost: \(authority)\r\n"
        if let body { head += "content-length: \(body.count)\r\n" }
        head += "\r\n"
        bytes = Array(head.utf8) + Array(body ?? Data())
    }
}
