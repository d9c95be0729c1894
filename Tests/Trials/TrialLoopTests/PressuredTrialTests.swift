import CacheStrategies
import Foundation
import HistoryChecking
import Origins
import ScenarioFiles
import StrategyTestSupport
import TestTiers
import Testing
import TimedStrategies
import TrialLoop
import TrialTestSupport

@testable import TrialModel

/// Trials under memory pressure, of caches with several tiers, and the stages of their loads.
@Suite(.timeLimit(.minutes(3)))
struct PressuredTrialTests {
    private static func scenario(
        _ level: MemoryPressure? = nil, delay: UInt64 = 1_000_000, reopen: Bool = false, refills: Bool = true
    ) -> Scenario {
        let phases = ["fill", "steady", "pressed"].map { name in
            Phase(
                name: name, length: .operations(name == "fill" ? 2_000 : 1_200), clients: 4,
                mix: OperationMix([.load: 9, .burst: 1]), burstWidth: 4, warmUp: name == "fill",
                reopen: name == "steady" && reopen)
        }
        var scenario = Scenario(
            name: "pressed", title: "pressed", seed: 7, repetitions: 1,
            keys: KeySpace(kind: .string, count: 400, popularity: .zipf(exponent: 0.8)),
            values: ValueSpecification(kind: .bytes, size: .fixed(1024)), capacity: Capacity(entries: 300),
            origin: OriginSpecification(kind: .memory, delay: .fixed(delay)), strategies: nil, phases: phases)
        scenario.phases[2].memoryPressure = level
        // Values that are only read don't come back, however late the measurement is.
        if !refills { scenario.phases[2].mix = OperationMix([.read: 1]) }
        return scenario
    }

    @Test(arguments: [(MemoryPressure.warning, 0.4...0.75), (.background, 0.65...0.95), (.critical, 0.9...1)])
    func `lru releases the share of each level, while clients are at work`(
        level: MemoryPressure, share: ClosedRange<Double>
    ) async throws {
        let results = try await TrialInTests.run("lru", Self.scenario(level, delay: 100_000, refills: false))
        let row = try #require(results.last?.pressure)
        #expect(row.level == level && row.responds)
        // Rows travel as the cells of their files, which have six decimals.
        #expect(abs(try #require(row.hitRatioBefore) - (try #require(results[1].hitRate?.hitRatio))) < 1e-6)
        let given = try #require(row.shareGivenBack)
        // Half of an odd number.
        #expect(share.contains(given), "\(row)")
        #expect((row.entriesBefore ?? 0) > 100 && (row.loadsFailed ?? 1) == 0, "\(row)")
        #expect(results[0].pressure == nil && results[1].pressure == nil)
        #expect(results.last?.trial.wrongAnswers == 0)
    }

    private static let names = [
        "lru", "s3-fifo", "w-tinylfu", "sharded-lru", "rwlock-lru", "lock-dual", "actor", "barrier-nscache",
        "expiring", "disk", "shared+lru", "published-actor", "none", "unbounded", "ceiling",
    ]

    @Test(arguments: TestTier.isNightly ? names : ["lru", "none"])
    func `every strategy continues under every level, and normal pressure releases nothing`(name: String) async throws {
        for level in MemoryPressure.allCases {
            let results = try await TrialInTests.run(
                name, Self.scenario(level, delay: 100_000, refills: level != .critical))
            let row = try #require(results.last?.pressure)
            #expect(row.responds == !["none", "unbounded", "ceiling"].contains(name))
            #expect(results.allSatisfy { $0.trial.status == .completed && $0.trial.wrongAnswers == 0 })
            if level == .normal { #expect((row.bytesGivenBack ?? 0) * 10 < (row.bytesBefore ?? 1), "\(name): \(row)") }
            if level == .critical, row.responds, let before = row.bytesBefore {
                #expect((row.bytesGivenBack ?? 0) * 2 >= before || name.hasPrefix("published"), "\(name): \(row)")
            }
        }
    }

    @Test func `a phase without pressure has no row, and neither has a race`() async throws {
        #expect(try await TrialInTests.run("lru", Self.scenario()).allSatisfy { $0.pressure == nil })
        let race = try await TrialInTests.run("lru", Self.scenario(.critical).contended(), .races)
        #expect(race.last?.pressure?.bytesBefore == nil)
    }

    @Test(arguments: [false, true])
    func `an entry that is seen while a cache responds may be gone afterwards`(isLate: Bool) async throws {
        let strategy = isLate ? Strategy(ReleasesLater.self) : Strategy(ReleasesSlowly.self)
        var scenario = Self.scenario(.critical, delay: 0)
        (scenario.check, scenario.phases[2].length) = (true, .duration(nanoseconds: 40_000_000))
        scenario.phases = scenario.phases.filter { $0.name != "steady" }
        let messages = try await TrialInTests.messages(of: strategy, scenario.checkable())
        let findings = try #require(
            messages.lazy.compactMap { if case .judged(let all) = $0 { all } else { nil } }.first)
        let retention = try #require(findings.first { $0.promise == .retention })
        #expect(retention.verdict != .inconsistent, "\(retention)")
    }

