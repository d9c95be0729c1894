/// Scans a YAML text token by token before it is parsed, and rejects syntax that scenarios do not need.
///
/// The parser resolves aliases while it builds its tree, compares whole trees when they are keys, and stops at the
/// first duplicate key. Therefore this scanner finds anchors, aliases, tags, directives, block texts, keys that are not
/// plain text, further documents and deep nesting in the text itself, in one pass of O(length). A text must end on the
/// line it begins on. Parser and scanner then interpret every line alike, and quotes cannot hide syntax.
struct YAMLScanner {
    /// Syntax that scenarios must not use.
    struct Finding: Error {
        let position: YAMLPosition
        let found: String
        let allowed: String
    }

    /// The rejected syntax; the text must not be parsed unless this is empty.
    private(set) var findings: [Finding] = []
    /// The nesting of mappings and their keys.
    private(set) var structure = YAMLStructure()

    private var characters: [Unicode.Scalar]
    private var index = 0
    private var position = YAMLPosition.start
    private var previous = Token.none
    private var valueCount = 0
    private var hasDocumentStart = false
    /// Whether no token of the line has been seen yet.
    private var isIndentation = true
    /// Whether scanning has stopped because the rest is ambiguous.
    private var hasStopped = false

    private enum Token {
        case none, scalar, key, entry, opening, closing, comma
    }

    /// - Parameter text: a text without a byte order mark, with line feeds as its only line ends.
    init(_ text: String) {
        characters = Array(text.unicodeScalars)
    }

    /// The text with each duplicate key replaced by a unique key of the same length, so that it can be parsed.
    var maskedText: String {
        var masked = String.UnicodeScalarView()
        masked.append(contentsOf: characters)
        return String(masked)
    }

    /// Reads the whole text; afterwards the findings and the structure are complete.
    mutating func scan() {
        guard hasOnlyPlainCharacters() else { return }
        while let character = current, findings.count < 100, !hasStopped {
            switch character {
            case "\n":
                position = YAMLPosition(line: position.line + 1, column: 1)
                index += 1
                isIndentation = true
            case " ": advance()
            case "#": skipComment()
            case "\t":
                let start = position
                while current == "\t" || current == " " { advance() }
                if isIndentation, structure.flowDepth == 0, current != "#", !isBlank(at: index) {
                    report("a tab in the indentation", "spaces", at: start)
                }
            default:
                isIndentation = false
                scanToken(character)
                if valueCount > ScenarioLimits.nodes {
                    report("more than \(ScenarioLimits.nodes) values", "at most \(ScenarioLimits.nodes)")
                    return
                }
            }
        }
    }

    private mutating func scanToken(_ character: Unicode.Scalar) {
        let endsWord = isBlank(at: index + 1)
        let isFlow = structure.flowDepth > 0
        if position.column == 1, scanDocumentMark() { return }
        switch character {
        case "-" where endsWord: scanEntry()
        case "[", "{": open(character)
        case "]", "}": close()
        case "," where isFlow:
            previous = .comma
            advance()
        case "&": refuse("an anchor", "plain values; scenarios have no anchors and aliases")
        case "*": refuse("an alias", "plain values; scenarios have no anchors and aliases")
        case "!": refuse("a tag", "plain values without a tag")
        case "|", ">": refuse("a text of several lines", "a text on one line")
        case "?" where endsWord || isFlow: refuse("a complex key", "a name as the key")
        case ":" where endsWord || isFlow:
            report("a colon without a key before it", "key: value on one line")
            previous = .key
            advance()
        case "'", "\"": scanQuoted(character)
        default: scanPlain()
        }
    }

    private mutating func scanDocumentMark() -> Bool {
        let mark = String(String.UnicodeScalarView(characters[index..<min(index + 3, characters.count)]))
        if characters[index] == "%" {
            report("a directive", "one document without directives")
            while let character = current, character != "\n" { advance() }
            return true
        }
        guard mark == "---" || mark == "...", isBlank(at: index + 3) else { return false }
        if mark == "---", previous == .none, !hasDocumentStart {
            hasDocumentStart = true
        } else {
            report("the document mark \(mark)", "one document")
        }
        advance(by: 3)
        return true
    }
}

