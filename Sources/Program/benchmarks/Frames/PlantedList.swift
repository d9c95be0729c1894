import CacheStrategies
import Foundation
import Origins
import Platform
import TimedStrategies
import TrialModel

/// The fault of a cache of this program; in the environment of its process.
enum ListFault: String, CaseIterable, Sendable {
    /// No fault.
    case none
    /// One look-up blocks its caller for 20 ms.
    case blocksOnce = "blocks-once"
    /// A look-up of a key that is being loaded waits for the load.
    case waitsForLoads = "waits-for-loads"
    /// A look-up decodes what it found.
    case decodesInLookUp = "decodes-in-look-up"
    /// A full cache evicts 10,000 entries at once and holds its lock.
    case evictsUnderLock = "evicts-under-lock"
    /// A load returns the value of another cell.
    case answersOtherCell = "answers-other-cell"
    /// A load continues after its caller has given up.
    case ignoresCancellation = "ignores-cancellation"

    /// The variable that holds it.
    static let variable = "CACHE_TRIALS_LIST_FAULT"

    /// The fault of this process; none when the variable is missing or unknown.
    static let current = ProcessInfo.processInfo.environment[variable].flatMap(ListFault.init) ?? .none

    /// The look-up that blocks, counted from 1.
    static let blockedLookUp: UInt64 = 700
}

/// A small LRU cache with the fault of its process, for callers on threads.
final class PlantedList<Key: Hashable & Sendable>: SynchronousCacheStrategy, @unchecked Sendable {
    typealias Value = Payload

    private let cache: LRUCache<Key, Payload>
    private let fault = ListFault.current
    // Every access to the variables happens while `condition` is held.
    private let condition = NSCondition()
    private var loading: Set<Key> = []
    private var lookUps = 0
    private var inserts = 0
    private var last: Payload?

    init(configuration: StrategyConfiguration) {
        cache = LRUCache(configuration: configuration)
    }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "planted-list", summary: "a cache with a bug that a scrolling list reveals")
    }

    func value(forKey key: Key) -> Payload? {
        switch fault {
        case .blocksOnce:
            if UInt64(count(\.lookUps)) == ListFault.blockedLookUp { Thread.sleep(forTimeInterval: 0.02) }
        case .waitsForLoads: condition.withLock { while loading.contains(key) { condition.wait() } }
        case .decodesInLookUp:
            let value = cache.value(forKey: key)
            if value != nil { Self.work(nanoseconds: 6_000_000) }
            return value
        case .evictsUnderLock: condition.withLock {}
        case .none, .answersOtherCell, .ignoresCancellation: break
        }
        return cache.value(forKey: key)
    }

    func insert(_ value: Payload, forKey key: Key, cost: Int) {
        cache.insert(value, forKey: key, cost: cost)
        guard fault == .evictsUnderLock, count(\.inserts).isMultiple(of: 5) else { return }
        // An eviction that removes a file takes about a microsecond and a half.
        condition.withLock { for _ in 0..<10_000 { Self.work(nanoseconds: 1_500) } }
    }

    func removeValue(forKey key: Key) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }

    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Payload> {
        condition.withLock { _ = loading.insert(key) }
        defer {
            condition.withLock {
                loading.remove(key)
                condition.broadcast()
            }
        }
        let value = try Payload(encoded: try fetch())
        insert(value, forKey: key, cost: value.cost)
        guard fault == .answersOtherCell else { return Loaded(value, .loaded) }
        let other = condition.withLock {
            defer { last = value }
            return last
        }
        return Loaded(other ?? value, .loaded)
    }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Payload> {
        try await loadUnshared(key, fetch: fetch)
    }

    private func count(_ counter: ReferenceWritableKeyPath<PlantedList, Int>) -> Int {
        condition.withLock {
            self[keyPath: counter] += 1
            return self[keyPath: counter]
        }
    }

    /// Keeps the processor busy.
    private static func work(nanoseconds: UInt64) {
        let end = Nanoclock.now() + nanoseconds
        while Nanoclock.now() < end {}
    }
}

/// The same for callers that are tasks, with the fault that needs tasks.
final class PlantedTaskList<Key: Hashable & Sendable>: CacheStrategy {
    typealias Value = Payload

    private let cache: LRUCache<Key, Payload>
    private let fault = ListFault.current

    init(configuration: StrategyConfiguration) {
        cache = LRUCache(configuration: configuration)
    }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "planted-task-list", summary: "the same, for callers that are tasks")
    }

    func value(forKey key: Key) async -> Payload? { cache.value(forKey: key) }
    func insert(_ value: Payload, forKey key: Key, cost: Int) async { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) async { cache.removeValue(forKey: key) }
    func removeAll() async { cache.removeAll() }
    func statistics() async -> CacheStatistics { cache.statistics() }
    func close() async {}

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Payload> {
        let cache = cache
        let task = Task.detached {
            let value = try Payload(encoded: try await fetch())
            cache.insert(value, forKey: key, cost: value.cost)
            return value
        }
        if fault == .ignoresCancellation { return Loaded(try await task.value, .loaded) }
        return Loaded(
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }, .loaded)
    }
}
