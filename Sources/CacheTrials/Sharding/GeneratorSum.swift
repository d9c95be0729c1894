import Measurement
import TrialModel

/// One phase of a trial that several generators ran together, as one generator would have seen it.
///
/// Counts are added, distributions are added bucket by bucket, and derived figures are computed from the sums. Figures
/// that can't be added are left empty: percentiles of intervals, memory per entry, the first operations. Peaks and shares
/// of processes are named in the columns.
struct GeneratorSum {
    private let parts: [PhaseResult]
    /// Whether all generators use one cache, so that each of them has read the statistics of the whole.
    private let sharesCache: Bool
    /// How many generators the plan has.
    var expectedCount: Int

    /// The least share of the phase that all generators must be active in to count as one load.
    private static let overlapMin = 0.9

    /// - Parameter parts: the same phase of the same trial, of each generator.
    init(_ parts: [PhaseResult], sharesCache: Bool) {
        self.parts = parts
        self.sharesCache = sharesCache
        expectedCount = parts.count
    }

    /// When the phase began and ended, in seconds since 1970, and the share of that time in which all generators were
    /// active; `nil` when no distributions were kept, as in a warm-up.
    private var span: (start: Double, end: Double, overlap: Double)? {
        let spans = parts.compactMap { part -> (Double, Double)? in
            guard let start = part.startSeconds, let elapsed = part.trial.elapsedNanoseconds else { return nil }
            return (start, start + Double(elapsed) / 1e9)
        }
        guard spans.count == parts.count, let start = spans.map(\.0).min(), let end = spans.map(\.1).max(),
            let lastStart = spans.map(\.0).max(), let firstEnd = spans.map(\.1).min(), end > start
        else { return nil }
        return (start, end, max(0, firstEnd - lastStart) / (end - start))
    }

    /// A note for readers of the sum; `nil` when all generators were active together.
    var note: String? {
        guard let key = parts.first?.trial.key, let overlap = span?.overlap, overlap < Self.overlapMin else {
            return nil
        }
        return "\(key.trial.strategy) in \(key.trial.scenario), \(key.phase), repetition \(key.trial.repetition): all "
            + "generators were active together in \(Int(overlap * 100)) % of the time; use --start-at, and phases that end by the clock"
    }

    /// The sum.
    ///
    /// - Throws: ``ShardError`` when a distribution is damaged.
    func result() throws(ShardError) -> PhaseResult {
        guard var sum = parts.first else { throw ShardError("there is nothing to add up", .harnessTrouble) }
        sum.trial = trialRow(sum.trial)
        sum.startSeconds = span?.start
        sum.timeline = timeline()
        sum.memory = memory()
        sum.hitRates = sum.hitRates.compactMap { row in
            hitRate(parts.compactMap { $0.hitRates.first { $0.pool == row.pool && $0.tier == row.tier } })
        }
        // Percentiles of parts can't be added, and the distributions of stages are not kept.
        sum.stages = []
        // Each generator puts memory pressure on the cache of its own process.
        sum.pressure = nil
        (sum.latency, sum.distributions) = try latency(elapsed: sum.trial.elapsedNanoseconds ?? 0)
        return sum
    }

    private func trialRow(_ first: TrialRow) -> TrialRow {
        var row = first
        let severity: [TrialStatus] = [.completed, .partial, .invalid, .hung, .crashed]
        row.status =
            parts.map(\.trial.status).max { (severity.firstIndex(of: $0) ?? 0) < (severity.firstIndex(of: $1) ?? 0) }
            ?? first.status
        var reasons = parts.enumerated().filter { !$0.element.trial.reason.isEmpty }
            .map { "generator \($0.offset + 1): \($0.element.trial.reason)" }
        if parts.count < expectedCount {
            row.status = .partial
            reasons.append("\(parts.count) of \(expectedCount) generators")
        }
        row.reason = reasons.joined(separator: "; ")
        row.operations = total(\.trial.operations)
        row.wrongAnswers = total(\.trial.wrongAnswers)
        row.elapsedNanoseconds =
            span.flatMap { UInt64(exactly: (($0.end - $0.start) * 1e9).rounded(.down)) }
            ?? parts.compactMap(\.trial.elapsedNanoseconds).max()
        // No percentile of the whole is above the largest of its parts.
        row.latenessP99Nanoseconds = parts.compactMap(\.trial.latenessP99Nanoseconds).max()
        // The generators open their caches together, and the load is whole when the last one is open.
        row.openNanoseconds = parts.compactMap(\.trial.openNanoseconds).max()
        row.closeNanoseconds = parts.compactMap(\.trial.closeNanoseconds).max()
        // Which operations of all generators came first isn't known.
        (row.firstHitNanoseconds, row.hitsOfFirst100) = (nil, nil)
        // Expectations are about the whole; those of a part mean nothing.
        row.expectationsFailed = nil
        return row
    }