// MARK: - Tokens

extension YAMLScanner {
    private mutating func scanEntry() {
        structure.enterEntry(column: position.column)
        previous = .entry
        checkDepth(at: position)
        advance()
    }

    private mutating func open(_ character: Unicode.Scalar) {
        structure.openFlow(isMapping: character == "{")
        previous = .opening
        valueCount += 1
        checkDepth(at: position)
        advance()
    }

    private mutating func close() {
        let start = position
        structure.closeFlow()
        previous = .closing
        advance()
        if let colon = followingColon() {
            report("a list or mapping as a key", "a name as the key", at: start)
            previous = .key
            advance(by: colon - index + 1)
        }
    }

    private mutating func scanQuoted(_ quote: Unicode.Scalar) {
        let start = (position, index)
        advance()
        while let character = current, character != "\n" {
            let isDoubled = quote == "'" && character == "'" && self.character(at: index + 1) == "'"
            let isEscape = quote == "\"" && character == "\\" && self.character(at: index + 1) != "\n"
            if isDoubled || isEscape {
                advance(by: 2)
            } else if character == quote {
                advance()
                endScalar(from: start, nameRange: (start.1 + 1)..<(index - 1))
                return
            } else {
                advance()
            }
        }
        report("quotes that are not closed on their line", "a text on one line", at: start.0)
    }

    private mutating func scanPlain() {
        let start = (position, index)
        let isFlow = structure.flowDepth > 0
        while let character = current, character != "\n" {
            if character == ":", isBlank(at: index + 1) { break }
            if character == "#", index > start.1, isBlank(at: index - 1) { break }
            if isFlow, Self.flowIndicators.contains(character) { break }
            advance()
        }
        if index == start.1 {
            // For example a bracket outside any list; the parser reports it.
            advance()
            return
        }
        var end = index
        while end > start.1, isBlank(at: end - 1) { end -= 1 }
        endScalar(from: start, nameRange: start.1..<end)
    }

    /// Handles the end of a text: it is a key, a value, or the continuation of the previous line, which is rejected.
    private mutating func endScalar(from start: (position: YAMLPosition, index: Int), nameRange: Range<Int>) {
        valueCount += 1
        let colon = followingColon()
        if previous == .scalar, structure.flowDepth > 0 {
            report("a text where a comma or a closing bracket should be", ", ] or }", at: start.position)
            hasStopped = true
        } else if previous == .scalar, colon == nil {
            report("a text that spans several lines", "a text on one line", at: start.position)
        }
        if let colon {
            if let mask = structure.addKey(name(nameRange), at: start.position) {
                characters.replaceSubrange(nameRange, with: mask.prefix(nameRange.count))
            }
            if structure.isInFlowSequence { report("a key in a list", "{ key: value }", at: start.position) }
            checkDepth(at: start.position)
            advance(by: colon - index + 1)
            previous = .key
        } else {
            previous = .scalar
        }
    }

    private func name(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(characters[range]))
    }
}

// MARK: - Characters

extension YAMLScanner {
    private var current: Unicode.Scalar? { character(at: index) }

    private func character(at index: Int) -> Unicode.Scalar? {
        characters.indices.contains(index) ? characters[index] : nil
    }

    /// Whether a word ends before `index`: white space, a line end or the end of the text.
    private func isBlank(at index: Int) -> Bool {
        guard let character = character(at: index) else { return true }
        return character == " " || character == "\t" || character == "\n"
    }

    /// The index of the colon that makes the text before it a key.
    private func followingColon() -> Int? {
        var next = index
        while character(at: next) == " " || character(at: next) == "\t" { next += 1 }
        guard character(at: next) == ":" else { return nil }
        return structure.flowDepth > 0 || isBlank(at: next + 1) ? next : nil
    }

    private mutating func skipComment() {
        while let character = current, character != "\n" { advance() }
    }

    private mutating func advance(by count: Int = 1) {
        index += count
        position.column += count
    }

