/// A figure of a phase, declared once: tables, sweeps, comparisons and histories use the declaration.
package struct Metric: RawRepresentable, CaseIterable, Codable, Hashable, Sendable, CellValue, CustomStringConvertible {
    /// What determines the figure.
    package enum Nature: Sendable {
        /// The machine's speed, among others.
        case time
        /// The operations alone when one client sends them.
        case count
        /// The code, but not the machine's speed.
        case code
    }

    /// How the figure is written for people.
    package enum Format: Hashable, Sendable {
        case rate, nanoseconds, bytes
        /// In per cent; differences are in points.
        case share
        case decimal(places: Int, unit: String = "")
    }

    /// The name in files and options.
    package let rawValue: String
    /// The name in titles and sentences.
    package let title: String
    /// What the figure is, for the caption of a table or a chart.
    package let meaning: String
    /// The unit of the figure; empty for a ratio.
    package let unit: String
    /// Whether a larger value is better.
    package let higherIsBetter: Bool
    package let nature: Nature
    package let format: Format
    /// The smallest difference worth reporting, unless the user sets another one.
    package let smallestDifference: SmallestDifference
    /// The figure of a slice; `nil` for metrics without slices.
    package let ofSlice: (@Sendable (SliceRow) -> Double?)?
    private let read: @Sendable (PhaseResult, LatencyRow) -> Double?

    /// - Parameter read: the figure of a completed phase, from its results and its row of all operations.
    init(
        _ name: String, title: String? = nil, _ meaning: String = "", unit: String = "", higherIsBetter: Bool = false,
        _ nature: Nature, _ format: Format, share: Double? = nil, amount: Double = 0,
        ofSlice: (@Sendable (SliceRow) -> Double?)? = nil,
        read: @escaping @Sendable (PhaseResult, LatencyRow) -> Double?
    ) {
        rawValue = name
        self.title = title ?? name.replacing("_", with: " ")
        self.meaning = meaning
        self.unit = unit
        self.higherIsBetter = higherIsBetter
        self.nature = nature
        self.format = format
        smallestDifference = SmallestDifference(share: share, amount: amount)
        self.ofSlice = ofSlice
        self.read = read
    }

    /// The figure of a column, whose unit and form it has.
    init<Row: PhaseRow>(
        _ name: String, _ meaning: String = "", of figure: PartialKeyPath<Row>, unit: String? = nil,
        higherIsBetter: Bool = false, _ nature: Nature, share: Double, amount: Double = 0
    ) {
        let column = Row.column(of: figure)
        let format: Format =
            switch column.unit {
            case "ns": .nanoseconds
            case "bytes": .bytes
            default: .decimal(places: 0)
            }
        self.init(
            name, meaning, unit: unit ?? column.unit, higherIsBetter: higherIsBetter, nature, format, share: share,
            amount: amount
        ) { result, _ in Row.main(of: result).flatMap(column.number) }
    }

    /// The metric of ``allCases`` with a name.
    package init?(rawValue: String) {
        guard let metric = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = metric
    }

    package var description: String { rawValue }

    /// Whether the figure depends on the machine's speed.
    package var isTime: Bool { nature == .time }

    /// Whether the figure follows from the operations alone when one client sends them.
    package var isCount: Bool { nature == .count }

    /// The figure of a phase; `nil` when it was not measured, or the phase did not complete.
    package func value(_ result: PhaseResult) -> Double? { value(result, LatencyLabels()) }

    /// The figure of a phase, that of some of its operations for a figure of times.
    package func value(_ result: PhaseResult, _ labels: LatencyLabels) -> Double? {
        guard result.trial.status == .completed, let row = result.latency.asCallersSee(labels) else { return nil }
        return read(result, row)
    }

    /// Why a phase has no such figure, if it can't have one.
    package func absence(in phase: Phase) -> String? {
        switch self {
        case _ where Self.ofFrames.contains(self): phase.frames == nil ? "it has no frames" : nil
        case _ where Self.ofMemoryPressure.contains(self):
            phase.memoryPressure == nil ? "it has no memory pressure" : nil
        case _ where Self.ofInvalidation.contains(self):
            phase.invalidation == nil ? "it has no invalidation" : nil
        case _ where Self.ofPrefetching.contains(self): phase.prefetching == nil ? "it prefetches nothing" : nil
        case _ where ["first_hit", "opening"].contains(rawValue): phase.reopen ? nil : "it does not begin with a launch"
        default: nil
        }
    }

    /// The smallest difference as the user sets it: a share, or points for a metric that counts in points. With a
    /// share, the metric's own amount still applies.
    package func smallestDifference(_ share: Double) -> SmallestDifference {
        var difference = smallestDifference
        if difference.share == nil { difference.amount = share } else { difference.share = share }
        return difference
    }
}

