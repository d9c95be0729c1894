import CacheStrategies
import Conformance

/// What must hold of a strategy once all its callers have ended.
struct QuiescenceCheck<Strategy: CacheStrategy>: Sendable {
    private let subject: TrialSubject<Strategy>
    private let keyCount: Int

    init(_ subject: TrialSubject<Strategy>, keyCount: Int) {
        self.subject = subject
        self.keyCount = keyCount
    }

    /// No load is left behind, and one that begins now fetches.
    func alarms(of cache: Strategy) async -> [Alarm] {
        guard Strategy.declaration.promises.consistency != .eventual else { return [] }
        if let left = await cache.statistics().loadsUnderWay, left != 0 {
            return [Alarm(.promise(.noLeakedLoad), "\(left) loads are under way after all callers have ended")]
        }
        for number in 0..<keyCount {
            await cache.removeValue(forKey: subject.makeKey(number))
            do {
                let outcome = try await load(number, in: cache)
                guard outcome == .loaded else {
                    return [Alarm(.promise(.noLeakedLoad), "a load of a key that was removed says \(outcome)")]
                }
            } catch {
                return [Alarm(.promise(.errors), "a load whose fetch works fails with \(error)")]
            }
        }
        return []
    }

    /// As the callers did: on a thread where the strategy is synchronous.
    private func load(_ number: Int, in cache: Strategy) async throws -> LoadOutcome {
        let key = subject.makeKey(number)
        let bytes = try subject.makeValue(number, 1).encoded()
        guard let synchronous = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value> else {
            return try await cache.load(key) { bytes }.outcome
        }
        return try await onThread { Result { try synchronous.loadBlocking(key) { bytes }.outcome } }.get()
    }
}
