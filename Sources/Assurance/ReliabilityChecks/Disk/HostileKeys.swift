/// Keys that file systems, string functions and hash tables often handle incorrectly. All differ, except for the
/// pairs of ``HostileKeys/equalPairs``.
///
/// None leads to a file that matters, because a cache that uses a key as a path writes and removes what is there.
/// Relative paths reach no further up than the folder around the cache's own, and absolute paths name a folder that
/// does not exist.
package enum HostileKeys {
    /// 64 keys, all different.
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

    /// Pairs of keys that Swift considers equal, in composed and decomposed form.
    package static let equalPairs = [
        ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}ngstrom", "\u{C5}ngstrom"), ("\u{1100}\u{1161}", "\u{AC00}"),
    ]
}
