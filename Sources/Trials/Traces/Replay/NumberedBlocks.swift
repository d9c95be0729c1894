package import TrialModel

/// A trace as numbered requests, block by block; it can be traversed repeatedly.
///
/// The file is opened once for its format and the first traversal. A caller that will traverse it again says so.
/// Numbered requests that fit into a limited memory are then kept; otherwise the file is read again, which gives the
/// same numbers.
///
/// Memory: that of the numbering (``TraceNumbering``), and, where requests are kept, at most 12 bytes for each of
/// ``keptRequestsMax``, for a trace of any length, and 8 more for times.
final class NumberedBlocks {
    /// The most requests whose numbers and sizes are kept.
    private static let keptRequestsMax = 1 << 23

    /// The format of the trace.
    let format: TraceFormat
    /// The columns that the trace has, of those that a replay needs.
    let columns: TraceColumns
    /// Whether blocks identify their new keys.
    private let namesKeys: Bool
    /// Whether blocks hold the requests as the trace has them.
    private let keepsRecords: Bool
    /// The texts of the keys so far; `nil` where keys are numbers.
    private(set) var keyTexts: KeyTextTable?
    private let path: String
    private let options: TraceReadingOptions
    /// Opened but not read yet; `nil` once it was read.
    private var unread: TraceReader?
    /// The blocks of the trace, where they are kept and not too many.
    private var kept: [ReplayBlock]?
    /// Known once the trace was read.
    private(set) var summary: TraceSummary?

    /// Opens the trace.
    ///
    /// - Parameters:
    ///   - namesKeys: whether to fill ``ReplayBlock/newKeys``.
    ///   - wantsTimes: whether to fill ``ReplayBlock/times``, where the trace has times.
    ///   - wantsLifetimes: whether to fill ``ReplayBlock/deadlines``, where the trace has times and lifetimes.
    ///   - keepsRecords: whether to fill ``ReplayBlock/record``, with all columns.
    ///   - blockRequestCount: the most requests in a block.
    /// - Throws: `TraceError` when the file can't be opened or its format is unclear.
    init(
        path: String, format: TraceFormat?, options: TraceReadingOptions, namesKeys: Bool = false,
        wantsTimes: Bool = false, wantsLifetimes: Bool = false, keepsRecords: Bool = false,
        blockRequestCount: Int = 1 << 14
    ) throws(TraceError) {
        var wanted = options
        wanted.columns = wantsTimes ? [.size, .operation, .cost, .time] : [.size, .operation, .cost]
        wanted.wantsLifetimes = wantsLifetimes
        if keepsRecords {
            wanted.columns.formUnion([.time, .lifetime])
            // Keys are written as they are, and not as hashes of those that are no numbers.
            if wanted.csvKeys == .automatic { wanted.csvKeys = .text }
        }
        wanted.blockRequestCount = blockRequestCount
        let reader = try TraceReader(path: path, format: format, options: wanted)
        self.path = path
        self.format = reader.format
        columns = reader.columns
        (self.namesKeys, self.keepsRecords) = (namesKeys, keepsRecords)
        self.options = wanted
        unread = reader
    }

    /// Calls `body` with each block to the end of the trace. O(requests).
    ///
    /// - Parameter isRepeated: whether the requests will be traversed again.
    /// - Throws: `TraceError`; the blocks that were delivered before are then not a valid result.
    func forEach(
        isRepeated: Bool = false, _ body: (ReplayBlock) throws(TraceError) -> Void
    ) throws(TraceError) {
        if let kept {
            for block in kept {
                if Task.isCancelled { throw error(.interrupted) }
                try body(block)
            }
            return
        }
        let reader = if let unread { unread } else { try TraceReader(path: path, format: format, options: options) }
        unread = nil
        keyTexts = reader.keyTexts
        var spool: [ReplayBlock]? = isRepeated && !keepsRecords ? [] : nil
        var summary = TraceSummary()
        summary.format = format
        var block = TraceBlock()
        var ids: [UInt32] = []
        var history = SizeHistory()
        var total = ByteTotal()
        while try reader.read(into: &block, ids: &ids) {
            if Task.isCancelled { throw error(.interrupted) }
            var numbered = self.numbered(block, ids, after: summary.keys, reader)
            if !block.sizes.isEmpty, !options.keepsFirstSizes {
                history.resolve(&numbered, operations: block.operations, keys: reader.numberedKeyCount)
            }
            guard total.add(numbered) else {
                throw reader.error(.tooMany(ByteTotal.name, limit: Int(TraceRequest.sizeMax)))
            }
            summary.note(numbered, hasSizes: !block.sizes.isEmpty, keys: reader.numberedKeyCount)
            if !options.keepsFirstSizes { summary.uniqueBytes = history.uniqueBytes }
            if keepsRecords { numbered.record = block }
            try body(numbered)
            if summary.records > Self.keptRequestsMax { spool = nil } else { spool?.append(numbered) }
        }
        kept = spool
        // What was ignored is known at the end.
        summary.readAs = reader.readAs
        self.summary = summary
    }

