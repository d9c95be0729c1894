extension TraceReader {
    /// Calls `body` for each block to the end of the trace, with the numbers of its keys: from 0 on, in the order in
    /// which the keys first come. Memory grows with the different keys only, not with the requests.
    ///
    /// - Parameter body: gets a block, and for each of its requests the number of the key.
    /// - Returns: how many different keys there are.
    /// - Throws: what ``read(into:)`` or the body throws, and ``TraceError/Reason/tooMany(_:limit:)``.
    package func forEachNumberedBlock(
        _ body: (borrowing TraceBlock, _ ids: [UInt32]) throws(TraceError) -> Void
    ) throws(TraceError) -> Int {
        var block = TraceBlock()
        var ids: [UInt32] = []
        var numbering = try TraceNumbering()
        while try read(into: &block) {
            ids.removeAll(keepingCapacity: true)
            try appendIDs(of: block, to: &ids, &numbering)
            try body(block, ids)
        }
        return keyTexts?.count ?? numbering.keyCount
    }

    /// Appends the number of every key. Text keys are numbered already, unless they are hashed.
    package func appendIDs(
        of block: borrowing TraceBlock, to ids: inout [UInt32], _ numbering: inout TraceNumbering
    ) throws(TraceError) {
        guard keyTexts == nil else {
            for key in block.keys { ids.append(UInt32(truncatingIfNeeded: key)) }
            return
        }
        do throws(TraceError) {
            try numbering.number(block.keys, into: &ids)
        } catch {
            throw self.error(error.reason)
        }
    }
}
