public import CacheStrategies
public import Foundation
public import Origins

// The compiler selects these overloads for strategies whose types report tiers, so that the kernels of other strategies
// have no overhead.

extension Strategy {
    /// A synchronous strategy that reports the tier of a hit; its clients are dedicated threads.
    @inlinable
    public init<
        Integer: SynchronousTieredCacheStrategy<Int, TrialValue>,
        Text: SynchronousTieredCacheStrategy<String, TrialValue>,
        Locator: SynchronousTieredCacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: KeyedStrategy(blockingTiers: integer),
            string: KeyedStrategy(blockingTiers: string),
            url: KeyedStrategy(blockingTiers: url))
    }

    /// The same with whole numbers as keys.
    @inlinable
    public init<Integer: SynchronousTieredCacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: KeyedStrategy(blockingTiers: integer))
    }

    /// The same with strings as keys.
    @inlinable
    public init<Text: SynchronousTieredCacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: KeyedStrategy(blockingTiers: string))
    }

    /// The same with URLs as keys.
    @inlinable
    public init<Locator: SynchronousTieredCacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: KeyedStrategy(blockingTiers: url))
    }
}

extension Strategy {
    /// A strategy that suspends and reports the tier of a hit; its clients are tasks.
    @inlinable
    public init<
        Integer: TieredCacheStrategy<Int, TrialValue>, Text: TieredCacheStrategy<String, TrialValue>,
        Locator: TieredCacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: KeyedStrategy(suspendingTiers: integer),
            string: KeyedStrategy(suspendingTiers: string),
            url: KeyedStrategy(suspendingTiers: url))
    }

    /// The same with whole numbers as keys.
    @inlinable
    public init<Integer: TieredCacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: KeyedStrategy(suspendingTiers: integer))
    }

    /// The same with strings as keys.
    @inlinable
    public init<Text: TieredCacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: KeyedStrategy(suspendingTiers: string))
    }

    /// The same with URLs as keys.
    @inlinable
    public init<Locator: TieredCacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: KeyedStrategy(suspendingTiers: url))
    }
}
