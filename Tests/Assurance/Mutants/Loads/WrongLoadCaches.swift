import CacheStrategies
import Conformance
import Foundation
import TrialModel

// Each is `SharedLoadsCache` with one wrong step.

/// Wakes only one of the waiting callers.
final class ForgottenWaiterCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override func wake(_ condition: NSCondition) { condition.signal() }

    static let mutant = Mutant(
        "waiter-never-woken", .loads, caughtBy: .promise(.noLostCaller),
        "only one of the threads that wait for a fetch is woken", ForgottenWaiterCache.self)
}

/// Leaves a failed load in the table.
final class LeftBehindCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override var forgetsFailed: Bool { false }

    static let mutant = Mutant(
        "failed-load-left-behind", .loads, caughtBy: .conformance(.failureLeavesNoLoadBehind),
        "a failed load stays in the table, and later callers join it", LeftBehindCache.self)
}

/// Returns an error that another caller got long ago.
final class RememberedErrorCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: no promise says that errors are kept.
    private var failures: [Int: any Error] = [:]

    override func noteFailure(of key: Int, _ error: any Error) { failures[key] = error }
    override func knownFailure(of key: Int) -> (any Error)? { failures[key] }

    static let mutant = Mutant(
        "error-kept-forever", .loads, caughtBy: .conformance(.loadErrorReachesCaller),
        "a key whose load failed once always fails, without a fetch", RememberedErrorCache.self)
}

/// Declares that it shares loads, and does not.
final class UnsharedLoadsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override func joinable(_ key: Int) -> Flight? { nil }

    static let mutant = Mutant(
        "loads-not-shared", .loads, caughtBy: .promise(.singleFlight),
        "callers that miss at the same time all fetch, although the cache declares shared loads",
        UnsharedLoadsCache.self)
}

/// Joins the load of a neighbouring key.
final class CrossedLoadsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override func flightNumber(of key: Int) -> Int { key / 2 }

    static let mutant = Mutant(
        "loads-shared-across-keys", .loads, caughtBy: .promise(.ownValues),
        "loads in flight are looked up by half of the key", CrossedLoadsCache.self)
}

/// A caller that joins a load removes it from the table, and the next caller starts another.
final class JoinerForgetsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: only the load's own end may do that.
    override func noteJoin(_ key: Int) { flights[flightNumber(of: key)] = nil }

    static let mutant = Mutant(
        "joiner-ends-sharing", .loads, caughtBy: .conformance(.loadsAreShared),
        "a caller that joins a load removes it from the table", JoinerForgetsCache.self)
}

/// Brings back a value that was fetched before a write.
final class OverwritingLoadCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: the load does not learn that it was overtaken.
    override func overtake(_ key: Int) {}

    static let mutant = Mutant(
        "blocking-load-over-newer-write", .values, caughtBy: .promise(.newerWritesWin),
        "a load inserts although its key was written meanwhile", OverwritingLoadCache.self)
}

/// Loses what it has fetched, now and then.
class LosingLoadsCache: SharedLoadsCache, @unchecked Sendable {
    struct Lost: Error {}

    // Broken on purpose: no fetch failed.
    private var fetched = 0

    /// One of how many fetches is lost.
    class var period: Int { 20 }

    final override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        let loaded = try super.loadBlocking(key, fetch: fetch)
        guard loaded.outcome == .loaded else { return loaded }
        let isLost = exclusively {
            fetched += 1
            return fetched.isMultiple(of: Self.period)
        }
        if isLost { throw Lost() }
        return loaded
    }

    static let mutant = Mutant(
        "one-load-in-twenty-fails", .loads, caughtBy: .promise(.errors),
        "one of twenty loads fails although its fetch did not", LosingLoadsCache.self)
}

final class OftenLosingLoadsCache: LosingLoadsCache, @unchecked Sendable {
    override class var period: Int { 4 }

    static let often = Mutant(
        "one-load-in-four-fails", .loads, caughtBy: .conformance(.loadMissesThenHits),
        "one of four loads fails although its fetch did not", OftenLosingLoadsCache.self)
}
