import Foundation

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
