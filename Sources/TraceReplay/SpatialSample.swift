/// Which keys of a trace are replayed, and what that says about all of them.
///
/// SHARDS: a key is in the sample when its hash is small, so that all of its requests are in it or none; caches shrink
/// with the sample (C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad: Efficient MRC Construction with SHARDS, FAST 2015).
/// The hits are corrected for how many requests the sample drew, as in its SHARDS-adj. The error is that of four
/// smaller samples of which this one consists: their standard deviation, halved.
struct SpatialSample {
    /// The share of the keys, above 0 and at most 1.
    let rate: Double

    /// Into how many parts a sample is cut to see how far they are from each other.
    static let partCount = 4

    /// The whole trace is one lane; a sample has one more for each part.
    var laneCount: Int { rate < 1 ? 1 + Self.partCount : 1 }

    /// Which lanes a key is in: none, or the sample and one of its parts.
    func part(of id: UInt32) -> Int? {
        let position = Double(Self.hash(id) >> 11) * 0x1p-53 / rate
        guard position < 1 else { return nil }
        return Int(position * Double(Self.partCount))
    }

    /// How large a cache is in a lane.
    func scale(_ size: UInt64, lane: Int) -> UInt64 {
        guard rate < 1 else { return size }
        let share = lane == 0 ? rate : rate / Double(Self.partCount)
        return max(1, UInt64((Double(size) * share).rounded()))
    }

    /// The hit ratio of the whole trace by one lane of a sample.
    ///
    /// - Parameter requests: those of the whole trace.
    func estimate(_ counts: ReplayCounts, lane: Int, requests: UInt64) -> Double? {
        let share = lane == 0 ? rate : rate / Double(Self.partCount)
        let expected = Double(requests) * share
        guard expected > 0 else { return nil }
        let hits = Double(counts.hits) + expected - Double(counts.requests)
        return min(max(hits / expected, 0), 1)
    }

    /// The finaliser of SplitMix64: ids are in the order of first appearance, which must not decide.
    private static func hash(_ id: UInt32) -> UInt64 {
        var word = (UInt64(id) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}

/// The requests of each lane, with keys numbered anew so that policies stay small.
struct LaneSplitter {
    private let sample: SpatialSample
    /// For each key: its part plus 1 and its number in the sample; 0 where nothing is known, `.max` for keys outside.
    private var numbers: [UInt32] = []
    private var parts: [UInt8] = []
    private var nextNumber: UInt32 = 0

    private static let outside = UInt8.max

    init(_ sample: SpatialSample) {
        self.sample = sample
    }

    /// Calls `body` with the blocks of all lanes.
    mutating func split(_ block: ReplayBlock, _ body: ([ReplayBlock]) -> Void) {
        guard sample.rate < 1 else { return body([block]) }
        var lanes = [Lane](repeating: Lane(), count: sample.laneCount)
        for index in block.ids.indices {
            let id = Int(block.ids[index])
            while parts.count <= id {
                if let part = sample.part(of: UInt32(parts.count)) {
                    parts.append(UInt8(part))
                    numbers.append(nextNumber)
                    nextNumber += 1
                } else {
                    parts.append(Self.outside)
                    numbers.append(0)
                }
            }
            guard parts[id] != Self.outside else { continue }
            for lane in [0, Int(parts[id]) + 1] { lanes[lane].append(numbers[id], index, of: block) }
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

    /// Buffers are valid inside their closure only, so lanes are opened one inside the other.
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
