/// Chances as 64-bit numbers, so that a random word is compared without a conversion.
enum Probability {
    /// The word that a random word is below with the given chance; a chance outside of 0…1 is moved inside.
    static func cutoff(_ chance: Double) -> UInt64 {
        guard chance > 0 else { return 0 }
        return chance < 1 ? UInt64(chance * 0x1p64) : .max
    }
}

/// Tables for drawing an index in O(1) with any weights (Walker, 1977), set up in O(*n*) (Vose, 1991).
enum AliasTable {
    /// A column: a fraction below `cutoff` stays at its index, any other goes to `alias`.
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
        // What is left over in either list differs from a full column by rounding only.
        return entries
    }
}
