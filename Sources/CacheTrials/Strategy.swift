public import CacheStrategies
public import Foundation
public import Payloads
public import ScheduleExploration
public import TrialRunner

/// What caches on trial hold: pixels, an article or bytes, which say themselves whether they are the right ones and whole.
public typealias TrialValue = Payload

/// What caches hold whose schedules are explored; see ``Strategy/exploring(_:)``.
public typealias ScheduleValue = ScriptedValue

/// A strategy of your own, to be put on trial beside those that are built in.
///
/// ```swift
/// Strategy(FastCache<Int, TrialValue>.self, FastCache<String, TrialValue>.self, FastCache<URL, TrialValue>.self)
/// ```
///
/// Each scenario says what its keys are, so that a strategy is named with a type for each kind. One that knows a single
/// kind of keys is named with that one, and left out of scenarios with others.
///
/// The types' own operations are compiled in your module, and a trial calls them through one function pointer each. In an
/// optimised build that costs a synchronous strategy less than can be told from noise beside a built-in one, and one that
/// suspends some 30 ns. Where the cache is in another module than the one that makes a `Strategy`,
/// mark its operations `@inlinable`.
public struct Strategy: Sendable {
    private let declaration: StrategyDeclaration
    private let integer: BoxedTrial<Int>?
    private let string: BoxedTrial<String>?
    private let url: BoxedTrial<URL>?
    private var explorer: StrategyExplorer?

    @usableFromInline
    init(
        _ declaration: StrategyDeclaration, integer: BoxedTrial<Int>? = nil, string: BoxedTrial<String>? = nil,
        url: BoxedTrial<URL>? = nil
    ) {
        self.declaration = declaration
        self.integer = integer
        self.string = string
        self.url = url
    }

    /// The same strategy, whose schedules `run --explore` can explore: all its callers as tasks, in orders that seeds
    /// choose.
    ///
    /// - Parameter type: the strategy with whole numbers as keys and values of a few bytes. Its callers suspend and never
    ///   block their thread, and it does its work in tasks.
    public func exploring<Explored: CacheStrategy<Int, ScheduleValue>>(_ type: Explored.Type) -> Strategy {
        var copy = self
        copy.explorer = StrategyExplorer(type)
        return copy
    }

    /// The strategy as the verbs know it.
    var registration: StrategyRegistration {
        StrategyRegistration(declaration, integer: integer, string: string, url: url, explorer: explorer)
    }
}

extension Strategy {
    /// A synchronous strategy; its clients are dedicated threads.
    @inlinable
    public init<
        Integer: SynchronousCacheStrategy<Int, TrialValue>, Text: SynchronousCacheStrategy<String, TrialValue>,
        Locator: SynchronousCacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: BoxedTrial(integer), string: BoxedTrial(string), url: BoxedTrial(url))
    }

    /// A synchronous strategy with whole numbers as keys.
    @inlinable
    public init<Integer: SynchronousCacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: BoxedTrial(integer))
    }

    /// A synchronous strategy with strings as keys.
    @inlinable
    public init<Text: SynchronousCacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: BoxedTrial(string))
    }

    /// A synchronous strategy with URLs as keys.
    @inlinable
    public init<Locator: SynchronousCacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: BoxedTrial(url))
    }
}

extension Strategy {
    /// A strategy that suspends; its clients are tasks.
    @inlinable
    public init<
        Integer: CacheStrategy<Int, TrialValue>, Text: CacheStrategy<String, TrialValue>,
        Locator: CacheStrategy<URL, TrialValue>
    >(_ integer: Integer.Type, _ string: Text.Type, _ url: Locator.Type) {
        self.init(
            Integer.declaration, integer: BoxedTrial(integer), string: BoxedTrial(string), url: BoxedTrial(url))
    }

    /// A strategy that suspends, with whole numbers as keys.
    @inlinable
    public init<Integer: CacheStrategy<Int, TrialValue>>(_ integer: Integer.Type) {
        self.init(Integer.declaration, integer: BoxedTrial(integer))
    }

    /// A strategy that suspends, with strings as keys.
    @inlinable
    public init<Text: CacheStrategy<String, TrialValue>>(_ string: Text.Type) {
        self.init(Text.declaration, string: BoxedTrial(string))
    }

    /// A strategy that suspends, with URLs as keys.
    @inlinable
    public init<Locator: CacheStrategy<URL, TrialValue>>(_ url: Locator.Type) {
        self.init(Locator.declaration, url: BoxedTrial(url))
    }
}
