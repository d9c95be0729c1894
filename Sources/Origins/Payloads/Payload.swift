public import Foundation
import Synchronization
import TrialModel

/// A decoded value that caches hold: pixels, an article, or bytes.
///
/// A payload is one reference, so that a cache's own copies cost one retain. What is in it is a pure function of the
/// scenario's seed, the key and the version, so that whoever reads one can tell whether it is the right one and whole.
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
    /// The key and the version, as they were found in the encoded form.
    package let identity: PayloadIdentity
    /// What the decoded value weighs in memory, in bytes.
    public let cost: Int

    /// How long it lives in a cache, where the origin said so.
    public var lifetime: Duration? {
        identity.lifetime == 0 ? nil : .nanoseconds(Int64(clamping: identity.lifetime))
    }

    /// When it began to be decoded, and when it was; both 0 where nobody wants to know. In the value itself, so that it
    /// is known whichever thread decodes, and so that callers share nothing.
    package let decodingStart: UInt64
    package let decodingEnd: UInt64

    /// Whether values write down when they were decoded; for the rest of the process.
    package static func noteDecoding() { notesDecoding.store(true, ordering: .relaxed) }

    private static let notesDecoding = Atomic(false)

    /// Whether it is among those that are counted.
    private let isCounted: Bool

    /// Counts the payloads that are made from now on and that live; for the rest of the process.
    package static func countAlive() { countsAlive.store(true, ordering: .relaxed) }

    /// How many payloads live of those that are counted.
    package static var aliveCount: Int { alive.load(ordering: .relaxed) }

    private static let countsAlive = Atomic(false)
    private static let alive = Atomic(0)

    deinit {
        if isCounted { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// - Parameter start: when decoding began; 0 where it is not written down.
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

    /// Decodes what an origin sent: a PNG with libpng, an article with `JSONDecoder`; bytes are copied. The first
    /// bytes tell the kind.
    ///
    /// Costs O(n); about 20 ns a pixel, 2 ns a byte of an article, 0.3 ns a plain byte.
    ///
    /// - Throws: `PayloadError` when the bytes are damaged, cut short, of no known kind, or claim to be larger than
    ///   256 MiB decoded. Damage never traps, and never goes unnoticed when it is confined to four bytes in a row.
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

    /// The bytes that ``init(encoded:)`` reads. An image is compressed anew: about 60 ns a pixel.
    public func encoded() throws -> Data {
        switch content {
        case .image(let image): Data(try PNGCodec.encode(image, identity: identity))
        case .article(let text): try ArticleDocument(identity: identity, text: text).encoded()
        case .bytes(let block): Data(block.bytes)
        }
    }

    /// The fewest bytes that a cache may hold it in: a picture is smaller when it is encoded. Costs as much as that.
    package var byteCountMin: Int {
        guard case .image = content, let encoded = try? encoded() else { return cost }
        return min(encoded.count, cost)
    }

    /// Whether every byte is what the pure function of seed, key and size says. Costs about as much as making the
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
