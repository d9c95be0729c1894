import TrialModel

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