    private mutating func checkDepth(at place: YAMLPosition) {
        guard structure.depth > ScenarioLimits.nestingLevels else { return }
        let most = ScenarioLimits.nestingLevels
        report("nesting beyond \(most) levels", "at most \(most)", at: place)
        hasStopped = true
    }

    /// Reports a token and continues after the word that it begins.
    private mutating func refuse(_ found: String, _ allowed: String) {
        report(found, allowed)
        while !isBlank(at: index), let character = current, !Self.flowIndicators.contains(character) { advance() }
        previous = .none
    }

    private static let flowIndicators: [Unicode.Scalar] = [",", "[", "]", "{", "}"]

    private mutating func report(_ found: String, _ allowed: String, at place: YAMLPosition? = nil) {
        findings.append(Finding(position: place ?? position, found: found, allowed: allowed))
    }

    /// Checks for characters that the parser would treat as line ends, and for characters that no text may have.
    private mutating func hasOnlyPlainCharacters() -> Bool {
        var place = YAMLPosition.start
        for character in characters {
            switch character.value {
            case 0x0A:
                place = YAMLPosition(line: place.line + 1, column: 0)
            case 0..<0x09, 0x0B..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let code = String(character.value, radix: 16, uppercase: true)
                let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
                report("the control character U+\(padded)", "printable text, line feeds and tabs", at: place)
                return false
            default: break
            }
            place.column += 1
        }
        return true
    }
}

/// Tracks the nesting of a YAML text, to know which keys share a mapping.
struct YAMLStructure {
    /// A key that its mapping already has.
    struct DuplicateKey {
        let name: String
        let firstLine: Int
    }

    private enum Kind {
        case blockMapping, blockSequence, flowMapping, flowSequence
    }

    private struct Level {
        let kind: Kind
        /// The column of a block's entries; 0 in a flow.
        let column: Int
        /// Each key with its line.
        var keys: [String: Int] = [:]

        var isFlow: Bool { kind == .flowMapping || kind == .flowSequence }
    }

    /// Every duplicate key by its position.
    private(set) var duplicates: [YAMLPosition: DuplicateKey] = [:]
    /// How many brackets are open.
    private(set) var flowDepth = 0
    private var levels: [Level] = []

    /// How many mappings and lists are open.
    var depth: Int { levels.count }

    /// Whether the innermost bracket belongs to a list.
    var isInFlowSequence: Bool { levels.last?.kind == .flowSequence }

    /// Handles a dash at `column`.
    mutating func enterEntry(column: Int) {
        guard flowDepth == 0 else { return }
        closeBlocks { $0.column > column }
        if levels.last?.kind != .blockSequence || levels.last?.column != column {
            levels.append(Level(kind: .blockSequence, column: column))
        }
    }

    mutating func openFlow(isMapping: Bool) {
        flowDepth += 1
        levels.append(Level(kind: isMapping ? .flowMapping : .flowSequence, column: 0))
    }

    mutating func closeFlow() {
        guard flowDepth > 0 else { return }
        flowDepth -= 1
        levels.removeLast()
    }

    /// Records a key. If its mapping already has the key, returns a unique replacement text.
    mutating func addKey(_ name: String, at position: YAMLPosition) -> [Unicode.Scalar]? {
        if flowDepth == 0 {
            closeBlocks { level in
                level.column > position.column || level.column == position.column && level.kind == .blockSequence
            }
            if levels.last?.kind != .blockMapping || levels.last?.column != position.column {
                levels.append(Level(kind: .blockMapping, column: position.column))
            }
        }
        guard let last = levels.indices.last else { return nil }
        guard let firstLine = levels[last].keys[name] else {
            levels[last].keys[name] = position.line
            return nil
        }
        // Plane 15 is for private use and has more characters than a file may have values.
        guard let unique = Unicode.Scalar(0xF_0000 + UInt32(clamping: duplicates.count)) else { return nil }
        duplicates[position] = DuplicateKey(name: name, firstLine: firstLine)
        return [unique] + Array(repeating: "x", count: name.unicodeScalars.count)
    }

    private mutating func closeBlocks(where isClosed: (Level) -> Bool) {
        while let last = levels.last, !last.isFlow, isClosed(last) {
            levels.removeLast()
        }
    }
}
