import CacheTrialsTesting
import Foundation
import Testing

/// Caches of other shapes than the protocol's, behind their calls: sound ones are accused of nothing, whatever they lack.
@Suite(.timeLimit(.minutes(2)))
struct ShapesTests {
    /// The whole test of an author: a cache that only loads.
    static let memoizer = CacheContract(memoizing: "memoizer") { _ in
        let memoizer = Memoizer()
        return { name, fetch in try await memoizer.value(of: name) { try TrackedValue(encoded: await fetch()) } }
    }

    @Test(arguments: memoizer.checks)
    func `a memoizer keeps its contract`(_ check: ContractCheck) async throws { try await check() }

    @Test func `a memoizer is asked for nothing but loads`() {
        let names = Self.memoizer.checks.map(\.name)
        #expect(names.contains("callers that miss together share one fetch if so declared"))
        #expect(names.contains("cancelling one caller leaves the other callers their value"))
        #expect(names.contains("concurrent callers never see a value of another key"))
        #expect(names.contains("no value outlives the cache") && names.contains("a dropped cache releases its memory"))
        #expect(!names.contains { $0.contains("removed") || $0.contains("limit") || $0.contains("left out") })
    }

    @Test(arguments: [
        (Memoizer.Fault.keepsErrors, "a failed load leaves no state that later loads wait for"),
        (.sharesNothing, "callers that miss together share one fetch if so declared"),
        (.cancels, "cancelling one caller leaves the other callers their value"),
        (.mixesKeys, "keys that differ in little have values of their own"),
        (.leaks, "no value outlives the cache"),
        (.oneAtATime, "a fetch may use its cache, and one that loads its own key ends"),
    ])
    func `a fault of a memoizer is found`(_ fault: Memoizer.Fault, _ name: String) async {
        let contract = CacheContract(memoizing: "faulty") { _ in
            let memoizer = Memoizer(fault)
            return { name, fetch in try await memoizer.value(of: name) { try TrackedValue(encoded: await fetch()) } }
        }
        let failures = await contract.checks(only: name).first?.failures()
        #expect(failures?.isEmpty == false)
    }

    @Test(arguments: [
        (Promises(coalescesLoads: true, limit: .none, cachesErrors: true), nil),
        (Promises(coalescesLoads: true, limit: .none, cachesErrors: true, errorLifetime: .seconds(60)), 60.0),
        (
            Promises(
                coalescesLoads: true, limit: .none, timeToLive: .none(by: .system), cachesErrors: true,
                errorLifetime: .milliseconds(20)), 0.02
        ),
    ])
    func `a memoizer may keep errors, for ever or for a time`(_ promises: Promises, _ seconds: Double?) async throws {
        let contract = CacheContract(memoizing: "remembers errors", promises: promises) { configuration in
            let isSystem = promises.timeToLive.clock == .system
            let memoizer = Memoizer(
                .keepsErrors, for: seconds.map { .seconds($0) } ?? .seconds(1 << 30),
                by: isSystem ? .system : configuration.clock)
            return { name, fetch in try await memoizer.value(of: name) { try TrackedValue(encoded: await fetch()) } }
        }
        let checks = contract.checks(only: "error")
        #expect(checks.count == 2)
        for check in checks { try await check() }
    }

    // MARK: Other calls

    @Test(arguments: LockedCache.withoutRemovals.checks)
    func `a cache that removes nothing is checked for the rest`(_ check: ContractCheck) async throws {
        try await check()
    }

