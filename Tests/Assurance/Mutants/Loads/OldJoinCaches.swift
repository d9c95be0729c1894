import CacheStrategies
import Conformance
import Foundation

// Each is `SharedLoadsCache` with one wrong step: a change of a key stops the load in flight from inserting, and
// later callers can still join it.

final class RemovalJoinedCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override func overtakeByRemoval(_ key: Int) { flights[flightNumber(of: key)]?.isOvertaken = true }

    static let mutant = Mutant(
        "removal-leaves-load-joinable", .loads, caughtBy: .conformance(.loadsRespectOwnPast),
        "a caller that removed a key joins the load that was in flight before", RemovalJoinedCache.self)
}

final class ClearJoinedCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose.
    override func overtakeAll() { for flight in flights.values { flight.isOvertaken = true } }

    static let mutant = Mutant(
        "clear-leaves-loads-joinable", .loads, caughtBy: .conformance(.loadsRespectOwnPast),
        "a caller that removed all keys joins a load that was in flight before", ClearJoinedCache.self)
}

final class EvictedWriteJoinedCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: it goes unnoticed while the write is held.
    override func overtake(_ key: Int) { flights[flightNumber(of: key)]?.isOvertaken = true }
    override func overtakeByRemoval(_ key: Int) { flights[flightNumber(of: key)] = nil }

    static let mutant = Mutant(
        "evicted-write-leaves-load-joinable", .loads, caughtBy: .conformance(.loadsRespectOwnPast),
        "a caller whose write was evicted joins the load that was in flight before it", EvictedWriteJoinedCache.self)
}

/// Sound: a load in flight stays in the table when its key is changed, and only callers from before the change join
/// it.
final class EpochLoadsCache: SharedLoadsCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        var declaration = super.declaration
        declaration.name = "epoch-loads"
        declaration.summary = "loads are joined within one epoch of their key"
        return declaration
    }

    override func overtake(_ key: Int) { flights[flightNumber(of: key)]?.isOvertaken = true }
    override func overtakeAll() { for flight in flights.values { flight.isOvertaken = true } }
    override func joinable(_ key: Int) -> Flight? {
        flights[flightNumber(of: key)].flatMap { $0.isOvertaken ? nil : $0 }
    }
}
