import Foundation

/// Turns the bytes of a connection into answers, however the network has cut them.
///
/// It trusts nothing that it reads. Every number has a range, and a hostile server can't make it hold more than
/// ``headByteCountMax`` bytes of head, one line and the largest body that its user allows.
///
/// After an error it is of no use: nobody knows where the next answer begins.
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

    /// All heads and trailers of one answer together.
    static let headByteCountMax = 64 << 10
    /// One line: of a head, or the size of a chunk with its extensions.
    static let lineByteCountMax = 16 << 10
    /// Memory that is reserved at once because a head says so. Beyond that it grows with what has come.
    private static let reservedByteCountMax = 8 << 20

    private let bodyByteCountMax: Int
    private var state = State.statusLine
    /// The line under way, without what has not come yet.
    private var line: [UInt8] = []
    private var head: ResponseHead?
    private var headByteCount = 0
    private var body = Data()
    /// Whether no byte of the next answer has come.
    private(set) var isUntouched = true

    /// - Parameter bodyByteCountMax: a larger body is an error.
    init(bodyByteCountMax: Int) {
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// Takes what came. O(bytes).
    ///
    /// - Returns: the answer, once it is whole; the next one may follow. Bytes beyond its end are thrown away, and the
    ///   answer says that its connection is of no more use.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(ExchangeFailure) -> HTTPResponse? {
        var rest = bytes[...]
        while !rest.isEmpty {
            isUntouched = false
            if try advance(&rest) { return finish(hasSurplus: !rest.isEmpty) }
        }
        return nil
    }

    /// What it means that the connection ends here.
    var failureAtEnd: ExchangeFailure {
        isUntouched ? .unreachable("the server closed the connection") : .malformed("the connection was closed")
    }

    /// Goes one line or one piece of the body further.
    ///
    /// - Returns: whether the answer is whole.
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

    /// Moves bytes to the line under way, up to its end.
    ///
    /// - Returns: whether the line is whole; then it has lost its end.
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
            throw .malformed("a chunk whose size is no number in range")
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
