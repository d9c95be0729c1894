package import CacheStrategies
import Foundation
import Schedules
package import TimedStrategies

/// A cache with more threads than an exploration has room for: they wait until it closes.
package final class CrowdedCache<Value: CacheableValue>: SynchronousCacheStrategy, @unchecked Sendable {
    // Unchecked, because `entries` is mutable: `lock` guards it.
    private let lock = NSLock()
    private var entries: [Int: Value] = [:]
    private let end = DispatchSemaphore(value: 0)
    private let threadCount = 62

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "crowd", summary: "many threads that wait for its end", role: .control,
            promises: Promises(limit: .none), worksInBackground: true)
    }

    package init(configuration: StrategyConfiguration) {
        for _ in 0..<threadCount { Thread { [end] in end.wait() }.start() }
    }

    package func value(forKey key: Int) -> Value? { lock.withLock { entries[key] } }

    package func insert(_ value: Value, forKey key: Int, cost: Int) { lock.withLock { entries[key] = value } }

    package func removeValue(forKey key: Int) { lock.withLock { entries[key] = nil } }

    package func removeAll() { lock.withLock { entries.removeAll() } }

    package func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    package func close() {
        for _ in 0..<threadCount { end.signal() }
    }
}

extension Primitives {
    /// Has no room for threads.
    package static let crowd = Strategy(CrowdedCache<TrialValue>.self).exploring(CrowdedCache<ScheduleValue>.self)
}
