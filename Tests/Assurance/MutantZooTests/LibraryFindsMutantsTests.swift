import CacheStrategies
import CacheTrialsTesting
import Conformance
import Foundation
import Locks
import Measurement
import Mutants
import Origins
import TestTiers
import Testing

/// What the library for tests of other packages finds by itself, at its defaults.
///
/// Left out are mutants that are no cache in memory: steps of a reader inside one access, files on a damaged or full disk
/// or after a loss of power, histories that were recorded wrongly, and programs for Thread Sanitizer.
@Suite(.serialized, .timeLimit(.minutes(120)))
struct LibraryFindsMutantsTests {
    private static let mutants: [Subject] =
        MutantZoo.all.compactMap { mutant in mutant.cache.map { Subject(mutant.name, $0) } }
        + SharedLoadMutant.all.map {
            // Elsewhere than in a process of its own it would end that of this test.
            Subject($0.name, $0.isDeadly ? nil : $0.cache, ordered: $0.ordered)
        } + OrderMutant.all.map { Subject("order-\($0)", ordered: $0.ordered) }

    /// Mutants that it need not find, and why.
    private static let excused = [
        // No promise says which entry is evicted first: the zoo compares them with a plain LRU.
        "evicts-most-recent", "touch-on-miss",
        // Two threads must meet between two locks. Orders would make them, and these caches have no types for orders.
        "halves-out-of-step", "removal-lost-beside-flush",
    ]

    private static let sound: [Subject] =
        SoundStrategy.all.compactMap { strategy in strategy.cache.map { Subject(strategy.name, $0) } }
        + [
            SharedLoadCache<Int, OrderedValue, PlantedFaults.None>.self,
            LockOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            WaitOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            ReadOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            QueueOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            LimitOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            TimerOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            FlushOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            ExpiryOrderCache<Int, OrderedValue, PlantedOrders.None>.self,
            LRUCache<Int, OrderedValue>.self, ActorCache<Int, OrderedValue>.self, DualCache<Int, OrderedValue>.self,
        ].map { (type: any CacheStrategy<Int, OrderedValue>.Type) in Subject(type.declaration.name, ordered: type) }

    @Test(.nightly) func `it finds 95 of 100 mutants`() async {
        var unfound: [String] = []
        var counts: [String: Int] = [:]
        let tried = await Subject.each(of: Self.mutants) { mutant in
            var ways: [Way] = []
            for way in Way.allCases {
                guard let finding = await mutant.finding(way) else { continue }
                ways.append(way)
                print("\(mutant.name), \(way.rawValue): \(finding.prefix(200))")
                // Callers that hang may still block threads of the pool, and the next way would end this process.
                if finding.contains("no call ended") { break }
            }
            for way in ways { counts[way.rawValue, default: 0] += 1 }
            if ways.isEmpty { unfound.append(mutant.name) }
        }
        print("of \(tried): \(counts), not found: \(unfound)")
        #expect(unfound.count * 20 <= tried, "\(unfound.filter { !Self.excused.contains($0) })")
    }

    @Test(.nightly) func `it accuses no sound cache`() async {
        await Subject.each(of: Self.sound) { cache in
            for way in Way.allCases {
                for seed in 1...(way == .contract ? 1 : 20) as ClosedRange<UInt64> {
                    guard let finding = await cache.finding(way, seed: seed) else { continue }
                    Issue.record("\(cache.name), \(way.rawValue), seed \(seed): \(finding)")
                }
            }
        }
    }
}

/// How the library looks for a fault.
private enum Way: String, CaseIterable { case contract, histories, orders }

/// A cache, opened for the library.
private struct Subject: Sendable {
    let name: String
    private var contract: CacheContract?
    private var histories: (@Sendable (_ seed: UInt64) async throws -> Void)?
    private var orders: (@Sendable (_ seed: UInt64) async -> Void)?

    init(
        _ name: String, _ type: (any CacheStrategy.Type)? = nil,
        ordered: (any CacheStrategy<Int, OrderedValue>.Type)? = nil
    ) {
        self.name = name
        switch type {
        case let type as any CacheStrategy<Int, StampedBytes>.Type: openStamped(type) { $0 }
        case let type as any CacheStrategy<String, StampedBytes>.Type: openStamped(type) { "key-\($0)" }
        case let type as any CacheStrategy<String, Payload>.Type: openPayload(type)
        case let type as any CacheStrategy<Int, TrackedValue>.Type: openCounted(type)
        case let type as any CacheStrategy<String, TrackedValue>.Type: openTracked(type)
        default: break
        }
        if let type = ordered as? any SynchronousCacheStrategy<Int, OrderedValue>.Type {
            orders = { await Self.expectOrders(of: type, seed: $0) }
        } else if let ordered {
            orders = { await Self.expectOrders(of: ordered, seed: $0) }
        }
    }

