extension TraceReader {
    /// Calls `body` for each block to the end of the trace, with its keys numbered from 0 in the order of first
    /// appearance. Memory grows with the number of different keys, not with the requests.
    ///
    /// - Parameter body: receives a block, and for each of its requests the number of the key. ``numberedKeyCount``
    ///   is the number of different keys up to the end of the block.
    /// - Returns: the number of different keys.
    /// - Throws: the errors of ``read(into:)`` and of the body, and ``TraceError/Reason/tooMany(_:limit:)``.
    package func forEachNumberedBlock(
        _ body: (borrowing TraceBlock, _ ids: [UInt32]) throws(TraceError) -> Void
    ) throws(TraceError) -> Int {
        var block = TraceBlock()
        var ids: [UInt32] = []
        var numbering = try TraceNumbering(keepsKeys: false)
        while try read(into: &block) {
            try assignIDs(of: block, to: &ids, after: 0, &numbering)
            try body(block, ids)
        }
        return numberedKeyCount
    }

    /// Appends the number of every key. Text keys already are numbers, unless they are hashed.
    ///
    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)`` when there are more keys than can be numbered.
    package func appendIDs(
        of block: borrowing TraceBlock, to ids: inout [UInt32], _ numbering: inout TraceNumbering
    ) throws(TraceError) {
        try assignIDs(of: block, to: &ids, after: ids.count, &numbering)
    }

    /// A word that identifies a key and depends only on the key: the number itself, or a hash of the text.
    ///
    /// - Parameter key: a key of a block that was read.
    /// - Complexity: O(bytes of the text).
    package func content(of key: UInt64) -> UInt64 {
        guard let keyTexts else { return key }
        return keyTexts.withText(of: Int(key)) { TextHash.of($0, seed: 0) }
    }

    /// Replaces all elements of `ids` after the first `start` ones by the numbers of the block's keys.
    func assignIDs(
        of block: borrowing TraceBlock, to ids: inout [UInt32], after start: Int, _ numbering: inout TraceNumbering
    ) throws(TraceError) {
        if let keyTexts {
            ids.setCount(start + block.count)
            ids.withUnsafeMutableBufferPointer { ids in
                for (index, key) in block.keys.enumerated() { ids[start &+ index] = UInt32(truncatingIfNeeded: key) }
            }
            numberedKeyCount = keyTexts.count
            return
        }
        do throws(TraceError) {
            try numbering.number(block.keys, into: &ids, after: start)
            numberedKeyCount = numbering.keyCount
        } catch {
            throw self.error(error.reason)
        }
    }
}
