/// Why bytes are not an encoded payload, or why a payload can't be encoded.
package enum PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first bytes match no known kind.
    case unknownKind(byteCount: Int)
    /// There are fewer bytes than the kind needs, or than the header promises.
    case truncated(kind: String, expected: Int, found: Int)
    /// The content and its checksum disagree.
    case checksumMismatch(kind: String)
    /// The header claims more than ``PayloadLimits/byteCountMax``.
    case tooLarge(kind: String, claimed: UInt64)
    /// The decoder refused the bytes, for this reason.
    case undecodable(kind: String, reason: String)
    /// The content belongs to another key than the identity says.
    case mixedUp(identity: UInt64, content: UInt64)

    package var description: String {
        switch self {
        case .unknownKind(let count):
            "\(count) bytes that are neither a PNG, nor a JSON article, nor a block of bytes: "
                + "not a payload, or damaged at its start"
        case .truncated(let kind, let expected, let found):
            "\(kind) cut short: expected at least \(expected) bytes, found \(found)"
        case .checksumMismatch(let kind):
            "\(kind) damaged: its checksum does not match its content"
        case .tooLarge(let kind, let claimed):
            "\(kind) claims \(claimed) bytes; the limit is \(PayloadLimits.byteCountMax)"
        case .undecodable(let kind, let reason):
            "\(kind) damaged: \(reason)"
        case .mixedUp(let identity, let content):
            "content of key \(content) under the identity of key \(identity)"
        }
    }
}

/// The limits of payload sizes.
package enum PayloadLimits {
    /// The smallest decoded size in bytes; smaller sizes are raised to it.
    package static let byteCountMin = 64
    /// The largest decoded size in bytes; larger sizes are cut to it, and larger claims are refused before any memory
    /// is allocated.
    package static let byteCountMax = 256 << 20
}
