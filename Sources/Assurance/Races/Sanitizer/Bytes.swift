import Foundation

/// A line of a log, or a part of one.
typealias Bytes = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
    /// The slice as text; invalid UTF-8 becomes replacement characters. O(n).
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Whether the bytes begin with a word. O(length of the word).
    func begins(with word: String) -> Bool {
        guard let first = word.utf8.first else { return true }
        // Most lines differ in the first letter.
        guard self.first == first else { return false }
        var word = word
        return word.withUTF8 { word in
            withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, let other = word.baseAddress, word.count <= bytes.count else {
                    return false
                }
                return memcmp(base, other, word.count) == 0
            }
        }
    }

    /// The first place of an ASCII word. O(n), and in C, because a log may have a million lines.
    func first(_ word: String) -> Range<Int>? {
        var word = word
        let offset: Int? = word.withUTF8 { word in
            withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, let needle = word.baseAddress, !word.isEmpty else { return nil }
                var start = 0
                while start + word.count <= bytes.count {
                    let candidates = bytes.count - word.count - start + 1
                    guard let found = memchr(base + start, Int32(word[0]), candidates) else { return nil }
                    if memcmp(found, needle, word.count) == 0 { return UnsafeRawPointer(found) - base }
                    start = UnsafeRawPointer(found) - base + 1
                }
                return nil
            }
        }
        return offset.map { startIndex + $0..<startIndex + $0 + word.utf8.count }
    }

    /// The last place of a byte. O(n).
    func last(_ character: Unicode.Scalar) -> Int? { lastIndex(of: UInt8(truncatingIfNeeded: character.value)) }

    /// Whether the bytes end with a word. O(length of the word).
    func ends(with word: String) -> Bool { suffix(word.utf8.count).elementsEqual(word.utf8) }

    /// The slice without its colour escape sequences. O(n).
    var withoutColours: Bytes {
        guard first("\u{1B}") != nil else { return self }
        var plain: [UInt8] = []
        plain.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            if self[index] == 0x1B, index + 1 < endIndex, self[index + 1] == UInt8(ascii: "[") {
                index += 2
                // A final byte ends the sequence: a letter, usually `m`.
                while index < endIndex, !(0x40...0x7E).contains(self[index]) { index += 1 }
                index = Swift.min(index + 1, endIndex)
            } else {
                plain.append(self[index])
                index += 1
            }
        }
        return plain[...]
    }
}
