import Foundation
import TrialModel

/// The keys of the operations, drawn before anything is timed.
struct KeyStreams {
    static let keyCount = 100_000
    static let entryLimit = 10_000
    static let zipfExponent = 0.99

    private let cumulativeWeights: [Double]
    private var random: RandomSource

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
        var total = 0.0
        cumulativeWeights = (1...Self.keyCount).map { rank in
            total += 1 / pow(Double(rank), Self.zipfExponent)
            return total
        }
    }

    /// The number of a rank, spread over all 64 bits, so that neighbours in rank are not neighbours in memory.
    static func key(rank: Int) -> Int {
        Int(truncatingIfNeeded: SplitMix64.mix(UInt64(truncatingIfNeeded: rank) &+ 1))
    }

    /// Keys of the first `ranks` ranks, each as often as Zipf's law says.
    mutating func zipf(ranks: Int, count: Int) -> [Int] {
        let total = cumulativeWeights[ranks - 1]
        return (0..<count).map { _ in
            let point = random.nextFraction() * total
            return Self.key(rank: cumulativeWeights[..<(ranks - 1)].partitioningIndex { $0 > point })
        }
    }

    /// Keys that are in no other stream.
    mutating func absent(count: Int) -> [Int] {
        (0..<count).map { _ in Self.key(rank: Self.keyCount + Int(random.next(below: UInt64(Self.keyCount)))) }
    }
}
