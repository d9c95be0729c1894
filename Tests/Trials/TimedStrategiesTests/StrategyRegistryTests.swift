import BuiltInStrategies
import CacheStrategies
import Origins
import StrategyTestSupport
import Testing
import TimedStrategies
import TrialModel

/// Names of strategies that a program adds.
@Suite(.timeLimit(.minutes(1)))
struct OwnStrategyNameTests {
    private static func strategy(_ name: String) -> Strategy {
        Strategy(LRUCache<Int, Payload>.self).named(name)
    }

    private static func added(_ names: String...) throws(StrategyNameError) -> [String] {
        try StrategyRegistry.builtIn.adding(names.map(strategy), reserved: ["all"]).names
    }

    @Test func `added strategies are listed after the built-in ones`() throws {
        #expect(try Self.added("mine", "my-2nd") == StrategyRegistry.builtIn.names + ["mine", "my-2nd"])
    }

    @Test func `a name that is taken is refused`() {
        #expect {
            _ = try Self.added("mine", "lru")
        } throws: {
            "\($0)" == "there is already a strategy called 'lru' (least recently used, bounded by entries and by cost, "
                + "behind one lock); give yours another name in its declaration"
        }
    }

    @Test func `two added strategies can't have one name`() {
        #expect(throws: StrategyNameError.taken("mine", by: LRUCache<Int, Payload>.declaration.summary)) {
            _ = try Self.added("mine", "mine")
        }
    }

    @Test func `a group's name is refused`() {
        #expect(throws: StrategyNameError.reserved("all")) { _ = try Self.added("all") }
    }

    @Test(arguments: ["", "My-Cache", "my cache", "my--cache", "-mine", "a,b", "müde"])
    func `a name that is not kebab-case is refused`(name: String) {
        #expect(throws: StrategyNameError.notKebabCase(name)) { _ = try Self.added(name) }
    }

    @Test func `a cache for one caller at a time needs a lock around it`() throws {
        let registry = StrategyRegistry.builtIn
        #expect(throws: StrategyNameError.unguarded("bare")) {
            _ = try registry.adding([Strategy(BareCache.self)], reserved: [])
        }
        let guarded = try registry.adding([Strategy(OneCallerAtATime<BareCache>.self)], reserved: [])
        #expect(guarded["bare"]?.declaration.callers == .one)
    }

    // Its own loads are not called, so what it promises of them is not promised.
    @Test func `a guarded cache promises nothing of loads, and keeps its tiers`() {
        let promises = OneCallerAtATime<BareCache>.declaration.promises
        #expect(!promises.coalescesLoads && !promises.keepsNewerWrites && !promises.cachesErrors)
        #expect(promises.limit == .none && promises.durability == BareCache.declaration.promises.durability)
        #expect(OneCallerAtATime<BareCache>.reportsTiers)
    }

    @Test func `callers of a guarded cache wait for one another`() async throws {
        let cache = try OneCallerAtATime<BareCache>(configuration: StrategyConfiguration())
        let value = PayloadFactory(specification: ValueSpecification(kind: .bytes, size: .fixed(64)), seed: 1)
            .payload(key: 1, version: 1)
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask {
                    for number in 0..<1_000 { cache.insert(value, forKey: 4 * number + caller, cost: 64) }
                }
            }
        }
        #expect(cache.statistics().entryCount == 4_000)
    }
}

/// Names that request shared loads.
@Suite(.timeLimit(.minutes(1)))
struct SharingNameTests {
    private let registry = StrategyRegistry.builtIn

    @Test func `shared+ before a name makes callers share loads`() throws {
        let strategy = try #require(registry["shared+lru"])
        let declaration = strategy.declaration
        #expect(declaration.name == "shared+lru" && strategy.baseName == "lru")
        #expect(declaration.promises.coalescesLoads && declaration.promises.keepsNewerWrites)
        #expect(declaration.bounds == LRUCache<Int, Payload>.declaration.bounds)
        #expect(!strategy.suspends && strategy.stringKeyed?.declaration == declaration)
        #expect(registry["shared+disk"]?.suspends == true)
    }

    @Test(arguments: StrategyRegistry.builtIn.names) func `every strategy that doesn't share loads can`(name: String) {
        let shares = registry[name]?.declaration.promises.coalescesLoads == true
        #expect((registry["shared+\(name)"] == nil) == shares)
        #expect(registry.reasonAgainstSharing("shared+\(name)") == (shares ? "\(name) already shares loads" : nil))
        #expect(registry.sharingNames.contains("shared+\(name)") != shares)
    }

    @Test func `loads can't be shared twice`() {
        #expect(registry["shared+shared+lru"] == nil && registry["shared+lruu"] == nil && registry["shared+"] == nil)
        #expect(registry.reasonAgainstSharing("shared+shared+lru") == "shared+lru already shares loads")
        #expect(registry.reasonAgainstSharing("shared+lruu") == nil)
    }

    @Test func `added strategies can share loads as well`() throws {
        let extended = try registry.adding([Strategy(OneCallerAtATime<BareCache>.self)], reserved: [])
        #expect(extended["shared+bare"]?.declaration.name == "shared+bare")
        #expect(
            extended.ordered(["shared+bare", "bare", "shared+lru", "other"]) == ["shared+lru", "bare", "shared+bare"])
    }

    @Test func `a published cache or a control is expected to fail with shared loads as well`() {
        #expect(registry.unjudged.isSuperset(of: ["stale", "shared+stale", "shared+published-disk"]))
        #expect(!registry.unjudged.contains("shared+lru"))
    }
}

/// A dictionary without a lock.
private final class BareCache: LoadsUnshared, @unchecked Sendable {
    // Sound only for one caller at a time, as it declares.
    private var values: [Int: Payload] = [:]

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "bare", summary: "a dictionary",
            promises: Promises(coalescesLoads: true, limit: .none, cachesErrors: true, keepsNewerWrites: true),
            callers: .one)
    }
    static var reportsTiers: Bool { true }

    init(configuration: StrategyConfiguration) {}
    func value(forKey key: Int) -> Payload? { values[key] }
    func insert(_ value: Payload, forKey key: Int, cost: Int) { values[key] = value }
    func removeValue(forKey key: Int) { values[key] = nil }
    func removeAll() { values = [:] }
    func statistics() -> CacheStatistics { CacheStatistics(entryCount: values.count) }
}
