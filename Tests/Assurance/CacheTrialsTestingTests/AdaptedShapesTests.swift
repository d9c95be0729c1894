import CacheTrialsTesting
import Foundation
import Testing

/// Caches behind their calls in orders and histories: sound ones are accused of nothing, whatever they lack.
@Suite(.timeLimit(.minutes(2)))
struct AdaptedShapesTests {
    private static func declaration(_ name: String, _ promises: Promises = Promises(limit: .none))
        -> StrategyDeclaration
    {
        StrategyDeclaration(name: name, summary: "a dictionary", promises: promises)
    }

    /// What a cache can remove.
    enum Removal: String, CaseIterable { case nothing, everything, oneKey }

    @Test(arguments: Removal.allCases)
    func `a cache without some removals is not accused by orders and histories`(of removal: Removal) async throws {
        @Sendable func operations<Key: Hashable & Sendable, Value: CacheableValue>() -> CacheOperations<Key, Value> {
            let table = Table<Key, Value>()
            let get: CacheOperations<Key, Value>.Get = { table[$0] }
            let set: CacheOperations<Key, Value>.Insert = { value, key, _ in table[key] = value }
            return switch removal {
            case .nothing: CacheOperations(get: get, set: set)
            case .everything: CacheOperations(get: get, set: set, removeAll: { table.removeAll() })
            case .oneKey: CacheOperations(get: get, set: set, remove: { table[$0] = nil })
            }
        }
        let declaration = Self.declaration("removes-\(removal)")
        await expectConsistentOrders(adapting: declaration, orders: 300) { _ in operations() }
        try await expectConsistentHistories(adapting: declaration, operations: 4_000) { _ in operations() }
    }

    @Test func `an adapter that passes no cancellation on is not accused of that`() async {
        await withKnownIssue(isIntermittent: true) {
            await expectConsistentOrders(adapting: Self.declaration("blocking"), orders: 200) { _ in
                let table = Table<Int, OrderedValue>()
                return CacheOperations(
                    get: { table[$0] }, set: { value, key, _ in table[key] = value }, remove: { table[$0] = nil },
                    loadBlocking: { key, fetch in try table.load(key) { try OrderedValue(encoded: fetch()) } },
                    removeAll: { table.removeAll() })
            }
            await expectConsistentOrders(adapting: Self.declaration("completing"), orders: 200) { _ in
                .completing(Table<Int, OrderedValue>())
            }
        } matching: { issue in
            // The adapter's own tasks, where the order can't choose when they run.
            issue.severity == .warning && "\(issue)".contains("not all interleavings can be chosen")
        }
    }

    @Test func `a load that joins the fetch of a caller who has given up is no hit`() async {
        let promises = Promises(coalescesLoads: true, limit: .none, keepsNewerWrites: true)
        await expectConsistentOrders(adapting: Self.declaration("given-up", promises), orders: 2_000) { _ in
            let cache = GivesUp<Int, OrderedValue>()
            return CacheOperations(
                get: { await cache.value($0) }, set: { value, key, _ in await cache.change(key, value) },
                remove: { await cache.change($0, nil) },
                load: { key, fetch in try await cache.load(key) { try OrderedValue(encoded: await fetch()) } },
                removeAll: { await cache.removeAll() })
        }
    }

    @Test func `a load that waits and then hits is not taken for one that joined`() async throws {
        let promises = Promises(coalescesLoads: true, limit: .none)
        let contract = CacheContract(adapting: Self.declaration("one-at-a-time", promises)) { _ in
            let cache = OneLoadAtATime<String, TrackedValue>()
            return CacheOperations(
                get: { await cache.entries[$0] }, set: { value, key, _ in await cache.change(key, value) },
                remove: { await cache.change($0, nil) },
                load: { key, fetch in try await cache.load(key) { try TrackedValue(encoded: await fetch()) } },
                removeAll: { await cache.removeAll() })
        }
        let checks = contract.checks(only: "loads no value older than its change")
        #expect(checks.count == 1)
        for check in checks { try await check() }
    }

    @Test(arguments: [true, false])
    func `a durable adapter is reopened after it was closed, or not at all`(closes: Bool) async throws {
        let promises = Promises(limit: .none, durability: .orderlyClose)
        let contract = CacheContract(adapting: Self.declaration("write-behind", promises)) { configuration in
            guard let folder = configuration.directory else { throw NoFolder() }
            let cache = WritesBehind(folder)
            let flush: CacheOperations<String, TrackedValue>.Close = { try cache.flush() }
            return CacheOperations(
                get: { cache[$0] }, set: { value, key, _ in cache[key] = value }, remove: { cache[$0] = nil },
                removeAll: { cache.removeAll() }, close: closes ? flush : nil)
        }
        let checks = contract.checks(only: "a reopened cache holds")
        #expect(checks.map { $0.name.hasPrefix("left out without close: ") } == [!closes])
        if closes { for check in checks { try await check() } }
    }

    @Test func `a timer that removes expired entries late is not accused`() async throws {
        let declaration = StrategyDeclaration(
            name: "late-timer", summary: "a timer removes what has expired",
            promises: Promises(limit: .none, timeToLive: .fixed(by: .system)), worksInBackground: true)
        let contract = CacheContract(adapting: declaration) { configuration in
            let table = Table<String, TrackedValue>()
            let lifetime = (configuration.timeToLive ?? .seconds(3_600)) / .seconds(1)
            return CacheOperations(
                get: { table[$0] },
                set: { value, key, _ in
                    let count = table.insert(value, key)
                    // As on a machine that is busy when the timer should fire.
                    DispatchQueue.global().asyncAfter(deadline: .now() + lifetime + 0.05) { table.drop(key, count) }
                }, remove: { table[$0] = nil }, removeAll: { table.removeAll() })
        }
        let checks = contract.checks(only: "entries live exactly as long")
        #expect(checks.count == 1)
        for check in checks { try await check() }
    }
}

