package import TrialModel

/// A whole trace in memory, its keys numbered from 0 in the order of first appearance.
///
/// Memory: 4 bytes for each request and 8 for each key, plus the columns.
package struct NumberedTrace {
    /// The number of the key of each request.
    package private(set) var ids: [UInt32] = []
    /// The columns of all requests, without keys.
    package private(set) var requests = TraceBlock()
    /// The key of each id in the trace; for a numbered text, its number.
    package private(set) var keys: [UInt64] = []
    /// The text of each id's key, when the trace has text keys.
    package private(set) var keyTexts: KeyTextTable?

    /// See ``TraceReader/readAs``.
    package private(set) var readAs = ""

    /// The number of requests in the trace.
    package var count: Int { ids.count }

    /// Reads a trace to its end.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - format: `nil` to detect it.
    ///   - options: the columns to read, and how to read them. `nextAccess` is never kept: see
    ///     ``NextRequests``.
    ///   - requestCountMax: more requests than this are an error, so that a small compressed file can't fill the
    ///     memory.
    /// - Throws: the first ``TraceError`` of the file. Nothing is kept of a file with an error.
    /// - Complexity: O(requests).
    package init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions(),
        requestCountMax: Int = TraceNumbering.requestCountMax
    ) throws(TraceError) {
        var options = options
        options.columns.remove(.nextAccess)
        let reader = try TraceReader(path: path, format: format, options: options)
        requests.columns = reader.columns
        var block = TraceBlock()
        var blockIDs: [UInt32] = []
        while try reader.read(into: &block, ids: &blockIDs) {
            if Task.isCancelled { throw reader.error(.interrupted) }
            guard ids.count + block.count <= requestCountMax else {
                throw reader.error(.tooMany("requests", limit: requestCountMax))
            }
            // A key that appears for the first time has the next number.
            for (index, id) in blockIDs.enumerated() where Int(id) == keys.count { keys.append(block.keys[index]) }
            ids += blockIDs
            requests.appendColumns(of: block)
        }
        (keyTexts, readAs) = (reader.keyTexts, reader.readAs)
        if reader.hasStrayTexts {
            options.csvKeys = .text
            self = try NumberedTrace(
                path: path, format: reader.format, options: options, requestCountMax: requestCountMax)
        }
    }

    /// Removes writes and removals; keys that are never read keep their numbers.
    ///
    /// - Complexity: O(requests).
    package mutating func keepReads() {
        guard requests.columns.contains(.operation) else { return }
        let reads = requests.operations.indices.filter { requests.operations[$0] == .read }
        ids = reads.map { ids[$0] }
        var kept = TraceBlock()
        kept.columns = requests.columns
        for index in reads { kept.appendColumns(of: requests.request(index, key: 0)) }
        requests = kept
    }
}

/// For each request, the next request for the same key, as the optimum needs it.
struct NextRequests {
    /// Marks a request that no request for the same key follows.
    static let never = UInt32.max

    /// The maximum number of requests; more could not be distinguished from ``never``.
    static let countMax = Int(UInt32.max) - 1

    /// For each request, the index of the next request for its key, from 0 on, or ``never``.
    let indices: [UInt32]

    /// Computes the next requests by a backward pass over a trace. This does not rely on a file's own column, which may
    /// be wrong. Removals are not requests; the next request for a key never lies beyond its removal.
    ///
    /// - Parameter blocks: all requests, at most ``countMax`` of them, with the numbers of their keys without gaps.
    /// - Complexity: O(requests); 4 bytes for each request and for each key.
    init(_ blocks: [ReplayBlock]) {
        var position = blocks.reduce(0) { $0 + $1.lookupCount }
        var next = [UInt32](repeating: Self.never, count: 1 + blocks.reduce(0) { max($0, Int($1.ids.max() ?? 0)) })
        indices = [UInt32](unsafeUninitializedCapacity: position) { indices, count in
            count = position
            for block in blocks.reversed() {
                for index in block.ids.indices.reversed() {
                    let id = Int(block.ids[index])
                    if !block.removals.isEmpty, block.removals[index] {
                        next[id] = Self.never
                        continue
                    }
                    position -= 1
                    indices[position] = next[id]
                    next[id] = UInt32(truncatingIfNeeded: position)
                }
            }
        }
    }
}
