/// Splits requests into lanes, and renumbers the keys of each lane so that policies stay small.
struct LaneSplitter {
    private let sample: SpatialSample
    /// The number of each key in the sample; 0 for keys outside it.
    private var numbers: [UInt32] = []
    /// The part of each key.
    private var parts: [UInt8] = []
    /// The number of keys in each lane so far.
    private(set) var keyCounts: [Int]
    /// Whether an earlier pass has seen all keys of the trace.
    private var isComplete = false

    private static let outside = UInt8.max

    init(_ sample: SpatialSample) {
        self.sample = sample
        keyCounts = Array(repeating: 0, count: sample.laneCount)
    }

    /// Samples the block's new keys, in the first pass over a trace.
    mutating func draw(_ block: ReplayBlock) {
        guard sample.isPartial, !isComplete else { return }
        for content in block.newKeys {
            if let part = sample.part(of: content) {
                parts.append(UInt8(part))
                numbers.append(UInt32(truncatingIfNeeded: keyCounts[0]))
                keyCounts[0] += 1
                keyCounts[part + 1] += 1
            } else {
                parts.append(Self.outside)
                numbers.append(0)
            }
        }
    }

    /// Ends the first pass: every key has been seen.
    mutating func complete() { isComplete = true }

    /// The share of the keys that each lane has; `nil` where they were not counted.
    func shares(of keys: Int) -> [Double]? {
        guard sample.isPartial else { return [1] }
        return keys > 0 ? keyCounts.map { Double($0) / Double(keys) } : nil
    }

    /// Calls `body` with the blocks of all lanes.
    mutating func split(_ block: ReplayBlock, _ body: ([ReplayBlock]) -> Void) {
        guard sample.isPartial else { return body([block]) }
        draw(block)
        var lanes = [Lane](repeating: Lane(), count: sample.laneCount)
        for index in block.ids.indices {
            let id = Int(block.ids[index])
            let part = parts[id]
            guard part != Self.outside else { continue }
            lanes[0].append(numbers[id], index, of: block)
            lanes[Int(part) + 1].append(numbers[id], index, of: block)
        }
        Self.hand(lanes[...], [], uniformSize: block.uniformSize, to: body)
    }

    private struct Lane {
        var ids: [UInt32] = []
        var sizes: [UInt32] = []
        var operations: [ReplayBlock.Operation] = []

        mutating func append(_ id: UInt32, _ index: Int, of block: ReplayBlock) {
            ids.append(id)
            if !block.sizes.isEmpty { sizes.append(block.sizes[index]) }
            if !block.operations.isEmpty { operations.append(block.operations[index]) }
        }
    }

    /// Buffers are valid only inside their closure, so lanes are opened in nested closures.
    private static func hand(
        _ lanes: ArraySlice<Lane>, _ blocks: [ReplayBlock], uniformSize: UInt32, to body: ([ReplayBlock]) -> Void
    ) {
        guard let lane = lanes.first else { return body(blocks) }
        lane.ids.withUnsafeBufferPointer { ids in
            lane.sizes.withUnsafeBufferPointer { sizes in
                lane.operations.withUnsafeBufferPointer { operations in
                    let block = ReplayBlock(
                        ids: ids, sizes: sizes, uniformSize: uniformSize, operations: operations)
                    hand(lanes.dropFirst(), blocks + [block], uniformSize: uniformSize, to: body)
                }
            }
        }
    }
}
