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

    /// The blocks of all lanes.
    mutating func lanes(of block: ReplayBlock) -> [ReplayBlock] {
        guard sample.isPartial else { return [block] }
        draw(block)
        var lanes = [ReplayBlock](repeating: ReplayBlock(uniformSize: block.uniformSize), count: sample.laneCount)
        for index in block.ids.indices {
            let id = Int(block.ids[index])
            let part = parts[id]
            guard part != Self.outside else { continue }
            for lane in [0, Int(part) + 1] {
                lanes[lane].ids.append(numbers[id])
                if !block.sizes.isEmpty { lanes[lane].sizes.append(block.sizes[index]) }
                if !block.costs.isEmpty { lanes[lane].costs.append(block.costs[index]) }
                if !block.deadlines.isEmpty {
                    lanes[lane].times.append(block.times[index])
                    lanes[lane].deadlines.append(block.deadlines[index])
                }
                if !block.writes.isEmpty { lanes[lane].writes.append(block.writes[index]) }
                if !block.replacements.isEmpty { lanes[lane].replacements.append(block.replacements[index]) }
                if !block.removals.isEmpty { lanes[lane].removals.append(block.removals[index]) }
            }
        }
        return lanes
    }
}
