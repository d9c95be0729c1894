/// A row of `latency.csv`: the latencies of one kind of operation with one outcome.
package struct LatencyRow: MeasurementRow {
    package static let file = "latency.csv"
    package static let keyColumnCount = 8
    package static var place: Place { \.latency }

    package var key = RowKey()
    package var labels = LatencyLabels()
    package var count: UInt64 = 0
    /// `nil` when times are meaningless, as on a simulated processor.
    package var throughputPerSecond: Double?
    /// Absent without recorded operations.
    package var latency: LatencySummary?
    /// Absent when instructions were not counted.
    package var counts: InstructionCounts?

    package init(
        key: RowKey, labels: LatencyLabels = LatencyLabels(), count: UInt64, throughputPerSecond: Double?,
        latency: LatencySummary?
    ) {
        self.key = key
        self.labels = labels
        self.count = count
        self.throughputPerSecond = throughputPerSecond
        self.latency = latency
    }

    package init() {}

    package static let columns: [Column<LatencyRow>] =
        keyColumns.repeating() + [
            Column("pool", "A key pool's name, or `all`.", \.labels.pool).repeating(),
            Column("operation", "An operation's name, or `all`.", \.labels.operation).repeating(),
            Column(
                "outcome",
                "`hit`, `miss` (a load that fetched), `joined` (coalesced), `failed` or `cancelled`, which are disjoint; `all` is each but `cancelled`.",
                \.labels.outcome
            ).repeating(),
            Column(
                "basis", "`service`: from sending an operation to its end; `response`: from the moment it was due.",
                \.labels.basis
            ).repeating(),
            Column("count", "How many operations the row holds.", \.count).repeating(),
            .decimal(
                "throughput_per_second", unit: "1/s", places: 3,
                "Operations of this row per second of the phase, all clients together.", \.throughputPerSecond),
            figure("min_ns", "The shortest time.", \.min),
            figure("mean_ns", "The arithmetic mean; it hides what the percentiles show.", \.mean),
            figure("p50_ns", "Half of the operations took at most this long.", \.p50),
            figure("p90_ns", "90 of 100 operations took at most this long.", \.p90),
            figure("p95_ns", "95 of 100 operations took at most this long.", \.p95),
            figure("p99_ns", "99 of 100 operations took at most this long.", \.p99),
            figure("p99_9_ns", "999 of 1,000 operations took at most this long.", \.p99_9),
            figure("p99_99_ns", "9,999 of 10,000 operations took at most this long.", \.p99_99),
            figure("max_ns", "The longest time.", \.max),
            counts(
                "instructions_per_operation", "User-space instructions per operation, without the harness's own",
                \.someInstructions),
            counts(
                "first_level_misses_per_operation",
                "Loads and stores per operation that missed a simulated first-level data cache", \.firstLevelMisses
            ),
            counts(
                "last_level_misses_per_operation",
                "Loads and stores per operation that missed the simulated last level as well",
                \.lastLevelMisses),
            countedBy,
            Column(
                "tier", "The tier in which the row's hits were found, if the strategy reports it, or `all`.",
                \.labels.tier
            ).whereMissing("all"),
        ] + sweptColumns.repeating()

    private static let counted = "; written by `count` for phases with one client."

    private static func counts(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<InstructionCounts, Double?> & Sendable
    ) -> Column<LatencyRow> {
        Column(
            name, type: .decimal, meaning + counted,
            cell: { $0.counts?[keyPath: path].map { DecimalText.fixed($0, places: 3) } ?? "" },
            read: { text, row in
                guard !text.isEmpty else { return true }
                guard let value = DecimalText.parse(text), value >= 0 else { return false }
                var counts = row.counts ?? InstructionCounts(method: .callgrind, instructions: 0)
                counts[keyPath: path] = value
                row.counts = counts
                return true
            }
        )
    }

    private static var countedBy: Column<LatencyRow> {
        Column(
            "counted_by", type: .text,
            "`callgrind`: within the operations alone; `callgrind-process`: the whole process, for strategies with "
                + "tasks or threads of their own; `hardware` and `hardware-process`: the same by the processor's "
                + "counter, in files of earlier versions" + counted,
            cell: { $0.counts?.method.rawValue ?? "" },
            read: { text, row in
                guard !text.isEmpty else { return row.counts == nil }
                guard let method = InstructionCounts.Method(rawValue: text) else { return false }
                row.counts?.method = method
                return row.counts != nil
            }
        )
    }

    private static func figure(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<LatencySummary, UInt64?> & Sendable
    ) -> Column<LatencyRow> {
        Column(
            name, unit: "ns", type: .integer, meaning,
            cell: { row in row.latency?[keyPath: path].cellText ?? "" },
            read: { text, row in
                guard !text.isEmpty else { return true }
                guard let value = UInt64(cellText: text) else { return false }
                var latency = row.latency ?? LatencySummary()
                latency[keyPath: path] = value
                row.latency = latency
                return true
            }
        )
    }
}

extension [LatencyRow] {
    /// The row of an operation over all outcomes: response times when there is such a row, else service times.
    package func asCallersSee(_ operation: Selection<OperationKind>) -> LatencyRow? {
        asCallersSee(LatencyLabels(operation: operation))
    }

    /// The row with these labels: response times when there is such a row, else service times.
    package func asCallersSee(_ labels: LatencyLabels) -> LatencyRow? {
        var response = labels
        response.basis = .response
        return self[response] ?? self[labels]
    }

    /// The row with these labels; `nil` when there is none.
    package subscript(labels: LatencyLabels) -> LatencyRow? { first { $0.labels == labels } }
}

/// The figures of one latency distribution, in nanoseconds; `nil` where a file has no such column.
package struct LatencySummary: Equatable, Sendable {
    package var min: UInt64?
    package var mean: UInt64?
    package var p50: UInt64?
    package var p90: UInt64?
    package var p95: UInt64?
    package var p99: UInt64?
    package var p99_9: UInt64?
    package var p99_99: UInt64?
    package var max: UInt64?

    package init(
        min: UInt64? = nil, mean: UInt64? = nil, p50: UInt64? = nil, p90: UInt64? = nil, p95: UInt64? = nil,
        p99: UInt64? = nil,
        p99_9: UInt64? = nil, p99_99: UInt64? = nil, max: UInt64? = nil
    ) {
        self.min = min
        self.mean = mean
        self.p50 = p50
        self.p90 = p90
        self.p95 = p95
        self.p99 = p99
        self.p99_9 = p99_9
        self.p99_99 = p99_99
        self.max = max
    }
}

extension InstructionCounts {
    /// The instructions, in the form in which cells are written and read.
    fileprivate var someInstructions: Double? {
        get { instructions }
        set { instructions = newValue ?? instructions }
    }
}
