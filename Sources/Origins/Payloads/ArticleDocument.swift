import Foundation

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