    /// - Parameter known: the number of keys before the block.
    private func numbered(
        _ block: borrowing TraceBlock, _ ids: [UInt32], after known: Int, _ reader: TraceReader
    ) -> ReplayBlock {
        var numbered = ReplayBlock(ids: ids, uniformSize: block.sizes.first ?? 1)
        // Compares without an early exit, so that several sizes are compared at once.
        var different: UInt64 = 0
        for size in block.sizes { different |= size ^ numbered.uniformSize }
        if different != 0 { numbered.sizes = block.sizes }
        if block.operations.contains(.remove) { numbered.removals = block.operations.map { $0 == .remove } }
        numbered.costs = block.costs
        numbered.times = block.timesNanoseconds
        if options.wantsLifetimes, !block.lifetimesSeconds.isEmpty, !block.timesNanoseconds.isEmpty {
            numbered.deadlines = zip(block.timesNanoseconds, block.lifetimesSeconds).map { time, seconds in
                let (end, isLate) = time.addingReportingOverflow(UInt64(seconds) &* 1_000_000_000)
                return seconds == 0 || isLate ? .max : end
            }
            if block.operations.contains(.write) { numbered.writes = block.operations.map { $0 == .write } }
        }
        if namesKeys {
            // A key that appears for the first time has the next number.
            for (index, id) in ids.enumerated() where Int(id) == known + numbered.newKeys.count {
                numbered.newKeys.append(reader.content(of: block.keys[index]))
            }
        }
        return numbered
    }

    /// An error of this trace without a place in the file.
    func error(_ reason: TraceError.Reason) -> TraceError {
        TraceError(path: path, format: format, requestCount: summary?.requests ?? 0, reason: reason)
    }
}

/// The sum of all sizes of a trace. No other sum of them is larger, so that only this one is checked.
struct ByteTotal {
    /// What there are too many of, in a message.
    static let name = "bytes in all requests together"
    private(set) var bytes: UInt64 = 0

    /// Adds the sizes of a block.
    ///
    /// - Returns: whether the sum is at most ``TraceRequest/sizeMax``.
    mutating func add(_ block: ReplayBlock) -> Bool {
        guard block.sizes.isEmpty else { return block.sizes.allSatisfy { add($0) } }
        let (product, isTooLarge) = block.uniformSize.multipliedReportingOverflow(by: UInt64(block.ids.count))
        return !isTooLarge && add(product)
    }

    /// Adds a size.
    @inline(__always)
    mutating func add(_ size: UInt64) -> Bool {
        let (sum, isTooLarge) = bytes.addingReportingOverflow(size)
        bytes = sum
        return !isTooLarge && sum <= TraceRequest.sizeMax
    }
}

/// The totals of a trace, known once it was read.
package struct TraceSummary: Sendable, Hashable {
    package var format: TraceFormat?
    /// Its format, the columns that are used and those that are ignored; see ``TraceReader/readAs``.
    package var readAs = ""
    /// The number of lookups; removals are not lookups.
    package var requests = 0
    /// The number of removals.
    package var removals = 0
    /// The number of different keys.
    package var keys = 0
    /// The sum of the keys' sizes in bytes, each as last known, or as first requested where first sizes are kept; 0 where there
    /// are no sizes.
    package fileprivate(set) var uniqueBytes: UInt64 = 0
    /// The number of lookups at the beginning that fill the caches and are not counted.
    package internal(set) var warmUpRequests = 0
    /// Their share of all lookups; `nil` without a warm-up.
    package var warmUpShare: Double? {
        warmUpRequests > 0 ? Double(warmUpRequests) / Double(max(1, requests)) : nil
    }
    /// Whether requests have sizes.
    package var hasSizes = false
    /// Lookups and removals.
    fileprivate var records = 0

    /// Adds a block.
    ///
    /// - Parameters:
    ///   - hasSizes: whether the block has sizes.
    ///   - keys: the number of different keys at its end.
    mutating func note(_ block: ReplayBlock, hasSizes: Bool, keys: Int) {
        records += block.ids.count
        removals += block.removalCount
        requests = records - removals
        self.hasSizes = self.hasSizes || hasSizes
        if hasSizes, block.sizes.isEmpty {
            uniqueBytes &+= block.uniformSize &* UInt64(keys - self.keys)
        } else if hasSizes, keys > self.keys {
            // A key that appears for the first time has the next number.
            for (id, size) in zip(block.ids, block.sizes) where Int(id) == self.keys {
                uniqueBytes &+= size
                self.keys += 1
            }
        }
        self.keys = keys
    }
}
