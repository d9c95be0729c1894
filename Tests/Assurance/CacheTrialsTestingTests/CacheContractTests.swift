import CacheTrialsTesting
import Foundation
import Testing

/// The library as another package uses it.
@Suite(.timeLimit(.minutes(2)))
struct CacheContractTests {
    @Test(arguments: PictureCache.contract.checks)
    func `a cache with an API of its own is checked behind its calls`(_ check: ContractCheck) async throws {
        try await check()
    }

    @Test func `concurrent callers of a sound cache see what it declares`() async throws {
        try await expectConsistentHistories(of: LRUCache<String, TrackedValue>.self, operations: 4_000)
        try await expectConsistentHistories(of: ActorCache<String, TrackedValue>.self, operations: 4_000)
    }

    @Test func `checks are those that the declaration calls for, and are selected by name`() {
        let contract = CacheContract(LRUCache<String, TrackedValue>.self)
        let names = contract.checks.map(\.name)
        #expect(names.contains("the entry limit holds") && !names.contains { $0.contains("prefetch") })
        #expect(contract.checks(only: "limit").allSatisfy { $0.name.contains("limit") })
        #expect(contract.checks(only: "entry limit").count == 1)
        let plain = CacheContract(LRUCache<String, Data>.self).checks.map(\.name)
        #expect(plain.count < names.count && !plain.contains("no value outlives the cache"))
        let isolation = "a caller that changes its value changes no other caller's value"
        #expect(plain.contains(isolation) && !names.contains(isolation))
    }

    @Test func `a JUnit file has a case for each check, also for those that did not run`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let checks = CacheContract(ForgetfulCache.self).checks(reportingTo: path)
        for check in checks where check.name.hasPrefix("a re") { _ = await check.failures() }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.components(separatedBy: "<testcase ").count == checks.count + 1)
        #expect(text.contains(#"<testsuite name="forgetful" tests="\#(checks.count)" failures="1""#))
        #expect(text.contains(#"<failure message="violated: a replacement is found, and the older value is not: "#))
        #expect(text.contains(#"<skipped message="it did not run"/>"#))
        let bad = CacheContract(ForgetfulCache.self).checks(reportingTo: "/proc/none/contract.xml")
        let troubles = await bad.first?.failures() ?? []
        #expect(troubles.contains { $0.hasPrefix("/proc/none/contract.xml can't be written") }, "\(troubles)")
    }

    @Test func `a cache that kills the process of its check has failed it`() async {
        let failures =
            await CacheContract(MortalCache.self).checks(only: "while a value is being released").first?.failures()
            ?? []
        #expect(failures.count == 1 && failures[0].contains("died of signal"), "\(failures)")
    }

    #if os(Linux)
        @Test func `once a trap has ended a run, it ends one check, with the script up to it`() async throws {
            if !Self.isApart {
                TrappingCache.forgetEarlierRuns()
                await #expect(processExitsWith: .failure) {
                    for check in TrappingCache.checks { _ = await check.failures() }
                }
            }
            var failures: [String: [String]] = [:]
            for check in TrappingCache.checks { failures[check.name] = await check.failures() }
            // The first check that passes warns, and no other.
            let harmless = try #require(TrappingCache.checks.first { failures[$0.name] == [] })
            if !Self.isApart {
                try await withKnownIssue {
                    try await harmless()
                } matching: { issue in
                    issue.severity == .warning && "\(issue)".contains("an earlier run ended with a crash")
                }
                try await harmless()
            }
            if !Self.isApart { TrappingCache.forgetEarlierRuns() }
            let broken = failures.filter { !$0.value.isEmpty }
            #expect(Array(broken.keys) == ["negative and huge costs are harmless"])
            let text = try #require(broken.values.first?.first)
            #expect(text.contains("died of signal"))
            #expect(text.contains("; the last operations: open a cache ") && text.contains("at a cost of -"), "\(text)")
        }
    #endif

    @Test func `the process of a check has the working folder of its test`() async {
        // As a test that opens a fixture by a relative path: it ends early in another folder.
        let folders = ["/proc/self/cwd", "/proc/\(getppid())/cwd"].map {
            URL(fileURLWithPath: $0).resolvingSymlinksInPath()
        }
        if Self.isApart, folders[0] != folders[1] { exit(7) }
        let failures = await Self.soundCheck?.failures()
        #expect(failures == [])
    }

    @Test func `a process that ends before its check is the test's own failure, with what it printed`() async {
        if Self.isApart {
            FileHandle.standardError.write(Data("no fixture in this folder\n".utf8))
            exit(7)
        }
        let failures = await Self.soundCheck?.failures() ?? []
        #expect(failures.count == 1, "\(failures)")
        let text = failures.first ?? ""
        #expect(text.contains("was not checked: the test's own process exited with 7 before the check began"))
        #expect(text.contains("no fixture in this folder"))
    }

    /// Whether this is the process of a check.
    private static var isApart: Bool { ProcessInfo.processInfo.environment["CACHE_TRIALS_TEST_PART"] != nil }
    /// A check with a process of its own, which the cache passes.
    private static var soundCheck: ContractCheck? {
        CacheContract(LRUCache<String, TrackedValue>.self).checks(only: "releases its memory").first
    }

    @Test func `a broken promise is a failure with the smallest script, for any test library`() async throws {
        let failures = await CacheContract(ForgetfulCache.self).checks(only: "replacement").first?.failures()
        let text = try #require(failures?.first)
        #expect(text.hasPrefix("violated: a replacement is found, and the older value is not: "))
    }
}