    // MARK: Tiers

    private static let tiers: [(name: String, places: [HitTier])] = [
        ("lock-dual", [.decoded, .encoded]), ("disk", [.memory, .disk]), ("shared+disk", [.memory, .disk]),
    ]

    @Test(arguments: TestTier.isNightly ? tiers : Array(tiers.prefix(2)))
    func `hits of all tiers add up to all hits`(name: String, places: [HitTier]) async throws {
        var scenario = Self.scenario(.warning, reopen: true)
        // By then the pressure has certainly come, and values are found in the other tier.
        var after = scenario.phases[1]
        (after.name, after.reopen) = ("after", false)
        scenario.phases.append(after)
        let results = try await TrialInTests.run(name, scenario)
        for result in results.dropFirst() {
            let all = try #require(result.hitRate)
            #expect(result.tierHitRates.reduce(0) { $0 + $1.hits } == all.hits && all.tier == .all)
            #expect(result.tierHitRates.reduce(0) { $0 + $1.bytesHit } == all.bytesHit)
            #expect(result.tierHitRates.allSatisfy { $0.hits + $0.misses == all.lookups && $0.originLoads == nil })
            for operation in [OperationKind.load, .burst] {
                let rows = result.latency.filter {
                    $0.labels.operation == .only(operation) && $0.labels.outcome == .only(.hit)
                }
                let whole = rows.filter { $0.labels.tier == .all }.reduce(0) { $0 + $1.count }
                #expect(rows.filter { $0.labels.tier != .all }.reduce(0) { $0 + $1.count } == whole)
            }
            #expect(result.distributions.count == result.latency.count)
        }
        let seen = Set(results.flatMap { $0.tierHitRates.map(\.tier) })
        #expect(seen == Set(places.map { .only($0) }), "\(seen)")
    }

    @Test func `a strategy without tiers has unchanged rows`() async throws {
        let result = try #require(try await TrialInTests.run("lru", Self.scenario()).last)
        #expect(result.tierHitRates.isEmpty && result.latency.allSatisfy { $0.labels.tier == .all })
    }

    @Test func `callers that read one file at once are counted`() async throws {
        var scenario = Self.scenario(delay: 0, reopen: true)
        scenario.phases[1].mix = OperationMix([.burst: 1])
        let results = try await TrialInTests.run("disk", scenario)
        #expect((results[1].hitRate?.duplicateReads ?? 0) > 0)
        #expect(try await TrialInTests.run("lru", scenario)[1].hitRate?.duplicateReads == nil)
    }

    // MARK: Stages

    private static let staged = ["lru", "actor", "disk", "lock-dual", "published-actor", "shared+lru", "none-tasks"]

    @Test(arguments: TestTier.isNightly ? staged : ["actor", "lock-dual"])
    func `the stages of loads add up to their latency, to the nanosecond`(name: String) async throws {
        for result in try await TrialInTests.run(name, Self.scenario()).dropFirst() {
            #expect(!result.stages.isEmpty)
            for operation in [OperationKind.load, .burst] {
                for outcome in [Outcome.miss, .joined] {
                    let labels = LatencyLabels(operation: .only(operation), outcome: .only(outcome))
                    let rows = result.stages.filter { $0.operation == operation && $0.outcome == outcome }
                    guard let latency = result.latency[labels], let summary = latency.latency else {
                        #expect(rows.isEmpty)
                        continue
                    }
                    let total = rows.reduce(0) { $0 + $1.totalNanoseconds }
                    #expect((total + latency.count / 2) / latency.count == summary.mean, "\(name): \(rows)")
                    let unknown = rows.first { $0.stage == .unknown }?.count ?? 0
                    let seen = rows.first { $0.stage == .beforeFetch || $0.stage == .wait }?.count ?? 0
                    #expect(unknown + seen == latency.count)
                    // Only a fetch on behalf of other callers is not observed.
                    #expect(unknown * 20 <= latency.count, "\(name): \(unknown) of \(latency.count)")
                    if outcome == .miss, seen > 0 {
                        let fetch = try #require(rows.first { $0.stage == .fetch })
                        #expect(fetch.latency.min ?? 0 >= 1_000_000, "the origin's delay is in the fetch")
                    }
                }
            }
        }
    }

