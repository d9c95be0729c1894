/// Keys that file systems, string functions and hash tables stumble over. All differ, but for the pairs of
/// ``HostileKeys/equalPairs``.
///
/// None leads to a file that matters: a cache that takes a key for a path writes and removes what is there. Paths go no
/// further up than the folder around the cache's own, and those from the root name a folder that nobody has.
package enum HostileKeys {
    /// 64 keys, no two of which are equal.
    package static let all: [String] =
        [
            "", ".", "..", "...", "/", "//", "../out", "../cache/../out", "/nowhere/passwd", "a/b", "a/../b", "./a",
            "a/", "/nowhere/a",
            "a\u{0}b", "a%00b", "\u{0}", "%2e%2e%2f", "..%2Fout", "..\\out", "C:\\out", "lock", "lock ", "temporary-1",
            "temporary-2", "entries.saved", "index", "\n", "a\nb", "a\rb", "\r\n", " ", "  ", "\t", "CON", "con", "NUL",
            "aux.txt", "A", "a", "~", "~root", "$HOME", "`id`", "-rf", "--", "*", "?", "a|b", "a;b",
            "\u{202E}txt.exe", "\u{200B}", "\u{FEFF}", "\u{1F600}", "\u{1F468}\u{200D}\u{1F469}", "caf\u{E9}", "cafe",
            String(repeating: "x", count: 255), String(repeating: "x", count: 256),
            String(repeating: "x", count: 4_096), String(repeating: "\u{E9}", count: 2_048),
            String(repeating: "0", count: 64), String(repeating: "../cache/", count: 400), "\u{FFFD}",
        ]

    /// Keys that Swift holds equal, written in two ways: composed and not.
    package static let equalPairs = [
        ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}ngstrom", "\u{C5}ngstrom"), ("\u{1100}\u{1161}", "\u{AC00}"),
    ]
}
