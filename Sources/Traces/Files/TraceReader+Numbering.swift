extension TraceReader {
    /// Calls `body` for each block to the end of the trace, with the numbers of its keys: from 0 on, in the order in
    /// which the keys first come. Memory grows with the different keys only, not with the requests.
    ///
    /// - Parameter body: gets a block, and for each of its requests the number of the key. ``numberedKeyCount`` says
    ///   how many keys have come up to the end of the block.
    /// - Returns: how many different keys there are.
    /// - Throws: what ``read(into:)`` or the body throws, and ``TraceError/Reason/tooMany(_:limit:)``.
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

    /// Appends the number of every key. Text keys are numbered already, unless they are hashed.
    ///
    /// - Throws: ``TraceError/Reason/tooMany(_:limit:)``.
    package func appendIDs(
        of block: borrowing TraceBlock, to ids: inout [UInt32], _ numbering: inout TraceNumbering
    ) throws(TraceError) {
        try assignIDs(of: block, to: &ids, after: ids.count, &numbering)
    }

    /// A word that stands for a key and depends on nothing but the key: the number itself, or a hash of the text.
    ///
    /// - Parameter key: of a block that was read.
    /// - Complexity: O(bytes of the text).
    package func content(of key: UInt64) -> UInt64 {
        guard let keyTexts else { return key }
        return keyTexts.withText(of: Int(key)) { TextHash.of($0, seed: 0) }
    }

    /// Makes the numbers of the block's keys the last elements of `ids`, of which the first `start` stay.
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
