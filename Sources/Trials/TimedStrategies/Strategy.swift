public import CacheStrategies
public import Foundation
public import Origins
public import Schedules
package import TrialModel

/// The values of caches on trial: pixels, an article or bytes. A value can check that it belongs to its key and is
/// complete.
public typealias TrialValue = Payload

/// The values of caches whose schedules are explored; see `Strategy.exploring(_:)`.
public typealias ScheduleValue = ScriptedValue

// `Payload` already has the required members.
extension Payload: CacheableValue {}

/// A strategy that can be put on trial: built in, or your own.
///
/// ```swift
/// Strategy(FastCache<Int, TrialValue>.self, FastCache<String, TrialValue>.self, FastCache<URL, TrialValue>.self)
/// ```
///
/// Each scenario chooses its kind of keys, so a strategy is given as one type per kind. A strategy that supports a
/// single kind is given with that type, and left out of scenarios with other kinds.
///
/// The operations of the types are compiled in your module, with the two readings of the clock around each call. A
/// trial therefore measures only your code, as with the built-in strategies. If the cache is in another module than the
/// code that creates the `Strategy`, mark its operations `@inlinable`.
public struct Strategy: Sendable {
    /// The strategy's name and promises.
    package internal(set) var declaration: StrategyDeclaration
    /// The driver of its clients unless the scenario sets one.
    package private(set) var preferredDriver: Driver
    /// Whether it can only be called from a task.
    package let suspends: Bool
    /// Explores the orders in which its callers' tasks may run; `nil` when they cannot be explored.
    package internal(set) var explorer: StrategyExplorer?
    /// The type whose schedules are explored with shared loads; `nil` when they cannot be explored.
    var explored: (any CacheStrategy<Int, ScheduleValue>.Type)?
    /// The group of a strategy that runs only when it or its group is named: because it starts a program or is slow, or
    /// answers one question. `nil` for one that runs with those of its role.
    package private(set) var group: String?
    /// Why it cannot be opened on this machine without the address of a server; `nil` when it can.
    package private(set) var absence: @Sendable () -> String? = { nil }

    /// What can be asked of it.
    package internal(set) var available: @Sendable () -> CacheCalls = { .all }
    /// Whether it is a cache behind its calls, whose type does not declare anything.
    package internal(set) var isAdapted = false

    /// Why Thread Sanitizer can't judge it; `nil` when it can.
    package private(set) var whyRacesAreUnknown: String?

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

    /// The same strategy with schedules that `explore` can explore: all callers are tasks, and seeds choose the order in
    /// which tasks, threads and the blocks of queues run.
    ///
    /// - Parameter type: the strategy with whole numbers as keys and values of a few bytes.
    public func exploring<Explored: CacheStrategy<Int, ScheduleValue>>(_ type: Explored.Type) -> Strategy {
        exploring(by: StrategyExplorer(type)).exploringShared(type)
    }

    /// The same strategy with explorable schedules, for callers that block their threads: seeds choose the order in
    /// which its threads and the blocks of its queues run.
    ///
    /// - Parameter type: the strategy with whole numbers as keys and values of a few bytes. It synchronises with locks,
    ///   conditions, semaphores and queues of the platform, and with atomics in code that is compiled for it. Other
    ///   means of synchronisation are reported.
    public func exploring<Explored: SynchronousCacheStrategy<Int, ScheduleValue>>(_ type: Explored.Type) -> Strategy {
        exploring(by: StrategyExplorer(threads: type)).exploringShared(type)
    }
}

extension Strategy {
    /// The same strategy, which `races` does not run: for a cache that Thread Sanitizer reports although it is correct, such as
    /// one behind `Synchronization.Mutex` on Linux.
    ///
    /// - Parameter reason: what the sanitizer does not see; the result has it beside the verdict `none`.
    public func withoutVerdictOnRaces(_ reason: String) -> Strategy {
        with { $0.whyRacesAreUnknown = reason }
    }
}

extension Strategy {
    /// The same strategy with an explorer of its schedules.
    package func exploring(by explorer: StrategyExplorer) -> Strategy {
        with { $0.explorer = explorer }
    }

    /// The same strategy with schedules that can be explored when its loads are shared.
    ///
    /// - Parameter type: as for `exploring(_:)`, but its callers may be synchronous, because a fetch of a shared load
    ///   blocks no thread.
    package func exploringShared(_ type: any CacheStrategy<Int, ScheduleValue>.Type) -> Strategy {
        with { $0.explored = type }
    }

    /// The same strategy under another name.
    package func named(_ name: String) -> Strategy {
        with { $0.declaration.name = name }
    }

