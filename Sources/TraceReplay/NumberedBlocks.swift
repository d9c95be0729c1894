package import TraceFiles

/// A trace as numbered requests, block by block, as often as it is asked for.
///
/// The first time it is read and its keys are numbered; numbers that fit into a limited memory are kept for the next
/// times, else the file is read again, which gives the same numbers.
///
/// Memory: what numbering takes (``TraceNumbering``), and at most 8 bytes for each of ``keptRequestsMax`` requests,
/// however long the trace is.
final class NumberedBlocks {
    /// Requests whose numbers and sizes are kept.
    private static let keptRequestsMax = 1 << 25

    let path: String
    private let format: TraceFormat?
    private let options: TraceReadingOptions
    /// The blocks of the trace once it was read; `nil` when it is too long to be kept.
    private var kept: [Numbered]?
    /// Known once the trace was read.
    private(set) var summary: TraceSummary?

    /// One block, numbered.
    private struct Numbered {
        var ids: [UInt32]
        /// Empty when all are of one size.
        var sizes: [UInt32]
        var uniformSize: UInt32
        var operations: [TraceOperation]
    }

    init(path: String, format: TraceFormat?, options: TraceReadingOptions) {
        self.path = path
        self.format = format
        self.options = options
    }

    /// The format that was named, or that the file's name and content tell.
    func detectedFormat() throws(TraceError) -> TraceFormat {
        if let format { return format }
        return try TraceReader.detect(path: path)
    }

    /// Calls `body` with each block to the end of the trace. O(requests).
    ///
    /// - Throws: `TraceError`; what was handed over before is then no result.
    func forEach(_ body: (ReplayBlock) -> Void) throws(TraceError) {
        if let kept {
            for block in kept { Self.hand(block, to: body) }
            return
        }
        var spool: [Numbered]? = []
        var summary = TraceSummary()
        var wanted = options
        wanted.columns = [.size, .operation]
        wanted.blockRequestCount = 1 << 16
        let reader = try TraceReader(path: path, format: format, options: wanted)
        summary.keys = try reader.forEachNumberedBlock { block, ids throws(TraceError) in
            let hasOperations = block.operations.contains(.remove)
            let first = block.sizes.first ?? 1
            let isUniform = block.sizes.allSatisfy { $0 == first }
            summary.note(ids: ids, sizes: block.sizes, removes: hasOperations)
            let numbered = Numbered(
                ids: ids, sizes: isUniform ? [] : block.sizes, uniformSize: first,
                operations: hasOperations ? block.operations : [])
            Self.hand(numbered, to: body)
            if summary.requests > Self.keptRequestsMax { spool = nil } else { spool?.append(numbered) }
        }
        summary.format = reader.format
        kept = spool
        self.summary = summary
    }

    private static func hand(_ block: Numbered, to body: (ReplayBlock) -> Void) {
        block.ids.withUnsafeBufferPointer { ids in
            block.sizes.withUnsafeBufferPointer { sizes in
                block.operations.withUnsafeBufferPointer { operations in
                    body(ReplayBlock(ids: ids, sizes: sizes, uniformSize: block.uniformSize, operations: operations))
                }
            }
        }
    }
}

/// What is known of a trace once it was read.
package struct TraceSummary: Sendable, Hashable {
    package var format: TraceFormat?
    /// All requests, removals included.
    package var requests = 0
    /// Different keys.
    package var keys = 0
    /// The sum of the keys' sizes, each as it was first asked for; 0 where there are no sizes.
    package var uniqueBytes: UInt64 = 0
    /// Whether requests have sizes.
    package var hasSizes = false
    /// Whether some requests remove their key.
    package var hasRemovals = false

    mutating func note(ids: [UInt32], sizes: [UInt32], removes: Bool) {
        requests += ids.count
        hasRemovals = hasRemovals || removes
        hasSizes = hasSizes || !sizes.isEmpty
        // A key that comes for the first time has the next number.
        for (id, size) in zip(ids, sizes) where Int(id) == keys {
            uniqueBytes &+= UInt64(size)
            keys += 1
        }
    }
}
