package import CacheStrategies
package import Foundation

/// A cache whose callers share loads and wait for them at a condition variable, with one ordering fault or none.
package final class WaitOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    SynchronousCacheStrategy, @unchecked Sendable
{
    /// A load in flight. Its variables are accessed while `condition` is held.
    private final class Flight {
        let ticket: Int
        var result: Result<Value, any Error>?
        var isOver = false

        init(ticket: Int) {
            self.ticket = ticket
        }
    }

    // Unchecked, because all of it is mutable; `condition` guards it.
    private let condition = NSCondition()
    private var entries: [Key: Value] = [:]
    private var flights: [Key: Flight] = [:]
    private var answers: [Int: Result<Value, any Error>] = [:]
    private var latest: Result<Value, any Error>?
    private var waiting = 0
    private var lastTicket = 0

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-waits", summary: Planted.fault?.summary ?? "waits in a loop",
            role: .control,
            promises: Promises(
                coalescesLoads: true, limit: .none, cancellation: .shared, mayWaitForItself: true))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? { condition.withLock { entries[key] } }

    // A load in flight may have been requested before a change: it is not joined afterwards, and inserts nothing.

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        condition.withLock { (entries[key], flights[key]) = (value, nil) }
    }

    package func removeValue(forKey key: Key) { condition.withLock { (entries[key], flights[key]) = (nil, nil) } }

    package func removeAll() {
        condition.withLock {
            entries.removeAll()
            flights.removeAll()
        }
    }

    package func statistics() -> CacheStatistics {
        condition.withLock { CacheStatistics(loadsInFlight: flights.count + waiting) }
    }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        condition.lock()
        if let value = entries[key] {
            condition.unlock()
            return Loaded(value, .hit)
        }
        if let flight = flights[key] {
            let result = joined(flight)
            condition.unlock()
            guard let result else { throw Unanswered() }
            return Loaded(try result.get(), .joined)
        }
        if Planted.has(.flightEnteredLate) {
            condition.unlock()
            condition.lock()
        }
        let flight = Flight(ticket: newTicket())
        flights[key] = flight
        condition.unlock()
        let result = Result { try Value(encoded: fetch()) }
        end(flight, key, result)
        return Loaded(try result.get(), .loaded)
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadOnThread(key, fetch: fetch)
    }

    /// Waits for a load. The caller holds the condition, before and after.
    private func joined(_ flight: Flight) -> Result<Value, any Error>? {
        waiting += 1
        defer { waiting -= 1 }
        if Planted.has(.lostWakeUp) {
            condition.unlock()
            let isOver = condition.withLock { flight.isOver }
            condition.lock()
            if !isOver { condition.wait() }
            return flight.result
        }
        if Planted.has(.waitWithoutLoop) {
            if !flight.isOver { condition.wait() }
            return latest
        }
        while !flight.isOver { condition.wait() }
        if Planted.has(.waiterCountedTwice), flights.count > 0 { waiting += 1 }
        return Planted.has(.ticketReused) ? answers[flight.ticket] : flight.result
    }

    private func newTicket() -> Int {
        if Planted.has(.ticketReused) { return flights.count }
        lastTicket += 1
        return lastTicket
    }

    private func end(_ flight: Flight, _ key: Key, _ result: Result<Value, any Error>) {
        condition.lock()
        flight.result = result
        latest = result
        if Planted.has(.ticketReused) { answers[flight.ticket] = result }
        if flights[key] === flight {
            flights[key] = nil
            if case .success(let value) = result { entries[key] = value }
        }
        if Planted.has(.broadcastBeforeDone) {
            condition.broadcast()
            condition.unlock()
            condition.lock()
        }
        flight.isOver = true
        let isFailure = if case .failure = result { true } else { false }
        if Planted.has(.signalForBroadcast) {
            condition.signal()
        } else if !Planted.has(.broadcastBeforeDone), !(Planted.has(.failureWakesNoWaiter) && isFailure) {
            condition.broadcast()
        }
        condition.unlock()
    }

    /// A load has ended without an answer.
    private struct Unanswered: Error {}
}
