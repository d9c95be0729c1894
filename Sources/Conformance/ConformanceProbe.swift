import CacheStrategies
import Foundation
import Locks

/// One check under way: opens caches, asks them, and notes what doesn't hold.
final class ConformanceProbe<Strategy: CacheStrategy>: Sendable {
    typealias Key = Strategy.Key
    typealias Value = Strategy.Value

    let kit: ConformanceKit<Strategy>
    let declaration = Strategy.declaration
    let clock = ManualClock()
    private let folder: URL
    private let failures = Locked([String]())

    /// What a value of the usual size costs.
    static var usualByteCount: Int { 20 }

    init(kit: ConformanceKit<Strategy>) {
        self.kit = kit
        let name = "cache-conformance-\(UUID().uuidString)"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
    }

    /// What was noted.
    var messages: [String] { failures.withLock { $0 } }

    var neverCaches: Bool { declaration.name == "none" }
    var promises: Promises { declaration.promises }

    /// Opens a cache with limits that nothing here reaches, or with those given. Caches of one folder share its files.
    func open(
        entryLimit: Int? = 1000, costLimit: Int? = 1 << 20, timeToLive: Duration? = nil, folder name: String = "cache"
    ) throws -> Strategy {
        let directory = folder.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return try Strategy(
            configuration: StrategyConfiguration(
                entryLimit: entryLimit, costLimit: costLimit.map { $0 * kit.byteUnit }, timeToLive: timeToLive,
                directory: directory,
                clock: clock.cacheClock))
    }

    func removeFolder() {
        try? FileManager.default.removeItem(at: folder)
    }

    func fail(_ message: String) {
        failures.withLock { $0.append(message) }
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fail(message()) }
    }

    /// Notes a failure unless the condition holds now or, without a promise that it holds at once, soon.
    func expect(soon: Bool, _ message: @autoclosure () -> String, _ condition: () async -> Bool) async {
        if await condition() { return }
        if soon {
            let deadline = ContinuousClock.now + kit.patience
            while ContinuousClock.now < deadline {
                await Task.yield()
                if await condition() { return }
            }
        }
        fail(message())
    }

    /// Whether a caller may have to wait for its own writes.
    var isEventual: Bool { promises.consistency == .eventual }

    func key(_ number: Int) -> Key { kit.makeKey(number) }

    func value(_ number: Int, byteCount: Int = usualByteCount) -> Value {
        kit.makeValue(number, byteCount * kit.byteUnit)
    }

    /// What the strategy says its entries cost, in the checks' unit.
    func totalCost(of cache: Strategy) async -> Int? {
        await cache.statistics().totalCost.map { $0 / kit.byteUnit }
    }

    /// Inserts a value at its true cost.
    func insert(_ number: Int, byteCount: Int = usualByteCount, at keyNumber: Int, into cache: Strategy) async {
        let value = value(number, byteCount: byteCount)
        await cache.insert(value, forKey: key(keyNumber), cost: value.cost)
    }

    /// Whether a value has the bytes of the one with a number.
    func isValue(_ value: Value?, _ number: Int, byteCount: Int = usualByteCount) -> Bool {
        guard let value, let bytes = try? value.encoded() else { return false }
        return bytes == (try? self.value(number, byteCount: byteCount).encoded())
    }

    /// Notes a failure unless the cache gives the value with a number for a key.
    func expectFound(_ number: Int, at keyNumber: Int, in cache: Strategy, _ moment: String) async {
        let soon = isEventual
        await expect(soon: soon, "key \(keyNumber) does not give value \(number) \(moment)") {
            isValue(await cache.value(forKey: key(keyNumber)), number)
        }
    }

    /// Notes a failure unless the cache gives nothing for a key.
    func expectMissing(_ keyNumber: Int, in cache: Strategy, _ moment: String) async {
        await expect(soon: isEventual, "key \(keyNumber) is still found \(moment)") {
            await cache.value(forKey: key(keyNumber)) == nil
        }
    }

    /// The numbers of the keys that are found; asks for every one.
    func found(_ keyNumbers: Range<Int>, in cache: Strategy) async -> [Int] {
        var found: [Int] = []
        for number in keyNumbers where await cache.value(forKey: key(number)) != nil { found.append(number) }
        return found
    }

    /// An origin that answers with the value of the key's number.
    func makeOrigin() -> ScriptedOrigin {
        ScriptedOrigin { [kit] number in try kit.makeValue(number, Self.usualByteCount * kit.byteUnit).encoded() }
    }

    /// Loads from a scripted origin.
    func load(_ number: Int, from origin: ScriptedOrigin, in cache: Strategy) async throws -> Loaded<Value> {
        try await cache.load(key(number)) { try await origin.fetch(number) }
    }

    /// Runs a check that could wait for ever, and lets go of everything it holds once it has taken too long.
    func withPatience(_ origin: ScriptedOrigin, _ body: () async throws -> Void) async rethrows {
        let watchdog = Task { [patience = kit.patience] in
            try await Task.sleep(for: patience)
            self.fail("it hung: what the origin held back had to be released after \(patience)")
            origin.arrivals.giveUp()
            origin.releaseAll()
        }
        defer { watchdog.cancel() }
        try await body()
    }

    /// Gives others every chance to run. No order follows from it: a check must hold whatever they did.
    func letOthersRun() async {
        for _ in 0..<200 { await Task.yield() }
    }
}
