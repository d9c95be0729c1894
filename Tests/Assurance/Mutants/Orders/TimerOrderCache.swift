package import CacheStrategies
package import Foundation
import StrategyTestSupport

/// A cache with a thread that moves old entries to a second table every second, and with loads that are sent a second
/// time when the first has no answer after a second; with one ordering fault or none.
package final class TimerOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    /// A load in flight. Its variables are accessed while `condition` is held.
    private final class Flight {
        var result: Result<Value, any Error>?
        /// Whether a caller waits that sends the load again after a second.
        var isWatched = false
        /// Callers whose request has no answer yet: one, or two when the load was sent again.
        var requests = 0
    }

    // Unchecked, because all of it is mutable; `condition` guards it.
    private let condition = NSCondition()
    private let sweeps = NSCondition()
    private var recent: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var flights: [Key: Flight] = [:]
    private var isClosed = false

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-timers",
            summary: Planted.fault?.summary ?? "waits and sweeps by time",
            role: .control, promises: Promises(limit: .none, cancellation: .shared), worksInBackground: true)
    }

    package init(configuration: StrategyConfiguration) {
        Thread { [self] in sweepUntilClosed() }.start()
    }

    package func value(forKey key: Key) -> Value? { condition.withLock { recent[key] ?? old[key] } }

    // A load in flight may have been requested before a change: it inserts nothing and is not joined afterwards.

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        condition.withLock { (recent[key], flights[key]) = (value, nil) }
    }

    package func removeValue(forKey key: Key) {
        condition.withLock { (recent[key], old[key], flights[key]) = (nil, nil, nil) }
    }

    package func removeAll() {
        condition.withLock {
            recent.removeAll()
            old.removeAll()
            flights.removeAll()
        }
    }

    package func statistics() -> CacheStatistics {
        condition.withLock { CacheStatistics(loadsInFlight: flights.count) }
    }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        condition.lock()
        if let value = recent[key] ?? old[key] {
            condition.unlock()
            return Loaded(value, .hit)
        }
        var flight = Flight()
        if let first = flights[key] {
            if let result = joined(first, key) {
                condition.unlock()
                return Loaded(try result.get(), .joined)
            }
            // A load that a change has overtaken inserts nothing, also when it is sent again.
            if !Planted.has(.secondLoadForgetsFirst), flights[key] === first { flight = first }
        }
        if Planted.has(.secondLoadForgetsFirst) || flights[key] == nil { flights[key] = flight }
        flight.requests += 1
        condition.unlock()
        let result = Result { try Value(encoded: fetch()) }
        end(flight, key, result)
        return Loaded(try result.get(), .loaded)
    }

    package func close() {
        sweeps.withLock {
            isClosed = true
            sweeps.broadcast()
        }
    }

    /// Waits for a load; `nil` if the caller must send it again. The caller holds the condition, before and after.
    private func joined(_ flight: Flight, _ key: Key) -> Result<Value, any Error>? {
        if flight.isWatched {
            while flight.result == nil { condition.wait() }
            return flight.result
        }
        flight.isWatched = true
        let end = Date(timeIntervalSinceNow: 1)
        if Planted.has(.timeoutTakenForSignal) {
            _ = condition.wait(until: end)
            return flight.result ?? .failure(Unanswered())
        }
        while flight.result == nil, condition.wait(until: end) {}
        return flight.result
    }

    /// A failure ends a load only when no other request of it may still succeed.
    private func end(_ flight: Flight, _ key: Key, _ result: Result<Value, any Error>) {
        condition.withLock {
            if Planted.has(.secondLoadForgetsFirst), flights[key] !== flight { return }
            flight.requests -= 1
            if case .failure = result, flight.requests > 0 { return }
            if flights[key] === flight {
                flights[key] = nil
                if case .success(let value) = result { recent[key] = value }
            }
            if flight.result == nil { flight.result = result }
            condition.broadcast()
        }
    }

    private func sweepUntilClosed() {
        sweeps.lock()
        while !isClosed {
            guard !sweeps.wait(until: Date(timeIntervalSinceNow: 1)) else { continue }
            sweeps.unlock()
            sweep()
            sweeps.lock()
        }
        sweeps.unlock()
    }

    private func sweep() {
        if Planted.has(.sweptAfterLook) {
            let found = condition.withLock { recent }
            condition.withLock {
                for (key, value) in found { (recent[key], old[key]) = (nil, value) }
            }
        } else {
            condition.withLock {
                old.merge(recent) { $1 }
                recent.removeAll()
            }
        }
    }

    /// A load has no answer yet.
    private struct Unanswered: Error {}
}
