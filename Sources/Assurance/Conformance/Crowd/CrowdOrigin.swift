import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Platform
import TrialModel

/// The origin of a crowd's loads: every answer is a new version. As planned, several answers are released at the same
/// moment, some fail, and some come only after other callers have made progress.
final class CrowdOrigin: Sendable {
    private struct State {
        var versions: [Int: UInt64] = [:]
        var requests: [RequestRecord] = []
        var answeredFetchCount: UInt64 = 0
        /// Fetches that wait for others, and how often they were released.
        var waiting = 0
        var rounds = 0
    }

    /// A fetch in flight.
    private struct Fetch {
        var key: Int
        var version: UInt64
        var start: UInt64
        var fails: Bool
        var isSlow: Bool
    }

    private let state = Locked(State())
    private let plan: CrowdPlan
    private let progress: CrowdProgress
    private let encoded: @Sendable (_ key: Int, _ version: UInt64) throws -> Data

    /// How long a fetch waits for others, in nanoseconds: those may be waiting for its caller.
    private static let patience: UInt64 = 300_000

    init(
        _ plan: CrowdPlan, _ progress: CrowdProgress,
        encoded: @escaping @Sendable (_ key: Int, _ version: UInt64) throws -> Data
    ) {
        self.plan = plan
        self.progress = progress
        self.encoded = encoded
    }

    /// The requests that have ended.
    var requests: [RequestRecord] { state.withLock { $0.requests } }
    /// How many fetches have returned an answer.
    var answeredFetchCount: UInt64 { state.withLock { $0.answeredFetchCount } }

    /// One fetch of a thread.
    ///
    /// - Throws: ``ScriptedOrigin/Refused`` if so planned.
    func fetchBlocking(_ key: Int) throws -> Data {
        let fetch = begin(key)
        let bytes = try encoded(key, fetch.version)
        if fetch.isSlow { progress.letOthersComplete(4) }
        if let round = join() {
            let deadline = Nanoclock.now() &+ Self.patience
            while !isOver(round), Nanoclock.now() < deadline { sched_yield() }
        }
        return try end(fetch, bytes)
    }

    /// One fetch of a task.
    func fetch(_ key: Int) async throws -> Data {
        let fetch = begin(key)
        let bytes = try encoded(key, fetch.version)
        if fetch.isSlow { await progress.letOtherTasksComplete(4) }
        if let round = join() {
            for _ in 0..<24 where !isOver(round) { await Task.yield() }
        }
        return try end(fetch, bytes)
    }

    private func begin(_ key: Int) -> Fetch {
        let start = Nanoclock.now()
        let version = state.withLock { state in
            state.versions[key, default: 0] += 1
            return state.versions[key, default: 0]
        }
        var random = RandomSource(seed: plan.seed, stream: 1, UInt64(key), version)
        func isOne(in count: UInt64) -> Bool { count > 0 && random.next(below: count) == 0 }
        return Fetch(
            key: key, version: version, start: start, fails: isOne(in: plan.oneFailureIn),
            isSlow: isOne(in: plan.oneSlowIn))
    }

    /// - Returns: the round to wait for; `nil` when the fetch need not wait.
    private func join() -> Int? {
        guard plan.gathered > 1 else { return nil }
        return state.withLock { state in
            state.waiting += 1
            guard state.waiting >= plan.gathered else { return state.rounds }
            state.waiting = 0
            state.rounds += 1
            return nil
        }
    }

    private func isOver(_ round: Int) -> Bool { state.withLock { $0.rounds != round } }

    private func end(_ fetch: Fetch, _ bytes: Data) throws -> Data {
        let end = Nanoclock.now()
        state.withLock { state in
            state.requests.append(
                RequestRecord(
                    key: UInt32(fetch.key), version: fetch.version, start: fetch.start, end: end,
                    isAnswered: !fetch.fails))
            if !fetch.fails { state.answeredFetchCount += 1 }
        }
        if fetch.fails { throw ScriptedOrigin.Refused() }
        return bytes
    }
}
