import BuiltInStrategies
import CacheServers
import CacheStrategies
import Conformance
import TestTiers
import Testing

/// A strategy on a server or an embedded engine, with what the conformance kit needs.
struct ServerCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Why it can't be opened here; `nil` when it can.
    let absence: String?
    let failures: @Sendable (ConformanceCheck) async -> [ConformanceFailure]

    init<Strategy: CacheStrategy<String, TrackedValue>>(_ type: Strategy.Type) {
        testDescription = Strategy.declaration.name
        absence = ServerPrograms.absence(of: Strategy.declaration.name)
        failures = { check in
            await ConformanceKit(type).failures(of: check)
        }
    }

    static var all: [ServerCase] {
        var cases = [
            ServerCase(RedisCache<String, TrackedValue>.self),
            ServerCase(MemcachedCache<String, TrackedValue>.self),
        ]
        #if URLCache
            cases.append(ServerCase(SystemURLCache<String, TrackedValue>.self))
        #endif
        #if SQLite
            cases.append(ServerCase(SQLiteCache<String, TrackedValue>.self))
        #endif
        return cases
    }
}

@Suite(.timeLimit(.minutes(2)))
struct ServerConformanceTests {
    @Test(.nightly, arguments: ServerCase.all.filter { $0.absence == nil }, ConformanceCheck.allCases)
    func `a strategy keeps the contract and its own promises`(strategy: ServerCase, check: ConformanceCheck) async {
        for failure in await strategy.failures(check) { Issue.record("\(failure)") }
    }

    #if SQLite
        @Test(.nightly, arguments: [ConformanceCheck.hostileCostsAreHarmless, .edgeCostsAreCounted])
        func `a cache that lowers huge costs is judged by what it records`(check: ConformanceCheck) async {
            for failure in await ServerCase(SQLiteCache<String, TrackedValue>.self).failures(check) {
                Issue.record("\(failure)")
            }
        }
    #endif

    // A skipped server shows up by name, and not silently.
    @Test(
        .enabled(if: ServerCase.all.allSatisfy { $0.absence == nil }, "a server's program is not on PATH"),
        arguments: ServerCase.all)
    func `every server ran the conformance kit`(strategy: ServerCase) {
        #expect(strategy.absence == nil)
    }
}