/// A cache that keeps the first value of a key.
private final class ForgetfulCache: CacheStrategy {
    private let cache: LRUCache<String, TrackedValue>

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "forgetful", summary: "keeps the first value")
    }

    init(configuration: StrategyConfiguration) { cache = LRUCache(configuration: configuration) }
    func value(forKey key: String) async -> TrackedValue? { cache.value(forKey: key) }
    func insert(_ value: TrackedValue, forKey key: String, cost: Int) async {
        if cache.value(forKey: key) == nil { cache.insert(value, forKey: key, cost: cost) }
    }
    func removeValue(forKey key: String) async { cache.removeValue(forKey: key) }
    func removeAll() async { cache.removeAll() }
    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
    func statistics() async -> CacheStatistics { CacheStatistics() }
    func close() async {}
}

/// A cache that a negative cost ends the process of.
private struct TrappingCache: SynchronousCacheStrategy {
    private let cache: LRUCache<String, TrackedValue>

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "trapping", summary: "costs are unsigned", bounds: [.entries, .cost])
    }

    static var checks: [ContractCheck] {
        CacheContract(TrappingCache.self).checks(only: "negative and huge", "a removed entry", "a replacement")
    }

    static func forgetEarlierRuns() {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-checks")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasSuffix("-trapping") {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    init(configuration: StrategyConfiguration) { cache = LRUCache(configuration: configuration) }
    func value(forKey key: String) -> TrackedValue? { cache.value(forKey: key) }
    func insert(_ value: TrackedValue, forKey key: String, cost: Int) {
        cache.insert(value, forKey: key, cost: Int(clamping: UInt(cost)))
    }
    func removeValue(forKey key: String) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// A cache whose insert ends the process.
private final class MortalCache: SynchronousCacheStrategy, RespondsToMemoryPressure {
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "mortal", summary: "dies of an insert", promises: Promises(limit: .none))
    }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: String) -> TrackedValue? { nil }
    func insert(_ value: TrackedValue, forKey key: String, cost: Int) { fatalError("as planted") }
    func respond(to pressure: MemoryPressure) {}
    func removeValue(forKey key: String) {}
    func removeAll() {}
    func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<TrackedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// The cache of an app: at most so many pictures, and callers of one picture share its download.
private actor PictureCache {
    private let countMax: Int
    private var pictures: [(name: String, picture: TrackedValue)] = []
    private var downloads: [String: Task<TrackedValue, any Error>] = [:]

    init(countMax: Int) { self.countMax = countMax }

    func picture(named name: String) -> TrackedValue? { pictures.last { $0.name == name }?.picture }

    func keep(_ picture: TrackedValue, as name: String) {
        forget(name)
        pictures.append((name, picture))
        if pictures.count > countMax { pictures.removeFirst(pictures.count - countMax) }
    }

    func forget(_ name: String) {
        pictures.removeAll { $0.name == name }
        downloads[name] = nil
    }

    func forgetAll() {
        pictures = []
        downloads = [:]
    }

    func picture(named name: String, download: @escaping @Sendable () async throws -> Data) async throws -> TrackedValue
    {
        if let picture = picture(named: name) { return picture }
        if let running = downloads[name] { return try await running.value }
        let task = Task { try TrackedValue(encoded: await download()) }
        downloads[name] = task
        defer { if downloads[name] == task { downloads[name] = nil } }
        let picture = try await task.value
        if downloads[name] == task { keep(picture, as: name) }
        return picture
    }

    static var contract: CacheContract {
        CacheContract(
            adapting: StrategyDeclaration(
                name: "pictures", summary: "an app's pictures", bounds: [.entries],
                promises: Promises(
                    coalescesLoads: true, limit: .hard, cancellation: .isolated, mayWaitForItself: true))
        ) { configuration in
            let cache = PictureCache(countMax: configuration.entryLimit ?? .max)
            return CacheOperations(
                get: { await cache.picture(named: $0) },
                set: { picture, name, _ in await cache.keep(picture, as: name) },
                remove: { await cache.forget($0) }, load: { try await cache.picture(named: $0, download: $1) },
                removeAll: { await cache.forgetAll() })
        }
    }
}
