package import Foundation

/// Which payload this is: the key it belongs to, its version, and how long it lives.
package struct PayloadIdentity: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The number of the key.
    package var key: UInt64
    /// Counts the payloads of a key: every maker of a payload gives it a number that no other payload of the key has.
    package var version: UInt64
    /// How long a cache may answer with it, in nanoseconds, as `max-age` of HTTP says; 0 for no limit.
    package var lifetime: UInt64

    package init(key: UInt64, version: UInt64, lifetime: UInt64 = 0) {
        self.key = key
        self.version = version
        self.lifetime = lifetime
    }

    package var description: String { "key \(key) version \(version)" }
}

extension PayloadIdentity {
    /// Reads the identity of an encoded payload without decoding it: from a PNG's last chunks, an article's first
    /// field, or a block's header. O(1); damage of the content is not noticed.
    ///
    /// - Throws: `PayloadError` when the bytes are of an unknown kind, or hold no intact identity.
    package init(peekingInto encoded: Data) throws(PayloadError) {
        let kind = PayloadKind(detecting: encoded)
        let peeked = encoded.withUnsafeBytes { raw in
            Result { () throws(PayloadError) in
                switch kind {
                case .image: try PNGCodec.identity(in: raw)
                case .article: try ArticleDocument.identity(in: raw)
                case .bytes: try ByteBlock.identity(in: raw)
                case nil: throw .unknownKind(byteCount: raw.count)
                }
            }
        }
        self = try peeked.get()
    }
}

/// The purposes of random streams, so that size, content and delay of a key are independent of each other.
package enum PayloadStream {
    /// The size of a key.
    package static let size: UInt64 = 0x0073_697A_65
    /// The content of a key.
    package static let content: UInt64 = 0x6D_6174_7465_72
    /// The delay of an answer.
    package static let delay: UInt64 = 0x64_656C_6179
}
