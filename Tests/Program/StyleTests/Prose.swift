import Foundation

/// What a reader reads of a page of Markdown.
struct Prose {
    /// A heading, a paragraph, an item of a list or a cell of a table.
    struct Block {
        /// The number of its first line, from 1.
        var line: Int
        /// Without marks; a piece of code is the word `code`, a link its text.
        var text: String
    }

    private(set) var blocks: [Block] = []

    /// - Complexity: O(characters).
    init(_ lines: some Sequence<String>) {
        var isCode = false
        var isOpen = false
        for (index, line) in lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("```") { isCode.toggle() }
            let isIndented = !isOpen && line.hasPrefix("    ")
            let isHidden = isCode || isIndented || text.hasPrefix("```") || text.isEmpty
            guard !isHidden, text.wholeMatch(of: #/<!--.*-->|!\[.*/#) == nil else {
                isOpen = false
                continue
            }
            if text.hasPrefix("|") {
                isOpen = false
                if text.contains(#/^\|[-:| ]+\|$/#) { continue }
                // In a cell a list takes the place of sentences.
                let cells = text.replacing("\\|", with: "/").replacing("; ", with: "|").split(separator: "|")
                blocks += cells.map { Block(line: index + 1, text: String($0)) }
            } else if let mark = text.firstMatch(of: #/^(?:#+|[-*]|\d+\.) /#) {
                blocks.append(Block(line: index + 1, text: String(text[mark.range.upperBound...])))
                isOpen = !text.hasPrefix("#")
            } else if isOpen {
                blocks[blocks.count - 1].text += " " + text
            } else {
                blocks.append(Block(line: index + 1, text: text))
                isOpen = true
            }
        }
        // A link or a comment may go over two lines.
        blocks = blocks.map { Block(line: $0.line, text: Self.plain($0.text)) }.filter { !$0.text.isEmpty }
    }

    /// The sentences: a block is divided after a stop before a blank and a capital, a digit or code.
    var sentences: [Block] {
        blocks.flatMap { block in
            block.text.replacing(#/([.!?][)"*]*) +(?=["(*]*(?:[A-Z0-9]|code\b))/#) { "\($0.1)\n" }.split(
                separator: "\n"
            )
            .map { Block(line: block.line, text: String($0)) }
        }
    }

    /// The words with a letter or a digit.
    static func words(of text: String) -> [String] {
        text.split(separator: " ").filter { $0.contains { $0.isLetter || $0.isNumber } }.map(String.init)
    }

    private static func plain(_ text: String) -> String {
        text.replacing(#/<!--.*?-->/#, with: "").replacing(#/`+[^`]*`+/#, with: "code")
            .replacing(#/!?\[([^\]]*)\]\([^)]*\)/#) { "\($0.1)" }.replacing("**", with: "")
            .trimmingCharacters(in: .whitespaces)
    }
}
