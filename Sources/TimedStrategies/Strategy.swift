public import CacheStrategies
public import Foundation
public import Origins
public import Schedules
package import TrialModel

/// What caches on trial hold: pixels, an article or bytes, which say themselves whether they are the right ones and whole.
public typealias TrialValue = Payload

/// What caches hold whose schedules are explored; see `Strategy.exploring(_:)`.
public typealias ScheduleValue = ScriptedValue

// `Payload` has the members already.
extension Payload: CacheableValue {}

/// A strategy that can be put on trial: built in, or your own beside those.
///
/// ```swift
/// Strategy(FastCache<Int, TrialValue>.self, FastCache<String, TrialValue>.self, FastCache<URL, TrialValue>.self)
/// ```
///
/// Each scenario says what its keys are, so that a strategy is named with a type for each kind. One that knows a single
/// kind of keys is named with that one, and left out of scenarios with others.
///
/// The types' own operations are compiled in your module, with both readings of the clock around each call, so that what a
/// trial measures holds nothing but your code, as with the built-in strategies. Where the cache is in another module
/// than the one that makes a `Strategy`, mark its operations `@inlinable`.
public struct Strategy: Sendable {
    /// What the strategy is called and what it promises.
    package internal(set) var declaration: StrategyDeclaration
    /// What carries its clients unless the scenario says otherwise.
    package private(set) var preferredDriver: Driver
    /// Whether it can't be called from a thread that is no task.
    package let suspends: Bool
    /// Explores the orders in which its callers' tasks may run; `nil` where that can't be.
    package internal(set) var explorer: StrategyExplorer?
    /// The type whose schedules are explored where its loads are shared; `nil` where that can't be.
    var explored: (any CacheStrategy<Int, ScheduleValue>.Type)?
    /// Whether it runs only where it is named, because it starts a program or is slow.
    package private(set) var isNamedOnly = false
    /// Why it can't be opened on this machine without the address of a server; `nil` when it can.
    package private(set) var absence: @Sendable () -> String? = { nil }

    var integer: KeyedStrategy<Int>?
    var string: KeyedStrategy<String>?
    var url: KeyedStrategy<URL>?

    @usableFromInline
    init(
        _ declaration: StrategyDeclaration, integer: KeyedStrategy<Int>? = nil, string: KeyedStrategy<String>? = nil,
        url: KeyedStrategy<URL>? = nil
    ) {
        self.declaration = declaration
        self.integer = integer
        self.string = string
        self.url = url
        suspends = [integer?.suspends, string?.suspends, url?.suspends].contains(true)
        preferredDriver = suspends ? .tasks : .threads
    }

    /// The same strategy, whose schedules `run --explore` can explore: all its callers as tasks, in orders that seeds
    /// choose.
    ///
    /// - Parameter type: the strategy with whole numbers as keys and values of a few bytes. Its callers suspend and never
    ///   block their thread, and it does its work in tasks.
    public func exploring<Explored: CacheStrategy<Int, ScheduleValue>>(_ type: Explored.Type) -> Strategy {
        exploring(by: StrategyExplorer(type)).exploringShared(type)
    }

    /// The same for a strategy whose callers block their threads: the threads that it locks out, wakes and starts, and the
    /// blocks of its queues, go on in orders that seeds choose.
    ///
    /// - Parameter type: the strategy with whole numbers as keys and values of a few bytes. It synchronises with locks,
    ///   conditions, semaphores and queues of the platform; what else it uses is named, or has to be declared with
    ///   `usesAtomics`.
    public func exploring<Explored: SynchronousCacheStrategy<Int, ScheduleValue>>(_ type: Explored.Type) -> Strategy {
        exploring(by: StrategyExplorer(threads: type)).exploringShared(type)
    }

    /// The same for a strategy whose callers suspend, and that works on threads or queues of its own: tasks and threads go
    /// on in orders that seeds choose.
    ///
    /// - Parameter type: as above.
    public func exploring<Explored: CacheStrategy<Int, ScheduleValue>>(withThreads type: Explored.Type) -> Strategy {
        exploring(by: StrategyExplorer(withThreads: type))
    }
}

extension Strategy {
    /// The same strategy with an explorer of its schedules.
    package func exploring(by explorer: StrategyExplorer) -> Strategy {
        var changed = self
        changed.explorer = explorer
        return changed
    }

    /// The same strategy, whose schedules can be explored when its loads are shared.
    ///
    /// - Parameter type: as for `exploring(_:)`, but its callers may be synchronous: no thread is blocked while a load that
    ///   is shared fetches.
    package func exploringShared(_ type: any CacheStrategy<Int, ScheduleValue>.Type) -> Strategy {
        var changed = self
        changed.explored = type
        return changed
    }

    /// The same strategy under another name.
    package func named(_ name: String) -> Strategy {
        var changed = self
        changed.declaration.name = name
        return changed
    }

    /// The same strategy, whose clients are tasks unless the scenario says otherwise.
    package func drivenByTasks() -> Strategy {
        var changed = self
        changed.preferredDriver = .tasks
        return changed
    }