    private func hitRate(_ rows: [HitRateRow]) -> HitRateRow? {
        guard var sum = rows.first, rows.count == parts.count else { return nil }
        func add(_ path: WritableKeyPath<HitRateRow, UInt64>) {
            sum[keyPath: path] = rows.reduce(0) { $0 &+ $1[keyPath: path] }
        }
        func add(_ path: WritableKeyPath<HitRateRow, UInt64?>) {
            let known = rows.compactMap { $0[keyPath: path] }
            sum[keyPath: path] = known.count == rows.count ? known.reduce(0, &+) : nil
        }
        for path in [\HitRateRow.lookups, \.hits, \.misses, \.bytesLookedUp, \.bytesHit, \.writes, \.removals] {
            add(path)
        }
        for path in [\HitRateRow.joinedLoads, \.failedLoads] { add(path) }
        // Each generator has its own origin, so a load that two of them repeat is not a duplicate.
        for path in [\HitRateRow.originLoads, \.duplicateLoads, \.droppedOperations] { add(path) }
        add(\HitRateRow.duplicateReads)
        if sharesCache {
            sum.evictions = rows.compactMap(\.evictions).max()
            sum.expirations = rows.compactMap(\.expirations).max()
        } else {
            for path in [\HitRateRow.evictions, \.expirations] { add(path) }
        }
        return sum
    }

    /// Generators are separate processes, so bytes add up; the memory per entry is not known from several processes.
    private func memory() -> MemoryRow? {
        let rows = parts.compactMap(\.memory)
        guard var sum = rows.first, rows.count == parts.count else { return nil }
        func add(_ path: WritableKeyPath<MemoryRow, UInt64?>) {
            let known = rows.compactMap { $0[keyPath: path] }
            sum[keyPath: path] = known.count == rows.count ? known.reduce(0, &+) : nil
        }
        for path in [\MemoryRow.allocatedBytesBefore, \.allocatedBytesAfter, \.residentBytesPeak] { add(path) }
        for path in [\MemoryRow.bytesAfterRemoveAll, \.bytesAfterDrop] { add(path) }
        for path in [\MemoryRow.allocationsPerOperation, \.allocatedBytesPerOperation] {
            let shares = zip(rows, parts).compactMap { row, part -> (Double, Double)? in
                guard let each = row[keyPath: path], let operations = part.trial.operations else { return nil }
                return (each * Double(operations), Double(operations))
            }
            let operations = shares.reduce(0) { $0 + $1.1 }
            sum[keyPath: path] =
                shares.count == rows.count && operations > 0 ? shares.reduce(0) { $0 + $1.0 } / operations : nil
        }
        sum.bytesPerEntry = nil
        return sum
    }

    /// Intervals count from the start of each generator's own phase; their distributions are not kept.
    private func timeline() -> [TimelineRow] {
        struct Place: Hashable {
            var elapsed: UInt64
            var operation: Selection<OperationKind>
        }
        var sums: [Place: TimelineRow] = [:]
        var order: [Place] = []
        for row in parts.flatMap(\.timeline) {
            let place = Place(elapsed: row.elapsedMilliseconds, operation: row.operation)
            if let known = sums[place] {
                var sum = known
                sum.count &+= row.count
                sum.hits &+= row.hits
                sum.misses &+= row.misses
                (sum.p50, sum.p99) = (nil, nil)
                sums[place] = sum
            } else {
                sums[place] = row
                order.append(place)
            }
        }
        let ranks = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return order.sorted { ($0.elapsed, ranks[$0] ?? 0) < ($1.elapsed, ranks[$1] ?? 0) }.compactMap { sums[$0] }
    }

    /// The rows of `latency.csv` and the distributions behind them, from the sums of the parts' distributions.
    private func latency(elapsed: UInt64) throws(ShardError) -> ([LatencyRow], [EncodedDistribution]) {
        var sums: [LatencyLabels: LatencyHistogram] = [:]
        var order: [LatencyLabels] = []
        for part in parts {
            for row in part.latency {
                let histogram = try self.histogram(of: row, in: part)
                if sums[row.labels] == nil { order.append(row.labels) }
                sums[row.labels, default: LatencyHistogram()].add(histogram)
            }
        }
        let seconds = Double(elapsed) / 1e9
        var rows: [LatencyRow] = []
        var distributions: [EncodedDistribution] = []
        for labels in order {
            guard let key = parts.first?.trial.key, let sum = sums[labels] else { continue }
            rows.append(
                LatencyRow(
                    key: key, labels: labels, count: sum.count,
                    throughputPerSecond: seconds > 0 ? Double(sum.count) / seconds : 0, latency: sum.summary()))
            distributions.append(
                EncodedDistribution(
                    labels: labels, longestNanoseconds: sum.summary()?.max ?? 0, encoded: sum.encoded()))
        }
        return (rows, distributions)
    }

    private func histogram(of row: LatencyRow, in part: PhaseResult) throws(ShardError) -> LatencyHistogram {
        let operation = row.labels.operation
        let place = "\(row.key.trial.strategy) in \(row.key.trial.scenario), \(row.key.phase)"
        guard let found = part.distribution(of: row) else {
            throw ShardError("\(place): histograms/ has no distribution of \(operation)")
        }
        do throws(HistogramFormatError) {
            var histogram = try LatencyHistogram(encoded: found.encoded)
            if let exact = row.latency { try histogram.take(exact) }
            if histogram.count == row.count { return histogram }
        } catch {
            throw ShardError("\(place): the distribution of \(operation) can't be read: \(error)")
        }
        throw ShardError("\(place): the distribution of \(operation) has a different count than latency.csv")
    }

    private func total(_ path: KeyPath<PhaseResult, UInt64?>) -> UInt64? {
        let known = parts.compactMap { $0[keyPath: path] }
        return known.count == parts.count ? known.reduce(0, &+) : nil
    }
}

extension PhaseResult {
    /// The distribution behind a row of the phase; `nil` when it is missing.
    func distribution(of row: LatencyRow) -> EncodedDistribution? {
        distributions.first { $0.labels == row.labels }
    }
}
