/// Which limits a cache can be given, and what it does with an entry that doesn't fit.
public struct LimitRules: Sendable, Hashable, Codable {
    /// What a limit of 0 means.
    public enum Zero: String, Sendable, Hashable, Codable, CaseIterable {
        /// The cache says nothing of it, and no check asks.
        case undeclared
        /// The cache holds nothing.
        case holdsNothing = "holds-nothing"
        /// There is no limit.
        case unlimited
        /// Opening throws.
        case refused
    }

    /// What becomes of the value a key has when its next one costs too much to be held.
    public enum RefusedReplacement: String, Sendable, Hashable, Codable, CaseIterable {
        /// The key has none from then on.
        case removesOld = "removes-old"
        /// The key keeps it: the insert has done nothing.
        case keepsOld = "keeps-old"
    }

    /// The least ``StrategyConfiguration/entryLimit`` that the cache opens with, besides 0. At least 1.
    public var smallest: Int {
        didSet { smallest = max(smallest, 1) }
    }
    /// What a limit of 0 means, of entries and of bytes alike.
    public var zero: Zero
    /// The most that one entry may cost, as a share of ``StrategyConfiguration/costLimit``; above 0 and up to 1. Whether an
    /// entry of exactly that cost is held is left open below 1.
    public var largestEntry: Double {
        didSet { largestEntry = Self.share(largestEntry) }
    }
    /// What becomes of the value a key has when its next one is refused.
    public var refusedReplacement: RefusedReplacement

    public init(
        smallest: Int = 1, zero: Zero = .undeclared, largestEntry: Double = 1,
        refusedReplacement: RefusedReplacement = .removesOld
    ) {
        self.smallest = max(smallest, 1)
        self.zero = zero
        self.largestEntry = Self.share(largestEntry)
        self.refusedReplacement = refusedReplacement
    }

    /// A share that can be divided by.
    private static func share(_ number: Double) -> Double { number > 0.001 ? min(number, 1) : 0.001 }
}
