import Foundation
public import TrialModel

/// Draws ranks from 0 to `count - 1`, rank *r* with a weight of 1 / (*r* + 1) to the power of an exponent.
///
/// The method is rejection from a staircase above the weights (Hörmann, Leydold and Derflinger, *Automatic Nonuniform
/// Random Variate Generation*, 2004); the alias method chooses the stair (Walker, 1977; Vose, 1991). A stair is one
/// rank wide up to rank 31, and from there on a sixteenth of its first rank, which gives about 170 stairs for 100,000
/// ranks and 350 for 2^32. The ranks are drawn exactly, up to the rounding of `Double`.
///
/// Rejection-inversion (Hörmann and Derflinger, 1996) needs a logarithm and an exponential for every draw. This method
/// needs a power in fewer than 4 of 100 draws, and 5 to 11 KiB of tables, which leaves the processor's caches to the
/// cache on trial.
@usableFromInline
package struct ZipfSampler: Sendable {
    /// Consecutive ranks under one step of the staircase.
    @usableFromInline
    struct Stair: Sendable {
        /// A draw below this limit stays in this stair; other draws go to the alias.
        @usableFromInline var aliasCutoff: UInt64
        /// A draw below this limit is accepted without the exact test: the last rank's weight relative to the first
        /// one's.
        @usableFromInline let acceptCutoff: UInt64
        /// The first rank, and the number of ranks.
        @usableFromInline let first: UInt32
        @usableFromInline let width: UInt32
        @usableFromInline var alias: UInt32
    }

    @usableFromInline let stairs: [Stair]
    private let exponent: Double

    /// Creates a sampler of `count` ranks (from 1 to 2^32) with an exponent from 0 to 10; other values are clamped.
    ///
    /// Computes O(log `count`) powers.
    package init(count: UInt64, exponent: Double) {
        let exponent = exponent > 0 ? min(exponent, 10) : 0
        let ranks = min(max(count, 1), 1 << 32)
        var stairs: [Stair] = []
        var masses: [Double] = []
        var first: UInt64 = 0
        while first < ranks {
            let width = min(max((first + 1) >> 4, 1), ranks - first)
            let drop = Self.relativeWeight(ofRank: first + width - 1, to: first, exponent: exponent)
            stairs.append(
                Stair(
                    aliasCutoff: .max, acceptCutoff: Probability.cutoff(drop), first: UInt32(truncatingIfNeeded: first),
                    width: UInt32(truncatingIfNeeded: width), alias: UInt32(truncatingIfNeeded: stairs.count)))
            masses.append(Double(width) * Self.relativeWeight(ofRank: first, to: 0, exponent: exponent))
            first += width
        }
        for (index, entry) in AliasTable.entries(of: masses).enumerated() {
            stairs[index].aliasCutoff = entry.cutoff
            stairs[index].alias = UInt32(truncatingIfNeeded: entry.alias)
        }
        self.stairs = stairs
        self.exponent = exponent
    }

    /// The next rank. O(1): one or two random words, rarely more.
    @inlinable
    @inline(__always)
    package func next(using random: inout RandomSource) -> UInt64 {
        while true {
            // The high half of the product chooses the column; the low half is an independent fraction.
            let column = random.next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: stairs.count))
            var stair = stairs[Int(truncatingIfNeeded: column.high)]
            if column.low >= stair.aliasCutoff { stair = stairs[Int(truncatingIfNeeded: stair.alias)] }
            let first = UInt64(stair.first)
            guard stair.width > 1 else { return first }
            let rank = random.next().multipliedFullWidth(by: UInt64(stair.width))
            if rank.low < stair.acceptCutoff { return first &+ rank.high }
            if accepts(rank: first &+ rank.high, of: first, fraction: rank.low) { return first &+ rank.high }
        }
    }

    /// The exact test, for the few draws between a stair's last and first weight.
    @usableFromInline
    @inline(never)
    func accepts(rank: UInt64, of first: UInt64, fraction: UInt64) -> Bool {
        fraction < Probability.cutoff(Self.relativeWeight(ofRank: rank, to: first, exponent: exponent))
    }

    private static func relativeWeight(ofRank rank: UInt64, to first: UInt64, exponent: Double) -> Double {
        pow(Double(first + 1) / Double(rank + 1), exponent)
    }
}

/// Probabilities as 64-bit numbers, so that a random word is compared without a conversion.
enum Probability {
    /// The limit that a random word is below with the given probability, which is clamped to 0…1.
    static func cutoff(_ chance: Double) -> UInt64 {
        guard chance > 0 else { return 0 }
        return chance < 1 ? UInt64(chance * 0x1p64) : .max
    }
}

/// Alias tables, which draw an index with arbitrary weights in O(1) (Walker, 1977) and are built in O(*n*) (Vose,
/// 1991).
enum AliasTable {
    /// A column: a random word below `cutoff` gives the column's index, any other gives `alias`.
    struct Entry: Hashable, Sendable {
        var cutoff: UInt64
        var alias: Int
    }

    /// The columns for weights that are finite and not negative, with a sum above 0.
    static func entries(of weights: [Double]) -> [Entry] {
        let mean = weights.reduce(0, +) / Double(weights.count)
        var shares = weights.map { $0 / mean }
        var entries = weights.indices.map { Entry(cutoff: .max, alias: $0) }
        var small = weights.indices.filter { shares[$0] < 1 }
        var large = weights.indices.filter { shares[$0] >= 1 }
        while let less = small.popLast(), let more = large.popLast() {
            entries[less] = Entry(cutoff: Probability.cutoff(shares[less]), alias: more)
            shares[more] -= 1 - shares[less]
            if shares[more] < 1 { small.append(more) } else { large.append(more) }
        }
        // The remaining columns of either list differ from a full column only by rounding.
        return entries
    }
}
