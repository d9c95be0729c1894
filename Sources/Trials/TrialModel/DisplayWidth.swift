/// The horizontal alignment of a column.
package enum Alignment: Sendable {
    /// Text; wrapped when a terminal is too narrow.
    case left
    /// Numbers; never wrapped.
    case right
}

/// The number of terminal columns that a text takes, and texts cut or padded to a width.
package enum DisplayWidth {
    /// Columns that `text` takes: 2 for a wide character, 0 for a combining mark, 1 for any other.
    package static func of(_ text: String) -> Int {
        // The most common case: names, figures and units.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// The text padded with blanks to `width` columns.
    package static func padded(_ text: String, to width: Int, _ alignment: Alignment = .left) -> String {
        let blanks = String(repeating: " ", count: max(0, width - of(text)))
        return alignment == .left ? text + blanks : blanks + text
    }

    /// The text cut to `width` columns, with `…` in place of the rest.
    package static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        return prefix(text, width: width - 1) + "…"
    }

    /// The text in lines of at most `width` columns, broken at blanks where there are any.
    package static func wrapped(_ text: String, to width: Int) -> [String] {
        let width = max(2, width)
        guard of(text) > width else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var word = String(word)
            if !line.isEmpty, of(line) + 1 + of(word) <= width {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while of(word) > width {
                let head = prefix(word, width: width)
                lines.append(head)
                word.removeFirst(head.count)
            }
            line = word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// The text on one line without control characters, which could harm a terminal; they are written out, as in
    /// `\u{1B}`.
    package static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The longest prefix that fits; at least one character, so that wrapping terminates.
    private static func prefix(_ text: String, width: Int) -> String {
        var result = ""
        var used = 0
        for character in text {
            used += self.width(of: character)
            if used > width, !result.isEmpty { break }
            result.append(character)
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Bidirectional overrides and isolates are not control characters, but can reverse a line.
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // A variation selector asks for the emoji form, which is wide, instead of the letter.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        return first.properties.isEmojiPresentation || wideRanges.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks with wide or full-width characters by Unicode's annex 11, without emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
