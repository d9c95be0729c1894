package import TrialModel

/// The operations of a phase's clients in each interval, as rows of `timeline.csv`.
package struct Timeline {
    private struct Cell {
        var count: UInt64 = 0
        var hits: UInt64 = 0
        var misses: UInt64 = 0
        var latencies = LatencyHistogram()

        mutating func add(_ slice: IntervalSlice) {
            count &+= slice.count
            hits &+= slice.hits
            misses &+= slice.misses
            for sample in slice.samples { latencies.record(sample.nanoseconds, count: sample.count) }
        }
    }

    private let slices: [IntervalSlice]

    /// The slices of all clients, in any order.
    package init(_ slices: [IntervalSlice]) {
        self.slices = slices.sorted { $0.interval < $1.interval }
    }

    /// The rows by interval and operation, with `all` last. An interval in which no operation ended has no rows.
    ///
    /// The distributions of the clients are added up; percentiles of the sum are precise to 0.8 %. O(slices), one
    /// interval at a time.
    ///
    /// - Parameters:
    ///   - key: the columns that every row starts with.
    ///   - interval: the length of an interval in nanoseconds.
    package func rows(key: RowKey, interval: UInt64) -> [TimelineRow] {
        var rows: [TimelineRow] = []
        var rest = slices[...]
        while let first = rest.first {
            let group = rest.prefix { $0.interval == first.interval }
            rest = rest.dropFirst(group.count)
            let milliseconds = UInt64(first.interval) &* interval / 1_000_000
            func append(_ operation: Selection<OperationKind>, _ members: some Sequence<IntervalSlice>) {
                var cell = Cell()
                for slice in members { cell.add(slice) }
                guard cell.count > 0 else { return }
                let summary = cell.latencies.summary()
                var row = TimelineRow(key: key)
                row.elapsedMilliseconds = milliseconds
                row.operation = operation
                (row.count, row.hits, row.misses) = (cell.count, cell.hits, cell.misses)
                (row.p50, row.p99) = (summary?.p50, summary?.p99)
                rows.append(row)
            }
            for kind in OperationKind.allCases {
                append(.only(kind), group.lazy.filter { $0.operation == kind })
            }
            append(.all, group)
        }
        return rows
    }
}
