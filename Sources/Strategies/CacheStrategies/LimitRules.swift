/// Which limits a cache can be given, and what it does with an entry that doesn't fit.
public struct LimitRules: Sendable, Hashable, Codable {
    /// What a limit of 0 means.
    public enum Zero: String, Sendable, Hashable, Codable, CaseIterable {
        /// The cache declares nothing, and no check tests it.
        case undeclared
        /// The cache holds nothing.
        case holdsNothing = "holds-nothing"
        /// There is no limit.
        case unlimited
        /// Opening throws.
        case refused
    }

    /// What happens to a key's value when a new one costs too much to be held.
    public enum RefusedReplacement: String, Sendable, Hashable, Codable, CaseIterable {
        /// The key has no value from then on.
        case removesOld = "removes-old"
        /// The key keeps its value: the insert has done nothing.
        case keepsOld = "keeps-old"
    }

    /// The least ``StrategyConfiguration/entryLimit`` that the cache opens with, besides 0. At least 1.
    public var smallest: Int {
        didSet { smallest = max(smallest, 1) }
    }
    /// What a limit of 0 means, for entries and bytes alike.
    public var zero: Zero
    /// The most that one entry may cost, as a share of ``StrategyConfiguration/costLimit``; above 0 and up to 1. Below
    /// 1, whether an entry of exactly that cost is held is undefined.
    public var largestEntry: Double {
        didSet { largestEntry = Self.share(largestEntry) }
    }
    /// What happens to a key's value when a new one is refused.
    public var refusedReplacement: RefusedReplacement

    /// Rules for a cache's limits. `smallest` below 1 counts as 1, and `largestEntry` is clamped to 0.001 to 1.
    public init(
        smallest: Int = 1, zero: Zero = .undeclared, largestEntry: Double = 1,
        refusedReplacement: RefusedReplacement = .removesOld
    ) {
        self.smallest = max(smallest, 1)
        self.zero = zero
        self.largestEntry = Self.share(largestEntry)
        self.refusedReplacement = refusedReplacement
    }

    /// A share within the range from 0.001 to 1, so that it can be a divisor.
    private static func share(_ number: Double) -> Double { number > 0.001 ? min(number, 1) : 0.001 }
}
