import CacheStrategies
import Conformance
import Foundation

// Each is `SharedLoadsCache` with one wrong step: what becomes of a load that a change of its key overtakes.

final class OvertakenJoinersCache: SharedLoadsCache, @unchecked Sendable {
    struct Overtaken: Error {}

    // Broken on purpose: the callers that had joined lose their answer with the load's place in the table.
    override func overtake(_ key: Int) {
        flights[flightNumber(of: key)]?.isOvertaken = true
        super.overtake(key)
    }

    override func answer(
        _ result: Result<StampedBytes, any Error>, of flight: Flight
    ) -> Result<StampedBytes, any Error> {
        exclusively { flight.isOvertaken } ? .failure(Overtaken()) : result
    }

    static let mutant = Mutant(
        "overtaken-load-fails-joiners", .loads, caughtBy: .conformance(.overtakenLoadsSettle),
        "callers that joined a load get an error when a write or removal overtakes it", OvertakenJoinersCache.self)
}

final class LoadAfterClearCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: the loads do not learn that all keys were removed.
    override func overtakeAll() {}

    static let mutant = Mutant(
        "load-inserts-after-clear", .loads, caughtBy: .conformance(.overtakenLoadsSettle),
        "a load inserts although all keys were removed meanwhile", LoadAfterClearCache.self)
}

final class WriteLostToLoadCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: the entry is that of the write.
    override func noteOvertaken(_ key: Int) { takeOut(key) }

    static let mutant = Mutant(
        "overtaken-load-removes-write", .loads, caughtBy: .conformance(.overtakenLoadsSettle),
        "a load that was overtaken by a write removes what was written", WriteLostToLoadCache.self)
}

final class FailedLoadRemovesCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: the entry may be that of a write during the fetch.
    override func noteFailure(of key: Int, _ error: any Error) { takeOut(key) }

    static let mutant = Mutant(
        "failed-load-removes-write", .loads, caughtBy: .conformance(.overtakenLoadsSettle),
        "a load that fails removes what was written during its fetch", FailedLoadRemovesCache.self)
}

final class OwnLoadWaitsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: it does not say that a fetch of a key that loads the same key waits for itself.
    override class var declaration: StrategyDeclaration {
        var declaration = super.declaration
        declaration.promises.mayWaitForItself = false
        return declaration
    }

    static let mutant = Mutant(
        "own-load-waits-for-itself", .loads, caughtBy: .conformance(.fetchesMayCall),
        "a fetch that loads its own key joins its own load", OwnLoadWaitsCache.self)
}
