import BuiltInStrategies
import CacheStrategies
import Payloads
import Testing
import TimedStrategies

/// Names of strategies that a program adds.
@Suite(.timeLimit(.minutes(1)))
struct OwnStrategyNameTests {
    private static func strategy(_ name: String) -> Strategy {
        Strategy(LRUCache<Int, Payload>.self).named(name)
    }

    private static func added(_ names: String...) throws(StrategyNameError) -> [String] {
        try StrategyRegistry.builtIn.adding(names.map(strategy), reserved: ["all"]).names
    }

    @Test func `own strategies stand behind those that are built in`() throws {
        #expect(try Self.added("mine", "my-2nd") == StrategyRegistry.builtIn.names + ["mine", "my-2nd"])
    }

    @Test func `a name that is taken is refused`() {
        #expect {
            _ = try Self.added("mine", "lru")
        } throws: {
            "\($0)" == "there is a strategy called 'lru' already (least recently used, bounded by entries and by cost, "
                + "behind one lock); give yours another name in its declaration"
        }
    }

    @Test func `two own strategies can't have one name`() {
        #expect(throws: StrategyNameError.taken("mine", by: LRUCache<Int, Payload>.declaration.summary)) {
            _ = try Self.added("mine", "mine")
        }
    }

    @Test func `a group's name is refused`() {
        #expect(throws: StrategyNameError.reserved("all")) { _ = try Self.added("all") }
    }

    @Test(arguments: ["", "My-Cache", "my cache", "my--cache", "-mine", "a,b", "müde"])
    func `what is not kebab-case is refused`(name: String) {
        #expect(throws: StrategyNameError.notKebabCase(name)) { _ = try Self.added(name) }
    }
}
