import CacheStrategies
import Conformance
import Foundation
import TrialModel

/// The invariants of a strategy once all its callers have ended.
struct QuiescenceCheck<Strategy: CacheStrategy>: Sendable {
    private let subject: TrialSubject<Strategy>
    private let keyCount: Int

    init(_ subject: TrialSubject<Strategy>, keyCount: Int) {
        self.subject = subject
        self.keyCount = keyCount
    }

    /// No load is left behind, neither by the callers nor by a load that fails now; and each new load fetches.
    func alarms(of cache: Strategy) async -> [Alarm] {
        let promises = Strategy.declaration.promises
        guard promises.consistency != .eventual else { return [] }
        if let left = await loadsLeft(in: cache) { return [left] }
        for number in 0..<keyCount {
            await cache.removeValue(forKey: subject.makeKey(number))
            do {
                if !promises.cachesErrors {
                    _ = try? await load(number, in: cache) { throw ScriptedOrigin.Refused() }
                    if let left = await loadsLeft(in: cache) { return [left] }
                }
                let bytes = try subject.makeValue(number, 1).encoded()
                let outcome = try await load(number, in: cache) { bytes }
                guard outcome == .loaded else {
                    return [Alarm(.promise(.noLeakedLoad), "a load of a removed key returns \(outcome)")]
                }
            } catch {
                return [Alarm(.promise(.errors), "a load whose fetch works fails with \(error)")]
            }
        }
        return []
    }

    /// A load may need a moment to be forgotten.
    private func loadsLeft(in cache: Strategy) async -> Alarm? {
        let deadline = ContinuousClock.now + subject.patience
        while let left = await cache.statistics().loadsInFlight, left != 0 {
            if ContinuousClock.now > deadline {
                return Alarm(.promise(.noLeakedLoad), "\(left) loads are in flight after all callers have ended")
            }
            await Task.yield()
        }
        return nil
    }

    /// Loads as the callers did: on a thread where the strategy is synchronous.
    private func load(
        _ number: Int, in cache: Strategy, fetch: @escaping @Sendable () throws -> Data
    ) async throws -> LoadOutcome {
        let key = subject.makeKey(number)
        guard let synchronous = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value> else {
            return try await cache.load(key) { try fetch() }.outcome
        }
        return try await onThread { Result { try synchronous.loadBlocking(key, fetch: fetch).outcome } }.get()
    }
}
