import TimedStrategies
import TrialModel

/// What one client records in a phase with memory pressure: hits in the order of time, and the loads of which it was a
/// part.
///
/// The time of the signal is joined in afterwards, so that clients read nothing that others change.
struct PressureMetrics: Sendable {
    /// Some lookups in a row.
    struct Block: Sendable {
        /// When its first operation was sent, and when its last one ended.
        var start: UInt64
        var end: UInt64 = 0
        var operations: UInt64 = 0
        var lookups: UInt64 = 0
        var hits: UInt64 = 0
    }

    /// A load that was not a hit.
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

    /// The fewest lookups of a block; later blocks have more, so that there are a few thousand blocks at most.
    private static let lookupsOfBlock: UInt64 = 16
    private static let loadsMax = 65_536

    /// Its memory, in bytes.
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

    /// All blocks, including the current one.
    var allBlocks: [Block] { current.lookups > 0 ? blocks + [current] : blocks }
}