    @Test func `without a delay the stages are not measured`() async throws {
        #expect(try await TrialInTests.run("lru", Self.scenario(delay: 0)).allSatisfy(\.stages.isEmpty))
    }

    /// `large-images`, with an origin in memory and shorter.
    private static func largeImages() throws -> Scenario {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        var scenario = try ScenarioReader(knownStrategies: []).read(
            path: root.appendingPathComponent("Scenarios/large-images.yaml").path)
        scenario.origin.kind = .memory
        return scenario
    }

    /// The mean times of a load in the gallery: the wait before its fetch and around its decoding; and the decoding.
    private static func waiting(_ messages: [TrialMessage]) throws -> (waiting: Double, decoding: Double) {
        let results = messages.compactMap { if case .phaseFinished(let result) = $0 { result } else { nil } }
        let rows = try #require(results.last { $0.trial.key.phase == "gallery" }).stages.filter {
            $0.operation == .load
        }
        func mean(_ stage: Stage) -> Double {
            guard let row = rows.first(where: { $0.stage == stage }) else { return 0 }
            return Double(row.totalNanoseconds) / Double(row.count)
        }
        return (mean(.beforeFetch) + mean(.afterDecode), mean(.decode))
    }

    // It compares times, which a busy machine changes.
    @Test(.nightly) func `decoding under a lock is visible as waiting, and decoding outside of it is not`() async throws
    {
        let scenario = try Self.largeImages()
        let planted = Strategy(DecodesUnderLock.self)
        let locked = try Self.waiting(try await TrialInTests.messages(of: planted, scenario))
        let open = try Self.waiting(try await TrialInTests.messages("lock-dual", scenario))
        #expect(locked.waiting > locked.decoding, "\(locked)")
        #expect(open.waiting < open.decoding / 2, "\(open)")
        #expect(locked.waiting > 3 * open.waiting, "\(locked), \(open)")
    }
}

/// Releases everything once a value was found in the time since the signal.
private class ReleasesSlowly: LoadsUnshared, @unchecked Sendable {
    // Sound although unchecked: mutable state is accessed only while `lock` is held.
    fileprivate let lock = NSLock()
    private var entries: [String: Payload] = [:]
    private var finds = 0

    required init(configuration: StrategyConfiguration) {}

    class var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "releases-slowly", summary: "releases entries at the end of its response")
    }

    func value(forKey key: String) -> Payload? {
        lock.withLock {
            let value = entries[key]
            if value != nil { finds += 1 }
            return value
        }
    }
    func insert(_ value: Payload, forKey key: String, cost: Int) { lock.withLock { entries[key] = value } }
    func removeValue(forKey key: String) { lock.withLock { entries[key] = nil } }
    func removeAll() { lock.withLock { entries = [:] } }

    func respond(to pressure: MemoryPressure) async { await release() }

    fileprivate final func release() async {
        let due = lock.withLock { finds + 100 }
        // The clients may have ended.
        for _ in 0..<10_000 where lock.withLock({ finds < due }) { await Task.yield() }
        removeAll()
    }
}
extension ReleasesSlowly: RespondsToMemoryPressure {}

/// The same, after its response.
private final class ReleasesLater: ReleasesSlowly, @unchecked Sendable {
    override class var declaration: StrategyDeclaration {
        var declaration = super.declaration
        (declaration.name, declaration.worksInBackground) = ("releases-later", true)
        return declaration
    }

    override func respond(to pressure: MemoryPressure) async { Task { await release() } }
}

/// Decodes fetched values while it holds the lock that every caller needs.
private final class DecodesUnderLock: LoadsUnshared, @unchecked Sendable {
    // Sound although unchecked: `entries` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var entries: [URL: Payload] = [:]

    init(configuration: StrategyConfiguration) {}

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "decodes-under-lock", summary: "decodes while every other caller waits")
    }

    func value(forKey key: URL) -> Payload? { lock.withLock { entries[key] } }
    func insert(_ value: Payload, forKey key: URL, cost: Int) { lock.withLock { put(value, forKey: key) } }
    func removeValue(forKey key: URL) { lock.withLock { entries[key] = nil } }
    func removeAll() { lock.withLock { entries = [:] } }

    func loadBlocking(_ key: URL, fetch: () throws -> Data) throws -> Loaded<Payload> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let bytes = try fetch()
        return try lock.withLock {
            let value = try Payload(encoded: bytes)
            put(value, forKey: key)
            return Loaded(value, .loaded)
        }
    }

    /// Holds few entries, so that most lookups of the gallery miss.
    private func put(_ value: Payload, forKey key: URL) {
        if entries.count >= 8 { entries = [:] }
        entries[key] = value
    }
}
