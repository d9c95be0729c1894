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
