public import Foundation
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
