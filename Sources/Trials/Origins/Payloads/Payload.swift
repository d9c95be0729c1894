public import Foundation
import Platform
import Synchronization
import TrialModel

/// A decoded value that caches hold: pixels, an article, or bytes.
///
/// A payload is one reference, so a cache's own copies cost one retain. Its content is a pure function of the
/// scenario's seed, the key and the version, so any reader can tell whether it is the right one and complete.
///
/// ```swift
/// let payload = try Payload(encoded: body)
/// let bytes = try payload.encoded()
/// ```
///
/// | kind | encoded | decoded | cost |
/// | --- | --- | --- | --- |
/// | image | PNG | 8-bit RGBA pixels | width × height × 4 |
/// | article | JSON | strings and numbers | UTF-8 bytes of its texts |
/// | bytes | a header and a fill | the same | number of bytes |
public final class Payload: Sendable {
    enum Content: Sendable {
        case image(PixelImage)
        case article(ArticleText)
        case bytes(ByteBlock)
    }

    let content: Content
    /// The key and the version, as found in the encoded form.
    package let identity: PayloadIdentity
    /// The size of the decoded value in memory, in bytes.
    public let cost: Int

    /// How long it lives in a cache; `nil` if the origin did not say.
    public var lifetime: Duration? {
        identity.lifetime == 0 ? nil : .nanoseconds(Int64(clamping: identity.lifetime))
    }

    /// When its decoding began and ended; both 0 where this is not recorded. The times are in the value itself, so they
    /// are known whichever thread decodes, and callers share nothing.
    package let decodingStart: UInt64
    package let decodingEnd: UInt64

    /// Makes all later values record when they were decoded, for the rest of the process.
    package static func noteDecoding() { notesDecoding.store(true, ordering: .relaxed) }

    private static let notesDecoding = Atomic(false)

    /// Whether this payload is counted.
    private let isCounted: Bool

    /// Counts the live payloads among those made from now on, for the rest of the process.
    package static func countAlive() { countsAlive.store(true, ordering: .relaxed) }

    /// How many of the counted payloads are alive.
    package static var aliveCount: Int { alive.load(ordering: .relaxed) }

    private static let countsAlive = Atomic(false)
    private static let alive = Atomic(0)

