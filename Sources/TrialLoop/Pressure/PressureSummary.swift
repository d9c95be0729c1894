import CacheStrategies
import TimedStrategies
import TrialModel

/// The row of a phase with memory pressure, from the strategy's statistics and the clients' records.
struct PressureSummary {
    let outcome: PressureDelivery.Outcome
    let clientMetrics: [PressureMetrics]
    /// The strategy's own statistics at the end of the phase.
    let atEnd: CacheStatistics
    /// The hit ratio of the phase before; `nil` without lookups there.
    let hitRatioBefore: Double?
    /// Whether callers share loads, so that a second load of a key means that the first was lost.
    let sharesLoads: Bool

    /// The number of lookups over which the hit ratio is taken.
    static let window: UInt64 = 256
    /// The hit ratio has recovered at this share of the ratio before the signal.
    static let recovered = 0.9

    func row(key: RowKey) -> PressureRow {
        var row = PressureRow(key: key)
        row.level = outcome.level
        row.responds = outcome.responds
        if outcome.responds {
            row.responseNanoseconds = Nanoclock.elapsed(from: outcome.delivered, to: outcome.returned)
        }
        (row.entriesBefore, row.entriesGivenBack, row.entriesGivenBackAtEnd) = given(\.entriesInMemory)
        (row.bytesBefore, row.bytesGivenBack, row.bytesGivenBackAtEnd) = given(\.bytesInMemory)
        (row.allocatedBytesBefore, row.allocatedBytesAfter) = (outcome.allocatedBefore, outcome.allocatedLater)
        row.hitRatioBefore = hitRatioBefore
        let blocks = blocksAfter
        (row.hitRatioAfter, row.operationsToRecovery) = Self.recovery(blocks, from: hitRatioBefore)
        countLoads(&row)
        return row
    }

    /// The amount before the signal, how much of it was given back within the time that a cache has, and how much at
    /// the end.
    private func given(
        _ held: (CacheStatistics) -> Int?
    ) -> (before: UInt64?, given: UInt64?, atEnd: UInt64?) {
        guard let before = outcome.before.flatMap(held) else { return (nil, nil, nil) }
        let least = [outcome.after, outcome.later].compactMap { $0.flatMap(held) }.min()
        func gone(_ left: Int?) -> UInt64? { left.map { UInt64(max(0, before - $0)) } }
        return (UInt64(max(0, before)), gone(least), gone(held(atEnd)))
    }

    /// The blocks of all clients that began after the signal, in the order in which they ended.
    private var blocksAfter: [PressureMetrics.Block] {
        clientMetrics.flatMap(\.allBlocks).filter { $0.start >= outcome.delivered }.sorted { $0.end < $1.end }
    }

    /// The hit ratio at first, and the number of operations until it recovered; 0 where it never dropped.
    static func recovery(
        _ blocks: [PressureMetrics.Block], from before: Double?
    ) -> (first: Double?, operations: UInt64?) {
        var (first, operations): (Double?, UInt64) = (nil, 0)
        var (lookups, hits): (UInt64, UInt64) = (0, 0)
        var oldest = blocks.startIndex
        for block in blocks {
            operations &+= block.operations
            lookups &+= block.lookups
            hits &+= block.hits
            while lookups &- blocks[oldest].lookups >= window {
                lookups &-= blocks[oldest].lookups
                hits &-= blocks[oldest].hits
                oldest += 1
            }
            guard lookups >= window else { continue }
            let ratio = Double(hits) / Double(lookups)
            let isFirst = first == nil
            if isFirst { first = ratio }
            if let before, ratio >= before * recovered { return (first, isFirst ? 0 : operations) }
        }
        if first == nil, lookups > 0 { first = Double(hits) / Double(lookups) }
        return (first, nil)
    }

    /// Counts the fate of loads that were in flight at the signal.
    private func countLoads(_ row: inout PressureRow) {
        guard clientMetrics.allSatisfy({ !$0.isFull }) else { return }
        let loads = clientMetrics.flatMap(\.loads)
        let inFlight = loads.filter { $0.span.start < outcome.delivered && outcome.delivered < $0.span.end }
        let later = Dictionary(
            grouping: loads.filter { $0.span.start >= outcome.delivered && $0.outcome == .miss }, by: \.key)
        var (survived, failed, restarted): (UInt64, UInt64, UInt64) = (0, 0, 0)
        for load in inFlight {
            let isRestarted =
                sharesLoads && load.outcome != .cancelled
                && later[load.key, default: []].contains { $0.span.start < load.span.end }
            switch load.outcome {
            case .failed: failed += 1
            case _ where isRestarted: restarted += 1
            default: survived += 1
            }
        }
        (row.loadsInFlight, row.loadsSurvived, row.loadsFailed) = (UInt64(inFlight.count), survived, failed)
        if sharesLoads { row.loadsRestarted = restarted }
    }
}

extension CacheStatistics {
    fileprivate var entriesInMemory: Int? { memoryEntryCount ?? entryCount }
    fileprivate var bytesInMemory: Int? { memoryCost ?? totalCost }
}
