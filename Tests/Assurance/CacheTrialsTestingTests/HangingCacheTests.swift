import CacheTrialsTesting
import Foundation
import Testing

/// A cache that hangs at one of its calls ends its tests, with a message that names the call.
@Suite(.timeLimit(.minutes(5)))
struct HangingCacheTests {
    private static let variable = "CACHE_TRIALS_HANGING_CALL"
    /// The call at which this process's cache hangs.
    fileprivate static let place = ProcessInfo.processInfo.environment[variable].flatMap(HangingCall.init)

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["CACHE_TRIALS_NIGHTLY"] == "1", "nightly: scripts/nightly tests"))
    func `each call that never returns is named, and the process ends`() async throws {
        let endings = try await withThrowingTaskGroup(of: [Ending].self) { group in
            for call in HangingCall.allCases {
                // The first run of some ends its process, so that each check of the second one has a process of its own.
                group.addTask { [try await Self.ending(call), try await Self.ending(call)] }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for ending in endings {
            #expect(ending.status != 0, "\(ending.call)")
            #expect(ending.took < .seconds(60), "\(ending.call) took \(ending.took)")
            #expect(
                ending.call.names.contains { ending.output.contains("in flight: \($0)") },
                "\(ending.call):\n\(ending.output.suffix(4_000))")
        }
    }

    @Test(.enabled(if: place != nil), arguments: CacheContract(HangingCache.self).checks)
    func `the contract of a cache that hangs`(_ check: ContractCheck) async throws { try await check() }

    private struct Ending: Sendable {
        var call: HangingCall
        var status: Int32
        var took: Duration
        var output: String
    }

    /// Runs the contract in a process of its own.
    private static func ending(_ call: HangingCall) async throws -> Ending {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--no-parallel", "--filter", "contract of a cache that hangs",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([variable: call.rawValue]) { $1 }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hanging-\(UUID().uuidString)").path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try #require(FileHandle(forWritingAtPath: path))
        defer { try? output.close() }
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = output
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        let start = ContinuousClock.now
        try process.run()
        for await _ in ends {}
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        return Ending(call: call, status: process.terminationStatus, took: .now - start, output: text)
    }
}

/// The calls of a cache, and two ways to hang at one: to block the thread, and to suspend for ever.
enum HangingCall: String, CaseIterable, Sendable {
    case opening, lookup, insert, removal, clear, load, blockingLoad, statistics, close
    case suspendedLookup, suspendedLoad, lockedLoad

    /// What a message calls it.
    var names: [String] {
        switch self {
        case .opening: ["the opening of a cache"]
        case .lookup, .suspendedLookup: ["a lookup"]
        case .insert: ["an insert"]
        case .removal: ["a removal"]
        case .clear: ["a removal of all keys"]
        case .load, .suspendedLoad, .lockedLoad: ["a load"]
        case .blockingLoad: ["a load of key", "a load by a concurrent caller", "a load"]
        case .statistics: ["a call of statistics"]
        case .close: ["a call of close"]
        }
    }
}

/// A sound cache but for one call.
private final class HangingCache: SynchronousCacheStrategy, @unchecked Sendable {
    // Unchecked, because `entries` is mutable; `lock` guards it.
    private let lock = NSLock()
    private let loads = NSLock()
    private var entries: [String: TrackedValue] = [:]

    static var declaration: StrategyDeclaration {
        // Its name keeps what a run leaves for the next one apart.
        StrategyDeclaration(
            name: "hanging-\(HangingCacheTests.place?.rawValue ?? "nowhere")", summary: "hangs at a call",
            promises: Promises(limit: .none))
    }

    private func hang(at call: HangingCall) {
        guard HangingCacheTests.place == call else { return }
        while true { sleep(1_000) }
    }

    private func suspend(at call: HangingCall) async {
        guard HangingCacheTests.place == call else { return }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    init(configuration: StrategyConfiguration) { hang(at: .opening) }

    func value(forKey key: String) -> TrackedValue? {
        hang(at: .lookup)
        return lock.withLock { entries[key] }
    }

    func value(forKey key: String) async -> TrackedValue? {
        await suspend(at: .suspendedLookup)
        hang(at: .lookup)
        return lock.withLock { entries[key] }
    }

    func insert(_ value: TrackedValue, forKey key: String, cost: Int) {
        hang(at: .insert)
        lock.withLock { entries[key] = value }
    }

    func removeValue(forKey key: String) {
        hang(at: .removal)
        lock.withLock { entries[key] = nil }
    }

    func removeAll() {
        hang(at: .clear)
        lock.withLock { entries = [:] }
    }

    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        hang(at: .load)
        await suspend(at: .suspendedLoad)
        if HangingCacheTests.place == .lockedLoad { waitLocked(fetch) }
        return try await loadUnshared(key, fetch: fetch)
    }

    /// Fetches while it holds a lock: each load keeps a thread of the pool.
    private func waitLocked(_ fetch: @escaping Fetch) {
        loads.withLock {
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                _ = try? await fetch()
                done.signal()
            }
            done.wait()
        }
    }

    func loadBlocking(_ key: String, fetch: () throws -> Data) throws -> Loaded<TrackedValue> {
        hang(at: .blockingLoad)
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try TrackedValue(encoded: fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }

    func statistics() -> CacheStatistics {
        hang(at: .statistics)
        return CacheStatistics()
    }

    func close() { hang(at: .close) }
}
