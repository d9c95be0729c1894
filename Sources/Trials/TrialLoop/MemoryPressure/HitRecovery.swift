import TimedStrategies
import TrialModel

/// Some lookups in a row of one client, or of several.
struct LookupBlock: Sendable {
    /// When its first operation was sent, and when its last one ended.
    var start: UInt64
    var end: UInt64 = 0
    var operations: UInt64 = 0
    var lookups: UInt64 = 0
    var hits: UInt64 = 0
}

/// The hits of one client in the order of time, in blocks of lookups.
struct LookupBlocks: Sendable {
    private(set) var ended: [LookupBlock] = []
    private var current = LookupBlock(start: 0)
    private var lookups: UInt64 = 0

    /// The fewest lookups of a block; later blocks have more, so that there are a few thousand blocks at most.
    private static let lookupsOfBlock: UInt64 = 16
    private var blockCount: UInt64 = 256
    /// After a restart there may be many more, so each begins with fewer.
    private static let blockCountOfRestart: UInt64 = 32
    private static let restartsMax = 1 << 16

    /// All blocks, including the current one.
    var all: [LookupBlock] { current.lookups > 0 ? ended + [current] : ended }

    mutating func record(_ span: TimeSpan, _ outcome: Outcome) {
        if current.operations == 0 { current.start = span.start }
        current.operations &+= 1
        current.end = max(current.end, span.end)
        guard outcome != .done else { return }
        current.lookups &+= 1
        lookups &+= 1
        if outcome == .hit { current.hits &+= 1 }
        if current.lookups >= max(Self.lookupsOfBlock, lookups / blockCount) {
            ended.append(current)
            current = LookupBlock(start: 0)
        }
    }

    /// Begins with small blocks again, because what comes next is looked at closely.
    mutating func restart() {
        guard ended.count < Self.restartsMax else { return }
        (ended, current) = (all, LookupBlock(start: 0))
        (lookups, blockCount) = (0, Self.blockCountOfRestart)
    }

    mutating func merge(_ other: LookupBlocks) {
        (ended, current) = (all + other.all, LookupBlock(start: 0))
    }
}

/// How the hit ratio recovers from something that took entries away.
struct HitRecovery {
    /// The hit ratio of the first lookups; `nil` without lookups.
    private(set) var first: Double?
    /// The number of operations until it was back, 0 where it never dropped; `nil` where it was never back.
    private(set) var operations: UInt64?
    /// When it was back; `nil` where it was never back.
    private(set) var time: UInt64?

    /// The number of lookups over which the hit ratio is taken.
    static let window: UInt64 = 256
    /// The hit ratio is back at this share of the ratio before.
    static let recovered = 0.9

    /// - Parameters:
    ///   - blocks: those after the loss, in the order in which they ended.
    ///   - before: the hit ratio before the loss; `nil` where it is not known.
    init(_ blocks: some Collection<LookupBlock>, from before: Double?) {
        var (lookups, hits, all): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var oldest = blocks.startIndex
        for block in blocks {
            all &+= block.operations
            lookups &+= block.lookups
            hits &+= block.hits
            while lookups &- blocks[oldest].lookups >= Self.window {
                lookups &-= blocks[oldest].lookups
                hits &-= blocks[oldest].hits
                oldest = blocks.index(after: oldest)
            }
            guard lookups >= Self.window else { continue }
            let ratio = Double(hits) / Double(lookups)
            let isFirst = first == nil
            if isFirst { first = ratio }
            if let before, ratio >= before * Self.recovered {
                (operations, time) = (isFirst ? 0 : all, block.end)
                return
            }
        }
        if first == nil, lookups > 0 { first = Double(hits) / Double(lookups) }
    }
}
