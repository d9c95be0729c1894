import CacheStrategies
import Foundation
import HistoryChecking
import Locks

/// One check in progress: opens caches, runs operations on them, and records what doesn't hold.
final class ConformanceProbe<Strategy: CacheStrategy>: Sendable {
    typealias Key = Strategy.Key
    typealias Value = Strategy.Value

    let kit: ConformanceKit<Strategy>
    var declaration: StrategyDeclaration { kit.declaration }
    let clock = ManualClock()
    private let folder: URL
    let check: ConformanceCheck
    private let noted = Locked([ConformanceFailure]())

    /// The cost of a value of the usual size.
    static var usualByteCount: Int { 20 }

    init(kit: ConformanceKit<Strategy>, check: ConformanceCheck) {
        self.kit = kit
        self.check = check
        let name = "cache-conformance-\(UUID().uuidString)"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
    }

    /// The failures recorded so far.
    var failures: [ConformanceFailure] { noted.withLock { $0 } }

    var neverCaches: Bool { declaration.neverCaches }
    var promises: Promises { declaration.promises }
    var rules: LimitRules { promises.limitRules }

    /// Opens a cache with limits that no check reaches, or with the given ones. Caches with the same folder share its
    /// files.
    func open(
        entryLimit: Int? = 1000, costLimit: Int? = 1 << 20, timeToLive: Duration? = nil, folder name: String = "cache"
    ) throws -> Strategy {
        try open(
            configuration(
                entryLimit: entryLimit, bytesLimit: costLimit.map(bytes), timeToLive: timeToLive, folder: name))
    }

    /// Opens a cache without an entry limit, whose cost limit is given in bytes.
    func open(bytesLimit: Int?, folder name: String) throws -> Strategy {
        try open(configuration(bytesLimit: bytesLimit, folder: name))
    }

    func open(_ configuration: StrategyConfiguration) throws -> Strategy {
        step("open a cache \(Self.limits(configuration.entryLimit, configuration.costLimit))")
        let call = kit.calls.begin("the opening of a cache")
        defer { kit.calls.end(call) }
        return try kit.open(configuration)
    }

    /// Makes a call of the cache, which a message names if it never ends.
    func call<Result>(_ what: String, _ body: () async throws -> Result) async rethrows -> Result {
        let number = kit.calls.begin(what)
        defer { kit.calls.end(number) }
        return try await body()
    }

    /// The configuration of a cache, with a folder and the check's clock.
    func configuration(
        entryLimit: Int? = nil, bytesLimit: Int? = nil, timeToLive: Duration? = nil, folder name: String
    ) throws -> StrategyConfiguration {
        let directory = folder.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return StrategyConfiguration(
            entryLimit: entryLimit.map { $0 == 0 ? 0 : max($0, rules.smallest) }, costLimit: bytesLimit,
            timeToLive: timeToLive, directory: directory,
            clock: promises.timeToLive.clock == .configured ? clock.cacheClock : .system)
    }

    /// A number of entries in words.
    static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// Limits in words.
    private static func limits(_ entries: Int?, _ bytes: Int?) -> String {
        let limits = [entries.map(Self.entries), bytes.map { "\($0) bytes" }].compactMap { $0 }
        return limits.isEmpty ? "without limits" : "limited to \(limits.joined(separator: " and "))"
    }

    /// The bytes for a cost in the checks' unit.
    func bytes(_ units: Int) -> Int { units * kit.byteUnit }

    func removeFolder() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Reports the next step before it runs, so that the report survives if the step kills the process.
    func step(_ what: @autoclosure () -> String) { kit.onStep?(what()) }

    func fail(_ message: String, events: [Counterexample.Event] = []) {
        note(message, isPremise: false, events: events)
    }

