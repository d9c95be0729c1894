/// A whole trace in memory, its keys numbered from 0 in the order of first appearance, as a replay needs it.
///
/// Memory: 4 bytes for each request, plus the columns whose values are not all the same.
package struct NumberedTrace: Sendable {
    /// The number of the key of each request.
    package private(set) var ids: [UInt32] = []
    /// The number of different keys; every id is lower.
    package private(set) var keyCount = 0
    /// The size of every request, when ``sizes`` is `nil`.
    package private(set) var uniformSize: UInt32 = 1
    /// The size of each request in bytes; `nil` when all requests have the same size.
    package private(set) var sizes: [UInt32]?
    /// The time of each request; `nil` when the trace has no times, or they were not requested.
    package private(set) var timesNanoseconds: [UInt64]?
    /// The operation of each request; `nil` when all requests are reads.
    package private(set) var operations: [TraceOperation]?
    /// The lifetime of each request in seconds, 0 for no limit; `nil` when no request has a limit.
    package private(set) var lifetimesSeconds: [UInt32]?
    /// The key of each id in the trace; `nil` when the keys are numbered texts, see ``keyTexts``.
    package private(set) var keys: [UInt64]?
    /// The text of each id's key, when the trace has text keys and they were numbered.
    package private(set) var keyTexts: KeyTexts?

    /// The number of requests in the trace.
    package var count: Int { ids.count }

    /// Reads a trace to its end.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - format: `nil` to detect it.
    ///   - options: the columns to read, and how to read them. `nextAccess` is never kept: see
    ///     ``NextRequests/init(ids:)``.
    ///   - requestCountMax: more requests than this are an error, so that a small compressed file can't fill the
    ///     memory.
    /// - Throws: the first ``TraceError`` of the file. Nothing is kept of a file with an error.
    /// - Complexity: O(requests).
    package init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions(),
        requestCountMax: Int = 1 << 31
    ) throws(TraceError) {
        var options = options
        options.columns.remove(.nextAccess)
        let reader = try TraceReader(path: path, format: format, options: options)
        try self.init(reader: reader, requestCountMax: requestCountMax)
        if reader.hasStrayTexts {
            options.csvKeys = .text
            let again = try TraceReader(path: path, format: reader.format, options: options)
            try self.init(reader: again, requestCountMax: requestCountMax)
        }
    }

    private init(reader: TraceReader, requestCountMax: Int) throws(TraceError) {
        var block = TraceBlock()
        var numbering = try TraceNumbering()
        // A sparse file may claim any size.
        ids.reserveCapacity(min(reader.requestCountEstimate ?? 0, requestCountMax, 1 << 26))
        while try reader.read(into: &block) {
            if Task.isCancelled { throw reader.error(.interrupted) }
            guard ids.count + block.count <= requestCountMax else {
                throw reader.error(.tooMany("requests", limit: requestCountMax))
            }
            let known = ids.count
            try reader.appendIDs(of: block, to: &ids, &numbering)
            if block.columns.contains(.size) {
                if known == 0 { uniformSize = block.sizes[0] }
                Self.add(block.sizes, to: &sizes, after: known, unlessAll: uniformSize)
            }
            if block.columns.contains(.operation) {
                Self.add(block.operations, to: &operations, after: known, unlessAll: .read)
            }
            if block.columns.contains(.lifetime) {
                Self.add(block.lifetimesSeconds, to: &lifetimesSeconds, after: known, unlessAll: 0)
            }
            if block.columns.contains(.time) {
                if known == 0 { timesNanoseconds = [] }
                timesNanoseconds?.append(contentsOf: block.timesNanoseconds)
            }
        }
        keyTexts = reader.keyTexts?.texts()
        keys = keyTexts == nil ? numbering.keys() : nil
        keyCount = keyTexts?.count ?? numbering.keyCount
    }

    /// The same trace without its writes and removals; keys that are never read keep their numbers.
    ///
    /// - Complexity: O(requests).
    package func readsOnly() -> NumberedTrace {
        guard let operations else { return self }
        var reads = self
        let isRead = operations.map { $0 == .read }
        reads.ids = Self.filtered(ids, isRead)
        reads.sizes = sizes.map { Self.filtered($0, isRead) }
        reads.timesNanoseconds = timesNanoseconds.map { Self.filtered($0, isRead) }
        reads.lifetimesSeconds = lifetimesSeconds.map { Self.filtered($0, isRead) }
        reads.operations = nil
        return reads
    }

    private static func filtered<Value>(_ values: [Value], _ isKept: [Bool]) -> [Value] {
        zip(values, isKept).compactMap { $1 ? $0 : nil }
    }

    /// Adds a block to a column, which is created with the first value that differs from the usual one.
    private static func add<Value: Equatable>(
        _ values: [Value], to column: inout [Value]?, after known: Int, unlessAll usual: Value
    ) {
        if column == nil {
            guard values.contains(where: { $0 != usual }) else { return }
            column = Array(repeating: usual, count: known)
        }
        column?.append(contentsOf: values)
    }
}

/// For each request, the next request for the same key, as the optimum needs it.
package struct NextRequests: Sendable, Hashable {
    /// Marks a request that no request for the same key follows.
    package static let never = UInt32.max

    /// The maximum number of requests; more could not be distinguished from ``never``.
    package static let countMax = Int(UInt32.max) - 1

    /// The removal of a key between requests.
    package struct Removal: Sendable, Hashable {
        package var id: UInt32
        /// The number of requests before the removal.
        package var position: UInt32

        package init(id: UInt32, position: UInt32) {
            self.id = id
            self.position = position
        }
    }

    /// For each request, the index of the next request for its key, from 0 on, or ``never``.
    package let indices: [UInt32]

    /// Computes the next requests by a backward pass over the trace. This does not rely on a file's own column, which
    /// may be wrong.
    ///
    /// - Parameters:
    ///   - ids: the numbers of the keys, without gaps; at most ``countMax`` of them.
    ///   - removals: the removals of keys between requests, in order; the next request for a key never lies beyond
    ///     its removal.
    /// - Complexity: O(requests); 4 bytes for each request and for each key.
    package init(ids: [UInt32], removals: [Removal] = []) {
        var next = [UInt32](repeating: Self.never, count: Int(ids.max() ?? 0) + 1)
        var removals = removals[...]
        indices = [UInt32](unsafeUninitializedCapacity: ids.count) { indices, count in
            for index in ids.indices.reversed() {
                while let removal = removals.last, removal.position > index {
                    if Int(removal.id) < next.count { next[Int(removal.id)] = Self.never }
                    removals.removeLast()
                }
                let id = Int(ids[index])
                indices[index] = next[id]
                next[id] = UInt32(truncatingIfNeeded: index)
            }
            count = ids.count
        }
    }
}
