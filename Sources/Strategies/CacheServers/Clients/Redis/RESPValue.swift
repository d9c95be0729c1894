package import NIOCore

/// A reply in RESP, version 2: the REdis Serialization Protocol.
package indirect enum RESPValue: Sendable, Hashable {
    /// `+OK`
    case simple(String)
    /// `-ERR unknown command`
    case error(String)
    /// `:1000`
    case integer(Int)
    /// `$5` and five bytes.
    case bulk(ByteBuffer)
    /// `*2` and two values.
    case array([RESPValue])
    /// `$-1` or `*-1`: no value.
    case null
}

extension RESPValue {
    /// A simple or a bulk string; `nil` for other values.
    package var text: String? {
        switch self {
        case .simple(let text): text
        case .bulk(let bytes): String(buffer: bytes)
        default: nil
        }
    }

    /// The values of an array; `nil` for other values.
    package var array: [RESPValue]? { if case .array(let values) = self { values } else { nil } }
}

/// A command in RESP: an array of bulk strings.
package struct RESPCommand: Sendable {
    /// The bytes to send.
    package let bytes: ByteBuffer

    /// A command from text arguments.
    package init(_ words: String...) { self.init(words.map { ByteBuffer(string: $0) }) }

    /// A command from arguments of any bytes, such as keys and values. Linear in their count.
    package init(_ words: [ByteBuffer]) {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(words.reduce(16) { $0 + $1.readableBytes + 16 })
        bytes.writeString("*\(words.count)\r\n")
        for var word in words {
            bytes.writeString("$\(word.readableBytes)\r\n")
            bytes.writeBuffer(&word)
            bytes.writeString("\r\n")
        }
        self.bytes = bytes
    }
}