    private func note(_ message: String, isPremise: Bool, events: [Counterexample.Event] = []) {
        let failure = ConformanceFailure(
            strategy: declaration.name, check: check, message: message, isPremise: isPremise, events: events)
        noted.withLock { $0.append(failure) }
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fail(message()) }
    }

    /// Records that a premise of the rest of the check does not hold; without it the rest has no meaning.
    ///
    /// - Returns: whether the premise holds.
    func premise(_ condition: Bool, _ message: @autoclosure () -> String) -> Bool {
        if !condition { note(message(), isPremise: true) }
        return condition
    }

    /// How often a condition is tried at least, on a machine on which each attempt takes long.
    private static var attemptsMin: Int { 300 }

    /// Whether a condition holds now or, if the strategy may be late, soon.
    ///
    /// - Parameter limit: the longest time that it may take.
    func holds(soon: Bool, atMost limit: Duration = .seconds(60), _ condition: () async -> Bool) async -> Bool {
        if await condition() { return true }
        guard soon else { return false }
        let start = ContinuousClock.now
        defer { kit.patience.spend(since: start) }
        let patience = min(kit.patience.next, limit)
        // A cache that used up most of the patience before is faulty.
        let attemptsMin = patience < .seconds(1) ? 0 : Self.attemptsMin
        var attempts = 0
        while attempts < attemptsMin || ContinuousClock.now < start + min(patience, .milliseconds(100)) {
            attempts += 1
            await Task.yield()
            if await condition() { return true }
        }
        // Time alone is no reason for an accusation: a busy machine is late with everything.
        let isStill = Locked(false)
        let watch = WorkWatch(patience, steps: { 0 }) { _ in
            isStill.withLock { $0 = true }
            return true
        }
        defer { watch.end() }
        while !isStill.withLock({ $0 }) {
            try? await Task.sleep(for: .milliseconds(1))
            if await condition() { return true }
        }
        return false
    }

    /// Records a failure unless the condition holds now or, if the strategy may be late, soon.
    func expect(soon: Bool, _ message: @autoclosure () -> String, _ condition: () async -> Bool) async {
        if await !holds(soon: soon, condition) { fail(message()) }
    }

    /// Whether a caller may not see its own writes at once.
    var isEventual: Bool { promises.consistency == .eventual }
    /// Whether the cache may exceed a limit for a moment.
    var isSoft: Bool { promises.limit != .hard || isEventual }

    func key(_ number: Int) -> Key { kit.makeKey(number) }

    func value(_ number: Int, byteCount: Int = usualByteCount) -> Value {
        kit.makeValue(number, byteCount * kit.byteUnit)
    }

    /// Inserts a value at its true cost, or at another one.
    func insert(
        _ number: Int, byteCount: Int = usualByteCount, at keyNumber: Int, cost: Int? = nil, into cache: Strategy
    ) async {
        await insert(value(number, byteCount: byteCount), at: keyNumber, cost: cost, into: cache)
    }

    func insert(_ value: Value, at keyNumber: Int, cost: Int? = nil, into cache: Strategy) async {
        let cost = cost ?? value.cost
        step("insert a value for key \(keyNumber) at a cost of \(cost)")
        await call("an insert for key \(keyNumber)") { await cache.insert(value, forKey: key(keyNumber), cost: cost) }
    }

    func lookUp(_ keyNumber: Int, in cache: Strategy) async -> Value? {
        step("look up key \(keyNumber)")
        return await call("a lookup of key \(keyNumber)") { await cache.value(forKey: key(keyNumber)) }
    }

    func remove(_ keyNumber: Int, from cache: Strategy) async {
        step("remove key \(keyNumber)")
        await call("a removal of key \(keyNumber)") { await cache.removeValue(forKey: key(keyNumber)) }
    }

    func removeAll(from cache: Strategy) async {
        step("remove all keys")
        await call("a removal of all keys") { await cache.removeAll() }
    }

    func statistics(of cache: Strategy) async -> CacheStatistics {
        step("ask for statistics")
        return await call("a call of statistics") { await cache.statistics() }
    }

    func close(_ cache: Strategy) async {
        step("close the cache")
        await call("a call of close") { await cache.close() }
    }

    /// Whether a value has the same bytes as the value with a number.
    func isValue(_ value: Value?, _ number: Int, byteCount: Int = usualByteCount) -> Bool {
        guard let value, let bytes = try? value.encoded() else { return false }
        return bytes == (try? self.value(number, byteCount: byteCount).encoded())
    }

    /// Records a failure unless the cache returns the value with a number for a key.
    func expectFound(_ number: Int, at keyNumber: Int, in cache: Strategy, _ moment: String) async {
        var found: Value?
        let isRight = await holds(soon: isEventual) {
            found = await lookUp(keyNumber, in: cache)
            return isValue(found, number)
        }
        if !isRight {
            fail(
                found == nil
                    ? "key \(keyNumber) is not found \(moment)" : "key \(keyNumber) gives another value \(moment)")
        }
    }

    /// Whether the cache returns the value with a number for a key, as a premise of the rest of a check.
    func isFound(_ number: Int, at keyNumber: Int, in cache: Strategy, _ moment: String) async -> Bool {
        let isRight = await holds(soon: isEventual) { isValue(await lookUp(keyNumber, in: cache), number) }
        return premise(isRight, "key \(keyNumber) is not found \(moment)")
    }

    /// Records a failure unless the cache returns nothing for a key.
    func expectMissing(_ keyNumber: Int, in cache: Strategy, _ moment: String) async {
        await expect(soon: isEventual, "key \(keyNumber) is still found \(moment)") {
            await lookUp(keyNumber, in: cache) == nil
        }
    }

    /// The numbers of the keys that are found; looks each one up.
    func found(_ keyNumbers: Range<Int>, in cache: Strategy) async -> [Int] {
        var found: [Int] = []
        for number in keyNumbers where await lookUp(number, in: cache) != nil { found.append(number) }
        return found
    }

    /// An origin that answers each key with the value of the key's number.
    func makeOrigin() -> ScriptedOrigin {
        ScriptedOrigin { [kit] number in try kit.makeValue(number, Self.usualByteCount * kit.byteUnit).encoded() }
    }

    /// Loads from a scripted origin, in this task or, where the strategy is synchronous and so asked, on a thread.
    func load(
        _ number: Int, from origin: ScriptedOrigin, in cache: Strategy, onThread isOnThread: Bool = false
    ) async throws -> Loaded<Value> {
        step("load key \(number)\(isOnThread ? " on a thread" : "")")
        guard isOnThread, let synchronous = cache as? any SynchronousCacheStrategy<Key, Value> else {
            return try await call("a load of key \(number)") {
                try await cache.load(key(number)) { try await origin.fetch(number) }
            }
        }
        return try await onThread { [self] in Result { try loadBlocking(number, from: origin, in: synchronous) } }.get()
    }

    /// Not async, so that the synchronous overload is called.
    func loadBlocking<Cache: SynchronousCacheStrategy<Key, Value>>(
        _ number: Int, from origin: ScriptedOrigin, in cache: Cache
    ) throws -> Loaded<Value> {
        let call = kit.calls.begin("a load of key \(number) on a thread")
        defer { kit.calls.end(call) }
        return try cache.loadBlocking(key(number)) { try origin.fetchBlocking(number) }
    }

    /// Runs a check that could wait for ever; when nothing goes on any more, it releases everything that is held back.
    ///
    /// - Parameter ended: what the check waits for beside the origin; the check gives that up as well.
    func withPatience(_ origin: ScriptedOrigin, _ ended: Arrivals? = nil, _ body: () async throws -> Void)
        async rethrows
    {
        let patience = min(kit.patience.next, .seconds(10))
        let start = ContinuousClock.now
        let watch = WorkWatch(patience, steps: { [kit] in kit.calls.steps }) { [self] _ in
            kit.patience.spend(since: start)
            kit.calls.noteHang()
            fail(
                "a caller was still waiting after \(patience), and the origin had to release what it held back; "
                    + kit.calls.text)
            origin.arrivals.giveUp()
            origin.releaseAll()
            ended?.giveUp()
            return true
        }
        defer { watch.end() }
        try await body()
    }

    /// Gives other tasks a chance to run. It guarantees no order: a check must hold whether they ran or not.
    func letOthersRun() async {
        for _ in 0..<200 { await Task.yield() }
    }

    /// Lets tasks of low priority run as far as they can, by one among them. Its value would raise it, so it resumes.
    func letUnhurriedRun() async {
        await withCheckedContinuation { done in
            Task(priority: .utility) {
                await letOthersRun()
                done.resume()
            }
        }
    }
}
