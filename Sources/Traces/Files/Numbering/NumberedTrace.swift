/// A whole trace in memory, its keys numbered from 0 on in the order in which they first come: what a replay needs.
///
/// Memory: 4 bytes a request, and what the columns take that are not the same in every request.
package struct NumberedTrace: Sendable {
    /// For each request the number of its key.
    package private(set) var ids: [UInt32] = []
    /// Different keys; every id is below this.
    package private(set) var keyCount = 0
    /// The size of every request, when ``sizes`` is `nil`.
    package private(set) var uniformSize: UInt32 = 1
    /// `nil` when all requests have one size.
    package private(set) var sizes: [UInt32]?
    /// `nil` when the trace has no times, or they were not asked for.
    package private(set) var timesNanoseconds: [UInt64]?
    /// `nil` when all requests are reads.
    package private(set) var operations: [TraceOperation]?
    /// In seconds, 0 for no limit; `nil` when no request has a limit.
    package private(set) var lifetimesSeconds: [UInt32]?
    /// For each id the key in the trace; `nil` when the keys are texts that were numbered, see ``keyTexts``.
    package private(set) var keys: [UInt64]?
    /// For each id the key's text, when the trace has text keys and they were numbered.
    package private(set) var keyTexts: KeyTexts?

    /// Requests in the trace.
    package var count: Int { ids.count }

    /// Reads a trace to its end.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - format: `nil` to find it out.
    ///   - options: the columns that are wanted, and how to read. `nextAccess` is never kept: see
    ///     ``NextRequests/init(ids:)``.
    ///   - requestCountMax: more requests than this are an error, so that a small file can't fill the memory.
    /// - Throws: the first error of the file. Nothing is kept of a file that has one.
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

    /// The same trace without its writes and removals; keys that nobody reads keep their numbers.
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

    /// Adds a block to a column that begins to exist with the first value that differs.
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

/// For each request the request that asks for the same key next: what the optimum knows.
package struct NextRequests: Sendable, Hashable {
    /// Where no request for the key follows.
    package static let never = UInt32.max

    /// More requests can't be told from ``never``.
    package static let countMax = Int(UInt32.max) - 1

    /// A key that is taken out.
    package struct Removal: Sendable, Hashable {
        package var id: UInt32
        /// How many requests came before.
        package var position: UInt32

        package init(id: UInt32, position: UInt32) {
            self.id = id
            self.position = position
        }
    }

    /// For each request the index of the next for its key, from 0 on, or ``never``.
    package let indices: [UInt32]

    /// Looks at the trace backwards. Better than what a file claims, which may be wrong.
    ///
    /// - Parameters:
    ///   - ids: the numbers of the keys, dense; at most ``countMax`` of them.
    ///   - removals: the keys that are taken out in between, in their order; no request for a key follows beyond its
    ///     removal.
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