private struct NoFolder: Error {}

/// A dictionary behind a lock.
private final class Table<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Unchecked, because both are mutable; `lock` guards them.
    private let lock = NSLock()
    private var entries: [Key: (value: Value, count: Int)] = [:]
    private var count = 0

    subscript(key: Key) -> Value? {
        get { lock.withLock { entries[key]?.value } }
        set {
            guard let newValue else { return lock.withLock { entries[key] = nil } }
            _ = insert(newValue, key)
        }
    }

    /// - Returns: the number of the insert.
    func insert(_ value: Value, _ key: Key) -> Int {
        lock.withLock {
            count += 1
            entries[key] = (value, count)
            return count
        }
    }

    /// Removes what an insert left.
    func drop(_ key: Key, _ count: Int) { lock.withLock { if entries[key]?.count == count { entries[key] = nil } } }

    func removeAll() { lock.withLock { entries = [:] } }

    func load(_ key: Key, _ make: () throws -> Value) rethrows -> Value {
        if let value = self[key] { return value }
        let value = try make()
        self[key] = value
        return value
    }
}

extension CacheOperations where Key == Int, Value == OrderedValue {
    fileprivate static func completing(_ table: Table<Int, OrderedValue>) -> CacheOperations {
        .withCompletions(
            get: { key, done in done(table[key]) },
            set: { value, key, _, done in
                table[key] = value
                done(())
            },
            remove: { key, done in
                table[key] = nil
                done(())
            },
            load: { key, fetch, done in
                if let value = table[key] { return done(.success(value)) }
                fetch { bytes in
                    done(
                        Result {
                            let value = try OrderedValue(encoded: bytes.get())
                            table[key] = value
                            return value
                        })
                }
            },
            removeAll: { done in
                table.removeAll()
                done(())
            })
    }
}

/// Callers share a fetch, which goes on when one of them gives up.
private actor GivesUp<Key: Hashable & Sendable, Value: Sendable> {
    private struct Load {
        var task: Task<Value, any Error>
        var number: Int
    }

    private var entries: [Key: Value] = [:]
    private var loads: [Key: Load] = [:]
    private var count = 0

    func value(_ key: Key) -> Value? { entries[key] }

    func change(_ key: Key, _ value: Value?) {
        entries[key] = value
        loads[key] = nil
    }

    func removeAll() { (entries, loads) = ([:], [:]) }

    func load(_ key: Key, _ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let value = entries[key] { return value }
        if loads[key] == nil {
            count += 1
            let number = count
            let task = Task {
                let result: Result<Value, any Error>
                do { result = .success(try await make()) } catch { result = .failure(error) }
                self.end(key, number, result)
                return try result.get()
            }
            loads[key] = Load(task: task, number: number)
        }
        guard let task = loads[key]?.task else { throw CancellationError() }
        let answer = OnlyAnswer<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                answer.caller(caller)
                Task { answer.give(await task.result) }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }

    private func end(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
        guard loads[key]?.number == number else { return }
        loads[key] = nil
        if let value = try? result.get() { entries[key] = value }
    }
}

/// The first of several answers.
private final class OnlyAnswer<Value: Sendable>: @unchecked Sendable {
    // Unchecked, because both are mutable; `lock` guards them.
    private let lock = NSLock()
    private var waiting: CheckedContinuation<Value, any Error>?
    private var answer: Result<Value, any Error>?

    func caller(_ caller: CheckedContinuation<Value, any Error>) {
        let known = lock.withLock {
            if answer == nil { waiting = caller }
            return answer
        }
        if let known { caller.resume(with: known) }
    }

    func give(_ result: Result<Value, any Error>) {
        let caller = lock.withLock {
            defer { waiting = nil }
            if answer == nil { answer = result }
            return waiting
        }
        caller?.resume(with: result)
    }
}

/// A load waits until the earlier one of its key has ended, and then looks up.
private actor OneLoadAtATime<Key: Hashable & Sendable, Value: Sendable> {
    private(set) var entries: [Key: Value] = [:]
    private var latest: [Key: Task<Value, any Error>] = [:]

    func change(_ key: Key, _ value: Value?) { entries[key] = value }
    func removeAll() { entries = [:] }

    func load(_ key: Key, _ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let last = latest[key]
        let task = Task {
            _ = await last?.result
            return try await self.loadNext(key, make)
        }
        latest[key] = task
        return try await task.value
    }

    private func loadNext(_ key: Key, _ make: @Sendable () async throws -> Value) async throws -> Value {
        if let value = entries[key] { return value }
        let value = try await make()
        entries[key] = value
        return value
    }
}

/// Reads its file when it is opened, and writes it when it is closed.
private final class WritesBehind: @unchecked Sendable {
    // Unchecked, because `entries` is mutable; `lock` guards it.
    private let lock = NSLock()
    private let file: URL
    private var entries: [String: TrackedValue]

    init(_ folder: URL) {
        file = folder.appendingPathComponent("entries.json")
        let known = (try? JSONDecoder().decode([String: Data].self, from: Data(contentsOf: file))) ?? [:]
        entries = known.compactMapValues { try? TrackedValue(encoded: $0) }
    }

    subscript(key: String) -> TrackedValue? {
        get { lock.withLock { entries[key] } }
        set { lock.withLock { entries[key] = newValue } }
    }

    func removeAll() { lock.withLock { entries = [:] } }

    func flush() throws {
        try lock.withLock { try JSONEncoder().encode(entries.mapValues { $0.encoded() }).write(to: file) }
    }
}