    /// The same strategy with tasks as clients, unless the scenario sets a driver.
    package func drivenByTasks() -> Strategy {
        with { $0.preferredDriver = .tasks }
    }

    /// The same strategy, to be run only when it or its group is named.
    ///
    /// - Parameter absence: why it cannot be opened on this machine; `nil` when it can.
    package func namedOnly(
        in group: String = "engines", absence: @escaping @Sendable () -> String? = { nil }
    ) -> Strategy {
        with { ($0.group, $0.absence) = (group, absence) }
    }

    /// Why its schedules cannot be explored; `nil` when they can.
    package var whyNotExplorable: String? {
        if explorer != nil { return nil }
        // A strategy of another package may have no type for exploration.
        return suspends ? "it works on its own threads, or has no explorer" : "it names no type to explore"
    }

    /// How its schedules can be explored, in a few words.
    package var explorability: String {
        guard let explorer else { return "no: \(whyNotExplorable ?? "")" }
        return explorer.carrier.rawValue + (declaration.usesAtomics ? ", except its atomics" : "")
    }

    /// The type for string keys, for checks that run outside a trial; `nil` if it has none.
    package var stringKeyed: (any CacheStrategy<String, Payload>.Type)? { string?.type }

    /// The type for integer keys.
    package var integerKeyed: (any CacheStrategy<Int, Payload>.Type)? { integer?.type }

    /// The type for URL keys.
    package var urlKeyed: (any CacheStrategy<URL, Payload>.Type)? { url?.type }

    /// The configuration with which its type for a kind of keys opens.
    package func prepared(_ configuration: StrategyConfiguration, forKeysOf type: Any.Type) -> StrategyConfiguration {
        let prepare = type == Int.self ? integer?.prepare : type == String.self ? string?.prepare : url?.prepare
        return prepare?(configuration) ?? configuration
    }

    /// The kinds of operations that it can be sent.
    package var operations: Set<OperationKind> {
        let calls = available()
        let needed: [(OperationKind, CacheCalls)] = [
            (.read, .lookUp), (.write, .insert), (.remove, .remove), (.clear, .removeAll),
        ]
        return Set(OperationKind.allCases).subtracting(needed.filter { !calls.isSuperset(of: $0.1) }.map(\.0))
    }

    /// Its type for one of the kinds of keys; `nil` if it has none.
    package var type: (any CacheStrategy.Type)? { types.lazy.compactMap { $0 as? any CacheStrategy.Type }.first }

    /// Whether it is declared for one caller at a time and has no lock around it.
    package var isUnguarded: Bool {
        declaration.callers == .one && types.contains { $0.map { !($0 is any GuardedStrategy.Type) } ?? false }
    }

    /// Whether it responds to memory pressure.
    package var respondsToMemoryPressure: Bool {
        types.contains { $0.map { $0 is any RespondsToMemoryPressure.Type } ?? false }
    }

    /// Whether it has its own prefetch.
    package var prefetches: Bool { types.contains { $0.map { $0 is any PrefetchingCacheStrategy.Type } ?? false } }

    /// Whether it reports the tier of a hit.
    package var tellsTiers: Bool { types.contains { ($0 as? any CacheStrategy.Type)?.reportsTiers ?? false } }

    private var types: [Any.Type?] { [integer?.type, string?.type, url?.type] }

    /// Whether it supports scenarios with a kind of keys.
    package func takes(_ kind: KeyKind) -> Bool {
        switch kind {
        case .integer: integer != nil
        case .string: string != nil
        case .url: url != nil
        }
    }

    /// Creates the keys 0 to `keyCount` - 1 of a kind. O(keyCount).
    ///
    /// - Returns: a function that opens caches with these keys.
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

/// Opens a cache for existing keys.
package typealias StrategyOpening = @Sendable (StrategyConfiguration) throws -> OpenStrategy

/// A strategy's type for one kind of keys, and how it is opened for a trial.
@usableFromInline
struct KeyedStrategy<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let type: any CacheStrategy<Key, Payload>.Type
    /// Whether its callers need tasks.
    @usableFromInline let suspends: Bool
    @usableFromInline let open: @Sendable (StrategyConfiguration, TrialKeys<Key>) throws -> OpenStrategy
    /// What its type opens with beside limits; `nil` where that is nothing.
    @usableFromInline var prepare: (@Sendable (StrategyConfiguration) -> StrategyConfiguration)?
}

extension KeyedStrategy {
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
}

extension KeyedStrategy where Key: TrialKey {
    func opening(keyCount: Int) -> StrategyOpening {
        let keys = TrialKeys(count: keyCount, make: Key.init(trialKeyNumber:))
        return { [open] in try open($0, keys) }
    }
}

extension Strategy: Changeable {}
