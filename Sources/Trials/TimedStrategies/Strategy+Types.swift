public import CacheStrategies
public import Foundation
public import Origins

extension Strategy {
    /// A synchronous strategy; its clients are dedicated threads.
    @inlinable
    public init<
        Integer: SynchronousCacheStrategy<Int, TrialValue>, Text: SynchronousCacheStrategy<String, TrialValue>,
        Locator: SynchronousCacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: KeyedStrategy(blocking: integer), string: KeyedStrategy(blocking: string),
            url: KeyedStrategy(blocking: url))
    }

    /// A synchronous strategy with whole numbers as keys.
    @inlinable
    public init<Integer: SynchronousCacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: KeyedStrategy(blocking: integer))
    }

    /// A synchronous strategy with strings as keys.
    @inlinable
    public init<Text: SynchronousCacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: KeyedStrategy(blocking: string))
    }

    /// A synchronous strategy with URLs as keys.
    @inlinable
    public init<Locator: SynchronousCacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: KeyedStrategy(blocking: url))
    }
}

extension Strategy {
    /// A strategy that suspends; its clients are tasks.
    @inlinable
    public init<
        Integer: CacheStrategy<Int, TrialValue>, Text: CacheStrategy<String, TrialValue>,
        Locator: CacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(suspending: integer, string, url)
    }

    /// A strategy that is called as suspending, even if it is synchronous.
    @inlinable
    package init<
        Integer: CacheStrategy<Int, TrialValue>, Text: CacheStrategy<String, TrialValue>,
        Locator: CacheStrategy<URL, TrialValue>
    >(suspending integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: KeyedStrategy(suspending: integer),
            string: KeyedStrategy(suspending: string), url: KeyedStrategy(suspending: url))
    }

    /// A strategy that suspends, with whole numbers as keys.
    @inlinable
    public init<Integer: CacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: KeyedStrategy(suspending: integer))
    }

    /// A strategy that suspends, with strings as keys.
    @inlinable
    public init<Text: CacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: KeyedStrategy(suspending: string))
    }

    /// A strategy that suspends, with URLs as keys.
    @inlinable
    public init<Locator: CacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: KeyedStrategy(suspending: url))
    }
}
