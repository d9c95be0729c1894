import NIOCore
import TrialModel

/// An answer that is not valid HTTP, or is sent in pieces: what is sent, when, and how the connection ends.
struct FaultyAnswer: Sendable {
    /// Bytes that are sent after a pause.
    struct Piece: Sendable {
        var pauseNanoseconds: UInt64 = 0
        var bytes: ByteBuffer
    }

    private(set) var pieces: [Piece] = []
    private(set) var resets = false

    private static let headerPieceCount = 8
    private static let bodyPieceCount = 16
    private static let hugeByteCount = 1 << 40

    /// The answer of a fault that HTTP doesn't allow; `nil` for other faults.
    ///
    /// - Parameters:
    ///   - fault: the scenario's fault.
    ///   - body: the undamaged body.
    ///   - fields: lines of the header, each with its line break, without those that state the body's length.
    init?(_ fault: OriginFault, body: ByteBuffer, fields: String) {
        let count = body.readableBytes
        let head = "HTTP/1.1 200 OK\r\n\(fields)connection: close\r\n"
        let whole = ByteBuffer(string: head + "content-length: \(count)\r\n\r\n")
        let half = body.getSlice(at: body.readerIndex, length: count / 2) ?? ByteBuffer()
        let rest = body.getSlice(at: body.readerIndex + count / 2, length: count - count / 2) ?? ByteBuffer()
        switch fault.kind {
        case .slowHeaders:
            add(Self.cut(whole, into: Self.headerPieceCount), over: fault.extraNanoseconds)
            add([body])
        case .slowBody:
            add([whole])
            add(Self.cut(body, into: Self.bodyPieceCount), over: fault.extraNanoseconds)
        case .stalledBody:
            add([whole, half])
            add([rest], over: fault.extraNanoseconds)
        case .emptyAnswer: break
        case .cutHeaders: add([ByteBuffer(string: String(head.prefix(head.utf8.count / 2)))])
        case .cutBody: add([whole, half])
        case .resetAtOnce: resets = true
        case .resetInBody:
            add([whole, half])
            resets = true
        case .garbage: add([ByteBuffer(repeating: 0xA5, count: 64), ByteBuffer(string: "\r\n\r\n")])
        case .excessBody:
            add([ByteBuffer(string: head + "content-length: \(max(0, count - 1))\r\n\r\n"), body])
        case .malformedChunk:
            add([ByteBuffer(string: head + "transfer-encoding: chunked\r\n\r\nno length\r\n"), half])
        case .hugeBody: add([ByteBuffer(string: head + "content-length: \(Self.hugeByteCount)\r\n\r\n"), half])
        case .slowAnswer, .notFound, .tooManyRequests, .serverError, .badGateway, .unavailable, .redirectLoop,
            .noContent, .noAnswer, .flippedBit, .wrongKey, .oldVersion:
            return nil
        }
    }

    private mutating func add(_ parts: [ByteBuffer], over nanoseconds: UInt64 = 0) {
        let pause = parts.isEmpty ? 0 : nanoseconds / UInt64(parts.count)
        pieces += parts.map { Piece(pauseNanoseconds: pause, bytes: $0) }
    }

    /// Bytes in at most `count` parts of about the same length.
    private static func cut(_ bytes: ByteBuffer, into count: Int) -> [ByteBuffer] {
        var bytes = bytes
        let length = max(1, (bytes.readableBytes + count - 1) / count)
        var parts: [ByteBuffer] = []
        while let part = bytes.readSlice(length: min(length, bytes.readableBytes)), part.readableBytes > 0 {
            parts.append(part)
        }
        return parts
    }
}
