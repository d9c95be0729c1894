import Foundation

/// Keys that differ in little: in case, in a query, in an escape, in one character of many, in bits that a hash drops.
enum SimilarKeys {
    /// The keys of a type; empty for a type that is not known.
    static func keys<Key>(_ type: Key.Type) -> [Key] {
        texts as? [Key] ?? numbers as? [Key] ?? addresses as? [Key] ?? []
    }

    private static let texts: [String] = {
        let long = String(repeating: "a long key ", count: 30)
        return [
            "a", "A", "a ", " a", "aa", "\u{e4}", "a\u{327}", "\u{fb01}", "fi", "0", "00", "-0", "a/b", "a:b", "a b",
            "a+b",
            "a%20b", long + "1", long + "2", "https://example.org/a", "https://example.org/a/", "https://example.org/A",
            "https://example.org/a?x=1", "https://example.org/a?x=2", "https://example.org/a#x", "http://example.org/a",
        ]
    }()

    private static let numbers = [0, 1, -1, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 48, (1 << 32) + 1, .max, .min]

    private static let addresses = texts.filter { $0.hasPrefix("http") }.compactMap { URL(string: $0) }
}
