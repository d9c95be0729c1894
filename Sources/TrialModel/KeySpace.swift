/// The keys of a scenario, numbered from 0 to `count - 1` and given to the strategy as the type that `kind` names.
package struct KeySpace: Codable, Hashable, Sendable {
    /// The key type that a strategy sees.
    package var kind: KeyKind
    /// How many keys there are.
    package var count: Int
    /// How often each key is requested, unless a phase sets its own popularity.
    package var popularity: Popularity
    /// How the popular keys change while a phase runs; `nil` means never.
    package var shift: PopularityShift?
    /// The trace that decides which keys are requested, in place of popularity and shift; `nil` means none.
    package var trace: KeyTrace?

    package init(
        kind: KeyKind, count: Int, popularity: Popularity, shift: PopularityShift? = nil, trace: KeyTrace? = nil
    ) {
        self.kind = kind
        self.count = count
        self.popularity = popularity
        self.shift = shift
        self.trace = trace
    }
}

/// The type of a key. Hashing differs: about 10 ns for an integer, 100 ns for a short string, 170 ns for a URL.
package enum KeyKind: String, Codable, Hashable, Sendable, CaseIterable {
    case url, string, integer
}

/// How often each key is requested.
package enum Popularity: Codable, Hashable, Sendable {
    /// Every key is equally likely.
    case uniform
    /// Zipf's law: rank *r* has a weight of 1 / *r* to the power of `exponent`.
    case zipf(exponent: Double)
    /// A share of the keys gets a share of the operations; both from 0 to 1.
    case hotspot(keys: Double, operations: Double)
    /// Zipf over age: the newest key is the most popular, and each `write` makes a new key the newest.
    case latest(exponent: Double)
    /// Keys in ascending order; the clients of a phase share one walk.
    case sequential
}

/// A moving popular set: after every `every` operations of a phase, the ranks shift by `by` keys.
package struct PopularityShift: Codable, Hashable, Sendable {
    /// The number of operations, of all clients of the phase, between two shifts.
    package var every: Int
    /// By how many keys the ranks shift.
    package var by: Int

    package init(every: Int, by: Int) {
        self.every = every
        self.by = by
    }
}

/// A phase's own choice of keys; absent values come from the scenario.
package struct KeySelection: Codable, Hashable, Sendable {
    /// The first key of the range that the phase uses.
    package var first: Int
    /// How many keys the range has; `nil` means up to the last key.
    package var count: Int?
    /// The popularity within the range.
    package var popularity: Popularity?
    /// The shift within the range.
    package var shift: PopularityShift?

    package init(first: Int = 0, count: Int? = nil, popularity: Popularity? = nil, shift: PopularityShift? = nil) {
        self.first = first
        self.count = count
        self.popularity = popularity
        self.shift = shift
    }
}
