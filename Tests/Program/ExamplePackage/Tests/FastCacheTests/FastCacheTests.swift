import CacheTrialsTesting
import Testing

@testable import fast_cache_trials

/// The cache has one bug: its removal does not count as a change, so that a load in flight brings the entry back, and
/// that a caller that has removed a key may join an older load. Without `withKnownIssue` two tests fail.
@Suite(.timeLimit(.minutes(2)))
struct FastCacheTests {
    @Test(arguments: CacheContract(FastCache<String, TrackedValue>.self).checks)
    func `it keeps its contract, but for one promise`(_ check: ContractCheck) async throws {
        let isMeant = check.name.hasPrefix("a load that a change overtakes")
        guard isMeant || check.name.hasPrefix("a caller that changed a key") else { return try await check() }
        try await withKnownIssue(isIntermittent: !isMeant) { try await check() }
    }

    /// The same cache behind its calls.
    private static let adapted = CacheContract(adapting: FastCache<String, TrackedValue>.declaration) { configuration in
        let cache = try FastCache<String, TrackedValue>(configuration: configuration)
        return CacheOperations(
            get: { cache.value(forKey: $0) },
            set: { value, key, cost in cache.insert(value, forKey: key, cost: cost) },
            remove: { cache.removeValue(forKey: $0) },
            load: { key, fetch in try await cache.load(key, fetch: fetch).value },
            removeAll: { cache.removeAll() })
    }

    @Test(arguments: adapted.checks(only: "memory", "limit"))
    func `behind its calls it keeps memory and limits`(_ check: ContractCheck) async throws { try await check() }

    @Test func `it survives concurrent callers, but for one bug`() async throws {
        try await withKnownIssue {
            try await expectConsistentHistories(of: FastCache<String, TrackedValue>.self)
        } matching: { issue in
            issue.severity == .error && "\(issue)".contains("newer-writes-win")
        }
    }
}
