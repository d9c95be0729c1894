/// A trace as numbered requests, block by block; it can be traversed repeatedly.
///
/// The file is opened once for its format and the first traversal. A caller that will traverse it again says so.
/// Numbered requests that fit into a limited memory are then kept; otherwise the file is read again, which gives the
/// same numbers.
///
/// Memory: that of the numbering (``TraceNumbering``), and, where requests are kept, at most 8 bytes for each of
/// ``keptRequestsMax``, for a trace of any length.
final class NumberedBlocks {
    /// The most requests whose numbers and sizes are kept.
    private static let keptRequestsMax = 1 << 23

    /// The format of the trace.
    let format: TraceFormat
    /// The columns that the trace has, of those that a replay needs.
    let columns: TraceColumns
    /// Whether blocks identify their new keys.
    private let namesKeys: Bool
    private let path: String
    private let options: TraceReadingOptions
    /// Opened but not read yet; `nil` once it was read.
    private var unread: TraceReader?
    /// The blocks of the trace, where they are kept and not too many.
    private var kept: [Numbered]?
    /// Known once the trace was read.
    private(set) var summary: TraceSummary?

    /// One block, numbered.
    private struct Numbered {
        var ids: [UInt32]
        /// Empty when all requests have the same size.
        var sizes: [UInt32]
        var uniformSize: UInt32
        /// Empty when no request removes a key.
        var operations: [TraceOperation]
        /// A word that identifies each new key; empty unless requested.
        var newKeys: [UInt64]
    }

    /// Opens the trace.
    ///
    /// - Parameters:
    ///   - namesKeys: whether to fill ``ReplayBlock/newKeys``.
    ///   - blockRequestCount: the most requests in a block.
    /// - Throws: `TraceError` when the file can't be opened or its format is unclear.
    init(
        path: String, format: TraceFormat?, options: TraceReadingOptions, namesKeys: Bool = false,
        blockRequestCount: Int = 1 << 14
    ) throws(TraceError) {
        var wanted = options
        wanted.columns = [.size, .operation]
        wanted.blockRequestCount = blockRequestCount
        let reader = try TraceReader(path: path, format: format, options: wanted)
        self.path = path
        self.format = reader.format
        columns = reader.columns
        self.namesKeys = namesKeys
        self.options = wanted
        unread = reader
    }

    /// Calls `body` with each block to the end of the trace. O(requests).
    ///
    /// - Parameter isRepeated: whether the requests will be traversed again.
    /// - Throws: `TraceError`; the blocks that were delivered before are then not a valid result.
    func forEach(isRepeated: Bool = false, _ body: (ReplayBlock) -> Void) throws(TraceError) {
        if let kept {
            for block in kept {
                if Task.isCancelled { throw error(.interrupted) }
                Self.hand(block, to: body)
            }
            return
        }
        let reader: TraceReader
        if let unread {
            reader = unread
        } else {
            reader = try TraceReader(path: path, format: format, options: options)
        }
        unread = nil
        var spool: [Numbered]? = isRepeated ? [] : nil
        var summary = TraceSummary()
        summary.format = format
        _ = try reader.forEachNumberedBlock { block, ids throws(TraceError) in
            if Task.isCancelled { throw error(.interrupted) }
            let first = block.sizes.first ?? 1
            let isUniform = Self.areAll(block.sizes, first)
            let removes = block.operations.contains(.remove)
            let numbered = Numbered(
                ids: ids, sizes: isUniform ? [] : block.sizes, uniformSize: first,
                operations: removes ? block.operations : [],
                newKeys: namesKeys ? Self.newKeys(of: block, ids, after: summary.keys, reader) : [])
            summary.hasSizes = summary.hasSizes || !block.sizes.isEmpty
            if removes { summary.removals += block.operations.count { $0 == .remove } }
            summary.note(ids: ids, sizes: numbered.sizes, uniformSize: first, keys: reader.numberedKeyCount)
            summary.requests = summary.records - summary.removals
            Self.hand(numbered, to: body)
            if summary.records > Self.keptRequestsMax { spool = nil } else { spool?.append(numbered) }
        }
        kept = spool
        self.summary = summary
    }

    /// An error of this trace without a place in the file.
    func error(_ reason: TraceError.Reason) -> TraceError {
        TraceError(path: path, format: format, requestCount: summary?.requests ?? 0, reason: reason)
    }

    /// A key that appears for the first time has the next number.
    private static func newKeys(
        of block: borrowing TraceBlock, _ ids: [UInt32], after known: Int, _ reader: TraceReader
    ) -> [UInt64] {
        var found: [UInt64] = []
        for (index, id) in ids.enumerated() where Int(id) == known + found.count {
            found.append(reader.content(of: block.keys[index]))
        }
        return found
    }

    /// Compares without an early exit, so that several sizes are compared at once.
    private static func areAll(_ sizes: [UInt32], _ first: UInt32) -> Bool {
        var different: UInt32 = 0
        for size in sizes { different |= size ^ first }
        return different == 0
    }

    private static func hand(_ block: Numbered, to body: (ReplayBlock) -> Void) {
        block.ids.withUnsafeBufferPointer { ids in
            block.sizes.withUnsafeBufferPointer { sizes in
                block.operations.withUnsafeBufferPointer { operations in
                    block.newKeys.withUnsafeBufferPointer { newKeys in
                        body(
                            ReplayBlock(
                                ids: ids, sizes: sizes, uniformSize: block.uniformSize, operations: operations,
                                newKeys: newKeys))
                    }
                }
            }
        }
    }
}

/// The totals of a trace, known once it was read.
package struct TraceSummary: Sendable, Hashable {
    package var format: TraceFormat?
    /// The number of lookups; removals are not lookups.
    package var requests = 0
    /// The number of removals.
    package var removals = 0
    /// The number of different keys.
    package var keys = 0
    /// The sum of the keys' sizes in bytes, each as first requested; 0 where there are no sizes.
    package var uniqueBytes: UInt64 = 0
    /// Whether requests have sizes.
    package var hasSizes = false
    /// Lookups and removals.
    fileprivate var records = 0

    /// Adds a block.
    ///
    /// - Parameters:
    ///   - sizes: empty when all requests of the block have the same size.
    ///   - keys: the number of different keys at the end of the block.
    mutating func note(ids: [UInt32], sizes: [UInt32], uniformSize: UInt32, keys: Int) {
        records += ids.count
        if hasSizes, sizes.isEmpty {
            uniqueBytes &+= UInt64(uniformSize) &* UInt64(keys - self.keys)
        } else if hasSizes, keys > self.keys {
            // A key that appears for the first time has the next number.
            for (id, size) in zip(ids, sizes) where Int(id) == self.keys {
                uniqueBytes &+= UInt64(size)
                self.keys += 1
            }
        }
        self.keys = keys
    }
}