    private static let asked = "CACHE_TRIALS_LIBRARY_SUBJECT"

    /// Takes subjects one by one. A check in a process of its own begins its test anew, and finds its cache there at once.
    ///
    /// - Returns: how many were taken.
    @discardableResult
    static func each(of subjects: [Subject], _ body: (Subject) async -> Void) async -> Int {
        let asked = ProcessInfo.processInfo.environment[Self.asked]
        let own = subjects.filter { [nil, $0.name].contains(asked) }
        for subject in own {
            setenv(Self.asked, subject.name, 1)
            await body(subject)
        }
        // Otherwise the next test would find none of its subjects, and pass.
        if let asked { setenv(Self.asked, asked, 1) } else { unsetenv(Self.asked) }
        return own.count
    }

    /// The first failure; `nil` if there is none.
    ///
    /// - Parameter seed: for histories and orders; `nil` for the default.
    func finding(_ way: Way, seed: UInt64? = nil) async -> String? {
        switch way {
        case .contract:
            for check in contract?.checks ?? [] { if let failure = await check.failures().first { return failure } }
            return nil
        case .histories: return await Self.error { try await histories?(seed ?? 29) }
        case .orders: return await Self.error { await orders?(seed ?? 1) }
        }
    }

    /// The first error that an expectation records; warnings are none.
    private static func error(_ body: () async throws -> Void) async -> String? {
        let errors = Locked([String]())
        try? await withKnownIssue(isIntermittent: true) {
            try await body()
        } matching: { issue in
            if issue.severity >= .error { errors.withLock { $0.append("\(issue.comments)") } }
            return true
        }
        return errors.withLock(\.first)
    }

    private mutating func openStamped<Cache: CacheStrategy>(
        _ type: Cache.Type, key: @escaping @Sendable (Int) -> Cache.Key
    ) where Cache.Value == StampedBytes {
        contract = CacheContract { TrialSubject(type, makeKey: key).makeKit() }
        histories = { seed in
            let values = HistoryValues(
                make: { StampedBytes(key: $0, version: $1, byteCount: StampedBytes.headerByteCount) }, stamp: \.stamp)
            try await expectConsistentHistories(of: type, key: key, values: values, seed: seed)
        }
    }

    /// Other tests check the contract of registered strategies.
    private mutating func openPayload<Cache: CacheStrategy<String, Payload>>(_ type: Cache.Type) {
        let subject = SoundStrategy.subject(of: type)
        histories = { seed in
            let values = HistoryValues(make: subject.makeValue, stamp: subject.stamp)
            try await expectConsistentHistories(of: type, key: subject.makeKey, values: values, seed: seed)
        }
    }

    private mutating func openCounted<Cache: CacheStrategy<Int, TrackedValue>>(_ type: Cache.Type) {
        contract = CacheContract {
            var kit = ConformanceKit(type)
            // The library measures the memory of the C library; the allocator of this process is another one.
            if !(type is any RespondsToMemoryPressure.Type) {
                kit.allocatedBytes = { MemoryMeter.read().allocatedBytes }
            }
            return kit
        }
        histories = { try await expectConsistentHistories(of: type, key: { $0 }, values: .tracked, seed: $0) }
    }

    private mutating func openTracked<Cache: CacheStrategy<String, TrackedValue>>(_ type: Cache.Type) {
        contract = CacheContract(type)
        histories = { try await expectConsistentHistories(of: type, seed: $0) }
    }

    private static func expectOrders<Cache: SynchronousCacheStrategy<Int, OrderedValue>>(
        of type: Cache.Type, seed: UInt64
    ) async {
        await expectConsistentOrders(of: type, seed: seed)
    }

    private static func expectOrders<Cache: CacheStrategy<Int, OrderedValue>>(of type: Cache.Type, seed: UInt64) async {
        await expectConsistentOrders(of: type, seed: seed)
    }
}