    @Test func `what needs a missing call is named once`() {
        let names = LockedCache.withoutRemovals.checks.map(\.name).filter { $0.hasPrefix("left out") }
        #expect(
            names == [
                "left out without remove and removeAll: a removed entry is missing; removing all empties the cache, which "
                    + "stays usable"
            ])
    }

    @Test func `a JUnit file names what was left out`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let checks = LockedCache.withoutRemovals.checks(reportingTo: path)
        for check in checks where check.name.hasPrefix("left out") { _ = await check.failures() }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.components(separatedBy: "<testcase ").count == checks.count + 1)
        #expect(text.contains(#"<skipped message="left out without remove and removeAll: "#), "\(text)")
    }

    @Test(arguments: LockedCache.blocking.checks)
    func `a cache that loads synchronously is checked`(_ check: ContractCheck) async throws { try await check() }

    @Test(arguments: LockedCache.completing.checks)
    func `a cache with completion handlers is checked`(_ check: ContractCheck) async throws { try await check() }

    @Test(arguments: MainActorCache.contract.checks)
    func `a cache of the main actor is checked`(_ check: ContractCheck) async throws { try await check() }

    @Test(arguments: LockedCache.throwing.checks)
    func `a cache whose calls throw is checked`(_ check: ContractCheck) async throws { try await check() }

    @Test func `a leak names Foundation's NSCache where that leaks as well`() async throws {
        let contract = CacheContract(
            adapting: StrategyDeclaration(name: "ns", summary: "an NSCache", promises: Promises(limit: .none))
        ) { _ in
            let cache = BoxCache()
            return CacheOperations(
                get: { cache[$0] }, set: { value, key, _ in cache[key] = value }, remove: { cache[$0] = nil },
                removeAll: { cache.removeAll() })
        }
        let failures = try #require(await contract.checks(only: "no value outlives").first?.failures())
        #if os(Linux)
            #expect(
                failures.count == 1 && failures[0].contains("Foundation's NSCache keeps 8 of 8 values"), "\(failures)")
        #else
            #expect(failures.isEmpty)
        #endif
    }
}

/// Remembers the value of each name. A failure is forgotten.
actor Memoizer {
    enum Fault: Sendable { case keepsErrors, sharesNothing, cancels, mixesKeys, leaks, oneAtATime }

    private struct Entry {
        var task: Task<TrackedValue, any Error>
        var number: Int
    }

    private let fault: Fault?
    private let errorLifetime: Duration
    private let clock: CacheClock
    private var entries: [String: Entry] = [:]
    private var errors: [String: (error: any Error, moment: Duration)] = [:]
    private var count = 0
    private var ring: AnyObject?
    private var latest: Task<TrackedValue, any Error>?

    init(_ fault: Fault? = nil, for errorLifetime: Duration = .seconds(1 << 30), by clock: CacheClock = .system) {
        (self.fault, self.errorLifetime, self.clock) = (fault, errorLifetime, clock)
        if fault == .leaks { Task { await close() } }
    }

    private func close() { ring = self }

    func value(
        of name: String, compute: @escaping @Sendable () async throws -> TrackedValue
    ) async throws -> TrackedValue {
        let name = fault == .mixesKeys ? name.lowercased() : name
        if let known = errors[name], clock.now() - known.moment < errorLifetime { throw known.error }
        if let entry = entries[name], fault != .sharesNothing { return try await entry.task.value }
        count += 1
        let last = fault == .oneAtATime ? latest : nil
        let entry = Entry(
            task: Task {
                _ = await last?.result
                return try await compute()
            }, number: count)
        latest = entry.task
        entries[name] = entry
        do {
            guard fault == .cancels else { return try await entry.task.value }
            return try await withTaskCancellationHandler {
                try await entry.task.value
            } onCancel: {
                entry.task.cancel()
            }
        } catch {
            if fault == .keepsErrors { errors[name] = (error, clock.now()) }
            if entries[name]?.number == entry.number { entries[name] = nil }
            throw error
        }
    }
}

/// A dictionary behind a lock: at most so many entries, the oldest goes first.
private final class LockedCache: @unchecked Sendable {
    // Sound although unchecked: both variables are used inside of the lock.
    struct NotFound: Error {}

    private let lock = NSRecursiveLock()
    private let queue = DispatchQueue(label: "locked-cache", attributes: .concurrent)
    private let countMax: Int
    private var entries: [(key: String, value: TrackedValue)] = []

    init(_ configuration: StrategyConfiguration) { countMax = configuration.entryLimit ?? .max }

    func get(_ key: String) -> TrackedValue? { lock.withLock { entries.last { $0.key == key }?.value } }