    deinit {
        if isCounted { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// - Parameter start: when decoding began; 0 where this is not recorded.
    init(identity: PayloadIdentity, content: Content, decodingSince start: UInt64 = 0) {
        isCounted = Self.countsAlive.load(ordering: .relaxed)
        if isCounted { Self.alive.wrappingAdd(1, ordering: .relaxed) }
        self.identity = identity
        self.content = content
        decodingStart = start
        decodingEnd = start == 0 ? 0 : Nanoclock.now()
        cost =
            switch content {
            case .image(let image): image.pixels.count
            case .article(let text): text.byteCount
            case .bytes(let block): block.bytes.count
            }
    }

    /// Decodes the bytes that an origin sent: a PNG with libpng, an article with `JSONDecoder`; plain bytes are copied.
    /// The first bytes tell the kind.
    ///
    /// Costs O(n); about 20 ns a pixel, 2 ns a byte of an article, 0.3 ns a plain byte.
    ///
    /// - Throws: `PayloadError` when the bytes are damaged, truncated, of an unknown kind, or claim to be larger than
    ///   256 MiB decoded. Damage never traps, and is always noticed when it is confined to four consecutive bytes.
    public convenience init(encoded: Data) throws {
        let start = Self.notesDecoding.load(ordering: .relaxed) ? Nanoclock.now() : 0
        switch PayloadKind(detecting: encoded) {
        case .image:
            let (identity, image) = try PNGCodec.decode(encoded)
            self.init(identity: identity, content: .image(image), decodingSince: start)
        case .article:
            let document = try ArticleDocument(decoding: encoded)
            self.init(identity: document.about.identity, content: .article(document.text), decodingSince: start)
        case .bytes:
            let (identity, block) = try ByteBlock.decode(encoded)
            self.init(identity: identity, content: .bytes(block), decodingSince: start)
        case nil:
            throw PayloadError.unknownKind(byteCount: encoded.count)
        }
    }

    /// The bytes that ``init(encoded:)`` reads. An image is compressed again: about 60 ns a pixel.
    ///
    /// - Throws: `PayloadError` when zlib can't compress an image, `EncodingError` when an article can't be encoded.
    public func encoded() throws -> Data {
        switch content {
        case .image(let image): Data(try PNGCodec.encode(image, identity: identity))
        case .article(let text): try ArticleDocument(identity: identity, text: text).encoded()
        case .bytes(let block): Data(block.bytes)
        }
    }

    /// The fewest bytes in which a cache may hold it: a picture is smaller when it is encoded. Costs as much as
    /// encoding.
    package var byteCountMin: Int {
        guard case .image = content, let encoded = try? encoded() else { return cost }
        return min(encoded.count, cost)
    }

    /// Whether every byte is as the pure function of seed, key and size says. Costs about as much as making the
    /// payload; needs memory for one row of pixels, or for one article.
    package func isIntact(seed: UInt64) -> Bool {
        switch content {
        case .image(let image): image.isIntact(seed: seed, key: identity.key)
        case .article(let text): text == ArticleText(seed: seed, key: identity.key, byteCount: cost)
        case .bytes(let block): block.isIntact(seed: seed, identity: identity)
        }
    }
}

/// The kinds of payload, told apart by their first bytes.
enum PayloadKind {
    case image, article, bytes

    init?(detecting encoded: Data) {
        switch encoded.first {
        case PNGCodec.signature[0] where encoded.starts(with: PNGCodec.signature): self = .image
        case UInt8(ascii: "{"): self = .article
        case ByteBlock.magic[0] where encoded.starts(with: ByteBlock.magic): self = .bytes
        default: return nil
        }
    }
}

/// Which payload this is: the key it belongs to, its version, and how long it lives.
package struct PayloadIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The number of the key.
    package var key: UInt64
    /// Counts the payloads of a key: every maker of a payload gives it a number that no other payload of the key has.
    package var version: UInt64
    /// How long a cache may answer with it, in nanoseconds, as `max-age` of HTTP says; 0 for no limit.
    package var lifetime: UInt64 = 0

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

/// The encoded payload of a key without its version: made once, then copied and stamped for each answer.
///
/// Compressing a picture costs thousands of times as much as stamping it, and every answer of an origin carries its own
/// version. Where sizes change, a template belongs to the version for which it was made.
package struct EncodedTemplate: Sendable {
    private let kind: ValueKind
    private let key: UInt64
    private let lifetime: UInt64
    /// The part that all versions share.
    private let shared: [UInt8]
    /// The digest of the shared part, where a checksum needs it.
    private let digest: UInt64

    init(kind: ValueKind, key: UInt64, seed: UInt64, byteCount: Int, lifetime: UInt64 = 0) throws(PayloadError) {
        self.kind = kind
        self.key = key
        self.lifetime = lifetime
        switch kind {
        case .image:
            shared = try PNGCodec.compress(PixelImage(seed: seed, key: key, byteCount: byteCount))
            digest = 0
        case .article:
            let text = ArticleText(seed: seed, key: key, byteCount: byteCount)
            shared = ArticleDocument.tail(text)
            digest = text.digest
        case .bytes:
            shared = ByteBlock.fill(seed: seed, key: key, byteCount: byteCount - ByteBlock.headerByteCount)
            digest = shared.withUnsafeBytes { ByteBlock.digest(ofFill: $0) }
        }
    }

    /// The approximate memory of the template, in bytes.
    package var byteCount: Int { shared.count + 64 }

    /// An upper bound of the encoded size, in bytes.
    package var encodedByteCountMax: Int { shared.count + 192 }

    /// Passes on the encoded payload of a version, in pieces and in order.
    package func write(version: UInt64, to write: (UnsafeRawBufferPointer) -> Void) {
        let identity = PayloadIdentity(key: key, version: version, lifetime: lifetime)
        switch kind {
        case .image:
            shared.withUnsafeBytes(write)
            PNGCodec.trailer(identity: identity).withUnsafeBytes(write)
        case .article:
            ArticleDocument.head(identity: identity, textDigest: digest).withUnsafeBytes(write)
            shared.withUnsafeBytes(write)
        case .bytes:
            let byteCount = ByteBlock.headerByteCount + shared.count
            ByteBlock.header(identity: identity, byteCount: byteCount, fillDigest: digest).withUnsafeBytes(write)
            shared.withUnsafeBytes(write)
        }
    }

    /// The encoded payload of a version. Costs one copy.
    package func encoded(version: UInt64) -> Data {
        var data = Data(capacity: encodedByteCountMax)
        write(version: version) { data.append(contentsOf: $0) }
        return data
    }
}
