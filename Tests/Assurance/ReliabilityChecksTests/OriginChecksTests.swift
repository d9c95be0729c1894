#if HTTP
    import CacheStrategies
    import Foundation
    import Locks
    import Origins
    import ReliabilityChecks
    import TestTiers
    import Testing

    /// Sound strategies pass a sample of the origin's faults; the program `reliability-checks` runs all of them.
    @Suite(.timeLimit(.minutes(5)))
    struct OriginChecksTests {
        static let seed: UInt64 = 5
        /// Each strategy runs another part of the cases, in an order by its name.
        private static let casesPerStrategy = TestTier.isNightly ? 8 : 2

        @Test(arguments: OriginFaultCheck.candidateNames)
        func `the origin may fail in every way`(strategy: String) async throws {
            let check = try #require(OriginFaultCheck.candidates.first { $0.strategy == strategy })
            let tally = try await check.run(seed: Self.seed, CheckBudget(countMax: Self.casesPerStrategy))
            #expect(tally.failures == 0, "\(tally.line)")
            #expect(tally.done == Self.casesPerStrategy)
        }

        @Test func `a cache that keeps a failure is noticed`() async throws {
            let tally = try await OriginFaultCheck(BrokenLoads<KeepsFailures>.self).run(
                seed: Self.seed, CheckBudget(countMax: 30, endsWithFailure: true))
            #expect(tally.failures > 0, "\(tally.line)")
        }

        @Test func `a cache that hides a failure is noticed`() async throws {
            let tally = try await OriginFaultCheck(BrokenLoads<HidesFailures>.self).run(
                seed: Self.seed, CheckBudget(countMax: 30, endsWithFailure: true))
            #expect(tally.failures > 0, "\(tally.line)")
            #expect(tally.firstFailure?.contains("but no caller got an error") == true, "\(tally.line)")
        }

        @Test func `a cache that returns a failure to other keys is noticed`() async throws {
            let tally = try await OriginFaultCheck(BrokenLoads<SpreadsFailures>.self).run(
                seed: Self.seed, CheckBudget(countMax: 44, endsWithFailure: true))
            #expect(tally.failures > 0, "\(tally.line)")
        }
    }

    /// How ``BrokenLoads`` handles a failure.
    protocol FailureHandling: Sendable {
        static var name: String { get }
        static var keeps: Bool { get }
        static var hides: Bool { get }
        static var spreads: Bool { get }
    }

    extension FailureHandling {
        static var keeps: Bool { false }
        static var hides: Bool { false }
        static var spreads: Bool { false }
    }

    enum KeepsFailures: FailureHandling {
        static let name = "keeps-failures"
        static let keeps = true
    }

    enum HidesFailures: FailureHandling {
        static let name = "hides-failures"
        static let hides = true
    }

    enum SpreadsFailures: FailureHandling {
        static let name = "spreads-failures"
        static let spreads = true
    }

    /// A dictionary behind a lock that does one thing wrong when a load fails.
    final class BrokenLoads<Handling: FailureHandling>: CacheStrategy {
        static var declaration: StrategyDeclaration {
            StrategyDeclaration(name: Handling.name, summary: "a dictionary that is wrong about failures")
        }

        private struct State {
            var values: [String: Payload] = [:]
            var failures: [String: any Error] = [:]
        }

        private let state = Locked(State())

        init(configuration: StrategyConfiguration) throws {}

        func value(forKey key: String) async -> Payload? { state.withLock { $0.values[key] } }

        func insert(_ value: Payload, forKey key: String, cost: Int) async { state.withLock { $0.values[key] = value } }

        func removeValue(forKey key: String) async { state.withLock { $0.values[key] = nil } }

        func removeAll() async { state.withLock { $0 = State() } }

        func statistics() async -> CacheStatistics { CacheStatistics() }

        func close() async {}

        func load(
            _ key: String, fetch: @escaping @Sendable () async throws -> Data
        ) async throws -> Loaded<Payload> {
            if let value = await value(forKey: key) { return Loaded(value, .hit) }
            if Handling.keeps || Handling.spreads {
                let known = state.withLock { Handling.spreads ? $0.failures.values.first : $0.failures[key] }
                if let known { throw known }
            }
            while true {
                do {
                    let value = try Payload(encoded: await fetch())
                    await insert(value, forKey: key, cost: 0)
                    return Loaded(value, .loaded)
                } catch {
                    if Handling.hides { continue }
                    state.withLock { $0.failures[key] = error }
                    throw error
                }
            }
        }
    }
#endif
