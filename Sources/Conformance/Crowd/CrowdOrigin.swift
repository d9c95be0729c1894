import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Platform
import TrialModel

/// The origin of a crowd's loads: every answer is a new version, and several answers are released at the same moment.
final class CrowdOrigin: Sendable {
    private struct State {
        var versions: [Int: UInt64] = [:]
        var requests: [RequestRecord] = []
        /// Fetches that wait for others, and how often they were released.
        var waiting = 0
        var rounds = 0
    }

    private let state = Locked(State())
    private let gathered: Int
    private let encoded: @Sendable (_ key: Int, _ version: UInt64) throws -> Data

    /// How long a fetch waits for others, in nanoseconds: those may be waiting for its caller.
    private static let patience: UInt64 = 300_000

    init(gathered: Int, encoded: @escaping @Sendable (_ key: Int, _ version: UInt64) throws -> Data) {
        self.gathered = gathered
        self.encoded = encoded
    }

    /// The requests that were answered so far.
    var requests: [RequestRecord] { state.withLock { $0.requests } }

    /// One fetch of a thread.
    func fetchBlocking(_ key: Int) throws -> Data {
        let (version, start) = begin(key)
        let bytes = try encoded(key, version)
        if let round = join() {
            let deadline = Nanoclock.now() &+ Self.patience
            while !isOver(round), Nanoclock.now() < deadline { sched_yield() }
        }
        end(key, version, start)
        return bytes
    }

    /// One fetch of a task.
    func fetch(_ key: Int) async throws -> Data {
        let (version, start) = begin(key)
        let bytes = try encoded(key, version)
        if let round = join() {
            for _ in 0..<24 where !isOver(round) { await Task.yield() }
        }
        end(key, version, start)
        return bytes
    }

    private func begin(_ key: Int) -> (version: UInt64, start: UInt64) {
        let start = Nanoclock.now()
        return state.withLock { state in
            state.versions[key, default: 0] += 1
            return (state.versions[key, default: 0], start)
        }
    }

    /// - Returns: the round to wait for; `nil` when the fetch need not wait.
    private func join() -> Int? {
        guard gathered > 1 else { return nil }
        return state.withLock { state in
            state.waiting += 1
            guard state.waiting >= gathered else { return state.rounds }
            state.waiting = 0
            state.rounds += 1
            return nil
        }
    }

    private func isOver(_ round: Int) -> Bool { state.withLock { $0.rounds != round } }

    private func end(_ key: Int, _ version: UInt64, _ start: UInt64) {
        state.withLock { state in
            state.requests.append(
                RequestRecord(key: UInt32(key), version: version, start: start, end: Nanoclock.now()))
        }
    }
}