    /// The same strategy, to be run only where it is named.
    ///
    /// - Parameter absence: why it can't be opened on this machine; `nil` when it can.
    package func namedOnly(absence: @escaping @Sendable () -> String? = { nil }) -> Strategy {
        var changed = self
        changed.isNamedOnly = true
        changed.absence = absence
        return changed
    }

    /// Why its schedules can't be explored; `nil` when they can.
    package var whyNotExplorable: String? {
        if explorer != nil { return nil }
        // A strategy of another package may have named no type for that.
        return suspends ? "it works on threads of its own, or has no explorer" : "it names no type to explore"
    }

    /// How its orders can be explored, in a word or two.
    package var explorability: String {
        guard let explorer else { return "no: \(whyNotExplorable ?? "")" }
        return explorer.carrier.rawValue + (declaration.usesAtomics ? ", but for its atomics" : "")
    }

    /// The type for string keys, for checks that run outside a trial; `nil` where it has none.
    package var stringKeyed: (any CacheStrategy<String, Payload>.Type)? { string?.type }

    /// The type for whole numbers as keys.
    package var integerKeyed: (any CacheStrategy<Int, Payload>.Type)? { integer?.type }

    /// The type for URLs as keys.
    package var urlKeyed: (any CacheStrategy<URL, Payload>.Type)? { url?.type }

    /// Whether it is declared for one caller at a time and has no lock around it.
    package var isUnguarded: Bool {
        declaration.callers == .one && types.contains { $0.map { !($0 is any GuardedStrategy.Type) } ?? false }
    }

    /// Whether it gives memory back when it is asked to.
    package var respondsToMemoryPressure: Bool {
        types.contains { $0.map { $0 is any RespondsToMemoryPressure.Type } ?? false }
    }

    /// Whether it has a prefetch of its own.
    package var prefetches: Bool { types.contains { $0.map { $0 is any PrefetchingCacheStrategy.Type } ?? false } }

    /// Whether it tells where hits were.
    package var tellsTiers: Bool { types.contains { $0.map { $0 is any TieredCacheStrategy.Type } ?? false } }

    private var types: [Any.Type?] { [integer?.type, string?.type, url?.type] }

    /// Whether it can be put on trial under a scenario with keys of a kind.
    package func takes(_ kind: KeyKind) -> Bool {
        switch kind {
        case .integer: integer != nil
        case .string: string != nil
        case .url: url != nil
        }
    }

    /// Makes the keys 0 to `keyCount` - 1 of a kind. O(keyCount).
    ///
    /// - Returns: what opens caches with these keys.
    /// - Throws: ``HarnessError`` when the strategy has no type for such keys.
    package func opening(_ kind: KeyKind, keyCount: Int) throws -> StrategyOpening {
        let opening =
            switch kind {
            case .integer: integer?.opening(keyCount: keyCount)
            case .string: string?.opening(keyCount: keyCount)
            case .url: url?.opening(keyCount: keyCount)
            }
        guard let opening else { throw HarnessError("\(declaration.name) has no type for \(kind.rawValue) keys") }
        return opening
    }
}

/// Opens a cache for keys that exist already.
package typealias StrategyOpening = @Sendable (StrategyConfiguration) throws -> OpenStrategy

/// A strategy's type for one kind of keys, and how it is opened for a trial.
@usableFromInline
struct KeyedStrategy<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let type: any CacheStrategy<Key, Payload>.Type
    /// Whether its callers need tasks.
    @usableFromInline let suspends: Bool
    @usableFromInline let open: @Sendable (StrategyConfiguration, TrialKeys<Key>) throws -> OpenStrategy

    init(
        type: any CacheStrategy<Key, Payload>.Type, suspends: Bool,
        open: @escaping @Sendable (StrategyConfiguration, TrialKeys<Key>) throws -> OpenStrategy
    ) {
        self.type = type
        self.suspends = suspends
        self.open = open
    }

    /// A strategy that suspends.
    @inlinable
    init<Cache: CacheStrategy<Key, Payload>>(suspending type: Cache.Type) {
        self.type = type
        suspends = true
        open = { OpenStrategy(suspending: try Cache(configuration: $0), $1) }
    }

    /// A synchronous strategy.
    @inlinable
    init<Cache: SynchronousCacheStrategy<Key, Payload>>(blocking type: Cache.Type) {
        self.type = type
        suspends = false
        open = { OpenStrategy(blocking: try Cache(configuration: $0), $1) }
    }

    /// A strategy that suspends and tells where hits were.
    @inlinable
    init<Cache: TieredCacheStrategy<Key, Payload>>(suspendingTiers type: Cache.Type) {
        self.type = type
        suspends = true
        open = { OpenStrategy(suspendingTiers: try Cache(configuration: $0), $1) }
    }

    /// A synchronous strategy that tells where hits were.
    @inlinable
    init<Cache: SynchronousTieredCacheStrategy<Key, Payload>>(blockingTiers type: Cache.Type) {
        self.type = type
        suspends = false
        open = { OpenStrategy(blockingTiers: try Cache(configuration: $0), $1) }
    }
}

extension KeyedStrategy where Key: TrialKey {
    func opening(keyCount: Int) -> StrategyOpening {
        let keys = TrialKeys(count: keyCount, make: Key.init(trialKeyNumber:))
        return { [open] in try open($0, keys) }
    }
}
