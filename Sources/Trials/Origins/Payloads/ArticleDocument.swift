import Foundation
import TrialModel

/// An article in its JSON form, with the checksum that shows whether it is complete.
///
/// `about` is the first key in alphabetical order, so the identity is at the start of the document.
struct ArticleDocument: Codable, Sendable {
    /// The identity, and a checksum over it and the texts.
    struct About: Codable, Sendable {
        var check: UInt32
        var key: UInt64
        var lifetime: UInt64
        var version: UInt64

        var identity: PayloadIdentity { PayloadIdentity(key: key, version: version, lifetime: lifetime) }
    }

    var about: About
    var author: String
    var paragraphs: [String]
    var tags: [String]
    var title: String

    init(identity: PayloadIdentity, text: ArticleText) {
        let check = Self.check(identity: identity, textDigest: text.digest)
        about = About(check: check, key: identity.key, lifetime: identity.lifetime, version: identity.version)
        author = text.author
        paragraphs = text.paragraphs
        tags = text.tags
        title = text.title
    }

    /// Decodes with `JSONDecoder` and checks the checksum.
    init(decoding encoded: Data) throws(PayloadError) {
        guard encoded.count <= PayloadLimits.byteCountMax else {
            throw .tooLarge(kind: "article", claimed: UInt64(encoded.count))
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: encoded)
        } catch {
            throw .undecodable(kind: "article", reason: Self.reason(of: error))
        }
        guard about.check == Self.check(identity: about.identity, textDigest: text.digest) else {
            throw .checksumMismatch(kind: "article")
        }
    }

    var text: ArticleText {
        ArticleText(title: title, author: author, tags: tags, paragraphs: paragraphs)
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }

    static func check(identity: PayloadIdentity, textDigest: UInt64) -> UInt32 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        bytes.append(littleEndian: identity.key)
        bytes.append(littleEndian: identity.version)
        bytes.append(littleEndian: identity.lifetime)
        bytes.append(littleEndian: textDigest)
        return CRC32.checksum(of: bytes)
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "it has no \"\(key.stringValue)\""
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.debugDescription
        default: "\(error)"
        }
    }
}

extension ArticleDocument {
    /// The part before the texts, as `JSONEncoder` would write it.
    static func head(identity: PayloadIdentity, textDigest: UInt64) -> [UInt8] {
        let check = check(identity: identity, textDigest: textDigest)
        let (key, lifetime, version) = (identity.key, identity.lifetime, identity.version)
        return Array(#"{"about":{"check":\#(check),"key":\#(key),"lifetime":\#(lifetime),"version":\#(version)}"#.utf8)
    }

    /// The texts, as `JSONEncoder` would write them: none of them has a character that needs escaping.
    static func tail(_ text: ArticleText) -> [UInt8] {
        var tail: [UInt8] = []
        tail.reserveCapacity(text.byteCount + 64 + 3 * text.paragraphs.count)
        tail += #","author":"\#(text.author)","paragraphs":["#.utf8
        append(text.paragraphs, to: &tail)
        tail += #"],"tags":["#.utf8
        append(text.tags, to: &tail)
        tail += #"],"title":"\#(text.title)"}"#.utf8
        return tail
    }

    private static func append(_ texts: [String], to bytes: inout [UInt8]) {
        for (index, text) in texts.enumerated() {
            bytes += (index == 0 ? "\"" : ",\"").utf8
            bytes += text.utf8
            bytes += "\"".utf8
        }
    }

    /// Reads the identity at the start of a document in this form, without decoding the rest.
    static func identity(in raw: UnsafeRawBufferPointer) throws(PayloadError) -> PayloadIdentity {
        var rest = raw[...]
        guard skip(#"{"about":{"check":"#, in: &rest), number(in: &rest) != nil,
            skip(#","key":"#, in: &rest), let key = number(in: &rest),
            skip(#","lifetime":"#, in: &rest), let lifetime = number(in: &rest),
            skip(#","version":"#, in: &rest), let version = number(in: &rest), skip("}", in: &rest)
        else { throw .undecodable(kind: "article", reason: "it does not begin with its identity") }
        return PayloadIdentity(key: key, version: version, lifetime: lifetime)
    }

    private static func skip(_ text: String, in rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private static func number(in rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        let digits = rest.prefix(21).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}

/// The texts of an article.
struct ArticleText: Hashable, Sendable {
    var title: String
    var author: String
    var tags: [String]
    var paragraphs: [String]

    /// UTF-8 bytes of all texts: the cost of an article.
    var byteCount: Int {
        (tags + paragraphs).reduce(title.utf8.count + author.utf8.count) { $0 + $1.utf8.count }
    }

    /// A digest of all texts, and of the position where each begins.
    var digest: UInt64 {
        var digest = WordDigest()
        digest.update(title)
        digest.update(author)
        for text in tags { digest.update(text) }
        for text in paragraphs { digest.update(text) }
        return digest.value
    }
}

extension ArticleText {
    private static let tagByteCount = 8
    private static let paragraphByteCount = 640

    /// The article of a key: plain words, with no character that JSON escapes.
    ///
    /// - Parameter byteCount: bytes of all texts together, at least ``PayloadLimits/byteCountMin``.
    init(seed: UInt64, key: UInt64, byteCount: Int) {
        let total = max(byteCount, PayloadLimits.byteCountMin)
        var random = RandomSource(seed: seed, stream: PayloadStream.content, key, UInt64(total))
        let titleByteCount = min(80, total / 8)
        let authorByteCount = min(24, total / 8)
        title = Self.words(byteCount: titleByteCount, random: &random)
        author = Self.words(byteCount: authorByteCount, random: &random)
        tags = (0..<2).map { _ in Self.words(byteCount: Self.tagByteCount, random: &random) }
        paragraphs = []
        var left = total - titleByteCount - authorByteCount - 2 * Self.tagByteCount
        while left > 0 {
            let count = min(left, Self.paragraphByteCount)
            paragraphs.append(Self.words(byteCount: count, random: &random))
            left -= count
        }
    }

    /// Words with a space between them, cut to the requested length.
    private static func words(byteCount: Int, random: inout RandomSource) -> String {
        String(unsafeUninitializedCapacity: byteCount) { buffer in
            var offset = 0
            var bits: UInt64 = 0
            var bitCount = 0
            while offset < byteCount {
                if bitCount < 6 {
                    bits = random.next()
                    bitCount = 64
                }
                let word = vocabulary[Int(bits & 63)]
                bits >>= 6
                bitCount -= 6
                for byte in word where offset < byteCount {
                    buffer[offset] = byte
                    offset += 1
                }
            }
            if byteCount > 0 { buffer[byteCount - 1] = UInt8(ascii: ".") }
            return byteCount
        }
    }

    /// 64 words, each with the space that follows it.
    private static let vocabulary: [[UInt8]] =
        """
        a the and of to in that it was for on with as at by from or an be this which one all when there who more if \
        out so what up go about than into could state only new year some take come these know see use get like then \
        first any work now may such give over think most even find day
        """
        .split(separator: " ").map { Array("\($0) ".utf8) }
}