extension Metric {
    package static let allCases: [Metric] =
        compared + [
            originShare,
            // Per lookup.
            Metric("failed_loads", unit: "1/lookup", .count, .share, amount: 0.005) { result, _ in
                result.hitRate.flatMap { row in row.lookups == 0 ? nil : Double(row.failedLoads) / Double(row.lookups) }
            },
            // From the first operation of a phase that begins with a launch.
            Metric("first_hit", of: \TrialRow.firstHitNanoseconds, .time, share: 0.1, amount: 50_000),
            Metric("opening", of: \TrialRow.openNanoseconds, .time, share: 0.1, amount: 50_000),
        ]

    /// The metrics that comparisons and histories have rows of, in the order of these rows.
    package static let compared: [Metric] =
        [
            throughput, p50, p99,
            Metric("p99_9", title: "p99.9", unit: "ns", .time, .nanoseconds, share: 0.2, amount: 10) {
                $1.latency?.p99_9.map { Double($0) }
            },
            hitRatio, byteHitRatio, duplicateLoads, bytesPerEntry, allocationsPerOperation, instructions,
        ] + ofFrames + ofMemoryPressure + ofInvalidation + ofPrefetching

    package static let throughput = Metric(
        "throughput", "Operations a second", unit: "1/s", higherIsBetter: true, .time, .rate, share: 0.05,
        ofSlice: { $0.throughputPerSecond }
    ) { $1.throughputPerSecond.flatMap { $0 > 0 ? $0 : nil } }

    // Between two builds, the cost of reading the clock differs by more than 10 ns.
    package static let p50 = Metric(
        "p50", unit: "ns", .time, .nanoseconds, share: 0.05, amount: 10, ofSlice: { $0.p50Nanoseconds }
    ) { $1.latency?.p50.map { Double($0) } }

    package static let p99 = Metric(
        "p99", "99th percentile of the times", unit: "ns", .time, .nanoseconds, share: 0.1, amount: 10
    ) { $1.latency?.p99.map { Double($0) } }

    // The smallest difference is in points, not in per cent: half a point means the same load on the origin at a hit
    // ratio of 20 % and of 90 %.
    package static let hitRatio = Metric(
        "hit_ratio", "Hits per lookup", higherIsBetter: true, .count, .share, amount: 0.005, ofSlice: \.hitRatio
    ) { result, _ in result.hitRate?.hitRatio }

    package static let byteHitRatio = Metric(
        "byte_hit_ratio", higherIsBetter: true, .count, .share, amount: 0.005
    ) { result, _ in result.hitRate?.byteHitRatio }

    /// Per lookup, because a faster strategy sends more operations in a phase that ends by the clock.
    package static let duplicateLoads = Metric("duplicate_loads", unit: "1/lookup", .count, .share, amount: 0.001) {
        result, _ in result.hitRate?.perLookup(\.duplicateLoads)
    }

    /// Requests that reached the origin; comparisons have no rows of it, because it mostly follows from the hit ratio.
    package static let originShare = Metric(
        "origin_share", title: "share of lookups sent to the origin", "Requests to the origin per lookup",
        unit: "1/lookup",
        .count,
        .share, amount: 0.005
    ) { result, _ in result.hitRate?.perLookup(\.originLoads) }

    package static let bytesPerEntry = Metric(
        "bytes_per_entry", unit: "bytes", .code, .decimal(places: 1, unit: " B"), share: 0.05, amount: 8
    ) { result, _ in result.memory?.bytesPerEntry }

    package static let allocationsPerOperation = Metric(
        "allocations_per_operation", unit: "1/operation", .code, .decimal(places: 3), share: 0.05, amount: 0.05
    ) { result, _ in result.memory?.allocationsPerOperation }

    package static let instructions = Metric(
        "instructions_per_operation", "Instructions for each operation", unit: "1/operation", .code,
        .decimal(places: 1), share: instructionShare
    ) { $1.counts?.instructions }

    /// Two runs of one program differ by less, as far as was seen: by up to 0.5 %.
    private static let instructionShare = 0.01

    /// The instructions of one phase, counted by one method; figures of two methods are never compared.
    package static func instructions(phase: String, _ method: InstructionCounts.Method) -> Metric {
        Metric(
            "instructions of \(phase) by \(method.rawValue)",
            title: "instructions, \(phase)" + (method == .callgrind ? "" : " (\(method.rawValue))"),
            "Instructions for each operation of phase `\(phase)`, counted by `\(method.rawValue)`",
            unit: instructions.unit, .code, instructions.format, share: instructionShare
        ) { result, all in
            result.trial.key.phase == phase && all.counts?.method == method ? all.counts?.instructions : nil
        }
    }
}

extension HitRateRow {
    /// A count per lookup; `nil` without lookups.
    fileprivate func perLookup(_ count: KeyPath<HitRateRow, UInt64?>) -> Double? {
        lookups == 0 ? nil : self[keyPath: count].map { Double($0) / Double(lookups) }
    }
}

/// The smallest difference worth reporting: the larger of the share and the amount.
package struct SmallestDifference: Hashable, Sendable {
    /// A share of the smaller side; `nil` when only the amount counts.
    package var share: Double?
    /// In the metric's unit.
    package var amount: Double

    package init(share: Double? = nil, amount: Double = 0) {
        self.share = share
        self.amount = amount
    }
}
