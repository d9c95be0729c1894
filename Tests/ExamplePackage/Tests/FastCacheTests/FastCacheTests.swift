import CacheTrialsTesting
import Testing

@testable import fast_cache_trials

/// The cache has one bug: its removal does not count as a change, so that a load in flight brings the entry back. Without
/// `withKnownIssue` both tests fail.
@Suite(.timeLimit(.minutes(2)))
struct FastCacheTests {
    @Test(arguments: CacheContract(FastCache<String, TrackedValue>.self).checks)
    func `it keeps its contract, but for one promise`(_ check: ContractCheck) async throws {
        guard check.name.hasPrefix("a load that a change overtakes") else { return try await check() }
        try await withKnownIssue { try await check() }
    }

    @Test func `it survives concurrent callers, but for one bug`() async throws {
        try await withKnownIssue {
            try await expectConsistentHistories(of: FastCache<String, TrackedValue>.self)
        } matching: { issue in
            issue.severity == .error && "\(issue)".contains("newer-writes-win")
        }
    }
}
