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