    func set(_ value: TrackedValue, _ key: String) {
        lock.withLock {
            remove(key)
            entries.append((key, value))
            if entries.count > countMax { entries.removeFirst(entries.count - countMax) }
        }
    }

    func remove(_ key: String) { lock.withLock { entries.removeAll { $0.key == key } } }
    func removeAll() { lock.withLock { entries = [] } }

    func load(_ key: String, _ make: () throws -> TrackedValue) throws -> TrackedValue {
        if let value = get(key) { return value }
        let value = try make()
        set(value, key)
        return value
    }

    private static let declaration = StrategyDeclaration(name: "locked", summary: "a dictionary", bounds: .entries)

    static let withoutRemovals = CacheContract(adapting: declaration) { configuration in
        let cache = LockedCache(configuration)
        return CacheOperations(get: { cache.get($0) }, set: { value, key, _ in cache.set(value, key) })
    }

    static let blocking = CacheContract(adapting: declaration) { configuration in
        let cache = LockedCache(configuration)
        return CacheOperations(
            get: { cache.get($0) }, set: { value, key, _ in cache.set(value, key) }, remove: { cache.remove($0) },
            loadBlocking: { key, fetch in try cache.load(key) { try TrackedValue(encoded: fetch()) } },
            removeAll: { cache.removeAll() })
    }

    static let completing = CacheContract(adapting: declaration) { configuration in
        let cache = LockedCache(configuration)
        return .withCompletions(
            get: { key, done in cache.queue.async { done(cache.get(key)) } },
            set: { value, key, _, done in
                cache.queue.async {
                    cache.set(value, key)
                    done(())
                }
            },
            remove: { key, done in
                cache.queue.async {
                    cache.remove(key)
                    done(())
                }
            },
            load: { key, fetch, done in
                if let value = cache.get(key) { return done(.success(value)) }
                fetch { bytes in
                    done(
                        Result {
                            let value = try TrackedValue(encoded: bytes.get())
                            cache.set(value, key)
                            return value
                        })
                }
            },
            removeAll: { done in
                cache.removeAll()
                done(())
            })
    }

    static let throwing = CacheContract(adapting: declaration) { configuration in
        let cache = LockedCache(configuration)
        return CacheOperations(
            get: { key in
                guard let value = cache.get(key) else { throw NotFound() }
                return value
            },
            set: { value, key, _ in cache.set(value, key) },
            remove: { key in
                guard cache.get(key) != nil else { throw NotFound() }
                cache.remove(key)
            },
            removeAll: { cache.removeAll() })
    }
}

/// A dictionary that belongs to the main actor.
@MainActor
private final class MainActorCache {
    private var entries: [String: TrackedValue] = [:]

    func load(_ key: String, _ make: @Sendable () async throws -> TrackedValue) async throws -> TrackedValue {
        if let value = entries[key] { return value }
        let value = try await make()
        entries[key] = value
        return value
    }

    nonisolated static let contract = CacheContract(
        adapting: StrategyDeclaration(name: "main-actor", summary: "a dictionary", promises: Promises(limit: .none))
    ) { _ in
        let cache = MainActorCache()
        return CacheOperations(
            get: { key in await MainActor.run { cache.entries[key] } },
            set: { value, key, _ in await MainActor.run { cache.entries[key] = value } },
            remove: { key in await MainActor.run { cache.entries[key] = nil } },
            load: { key, fetch in try await cache.load(key) { try TrackedValue(encoded: await fetch()) } },
            removeAll: { await MainActor.run { cache.entries = [:] } })
    }

    nonisolated init() {}
}

/// An `NSCache`, which is dropped with its entries.
private final class BoxCache: @unchecked Sendable {
    // Sound although unchecked: an `NSCache` is safe from any thread.
    private let cache = NSCache<NSString, TrackedValue>()

    subscript(key: String) -> TrackedValue? {
        get { cache.object(forKey: key as NSString) }
        set {
            guard let newValue else { return cache.removeObject(forKey: key as NSString) }
            cache.setObject(newValue, forKey: key as NSString)
        }
    }

    func removeAll() { cache.removeAllObjects() }
}
