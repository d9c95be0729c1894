import TimedStrategies
import TrialModel

/// What one client writes down in a phase with memory pressure: hits in the order of time, and loads that took part.
///
/// When the pressure came is known afterwards only, so that clients look at nothing that others change.
struct PressureMetrics: Sendable {
    /// Some lookups in a row.
    struct Block: Sendable {
        /// When the first operation of it was sent, and when the last one ended.
        var start: UInt64
        var end: UInt64 = 0
        var operations: UInt64 = 0
        var lookups: UInt64 = 0
        var hits: UInt64 = 0
    }

    /// A load that was no hit.
    struct Load: Sendable {
        var key: UInt32
        var outcome: Outcome
        var span: TimeSpan
    }

    private(set) var blocks: [Block] = []
    private(set) var loads: [Load] = []
    private var current = Block(start: 0)
    private var lookups: UInt64 = 0
    /// Whether loads were left out because there were too many.
    private(set) var isFull = false

    /// The least lookups of a block; later ones have more, so that there are a few thousand blocks at the most.
    private static let lookupsOfBlock: UInt64 = 16
    private static let loadsMax = 65_536

    /// What it takes in memory, in bytes.
    var footprintBytes: UInt64 {
        UInt64(blocks.capacity * MemoryLayout<Block>.stride + loads.capacity * MemoryLayout<Load>.stride)
    }

    mutating func record(_ operation: OperationKind, _ outcome: Outcome, _ span: TimeSpan, key: UInt32) {
        if current.operations == 0 { current.start = span.start }
        current.operations &+= 1
        current.end = max(current.end, span.end)
        guard outcome != .done else { return }
        current.lookups &+= 1
        lookups &+= 1
        if outcome == .hit {
            current.hits &+= 1
        } else if operation != .read {
            if loads.count < Self.loadsMax {
                loads.append(Load(key: key, outcome: outcome, span: span))
            } else {
                isFull = true
            }
        }
        if current.lookups >= max(Self.lookupsOfBlock, lookups / 256) {
            blocks.append(current)
            current = Block(start: 0)
        }
    }

    /// All blocks, the one that is not full included.
    var allBlocks: [Block] { current.lookups > 0 ? blocks + [current] : blocks }
}
