import Conformance
import Foundation
import HistoryChecking
import Locks
import TrialModel

/// The origin of a trial: every answer is a new version, some fail, some are slow, and all are recorded.
final class TrialOrigin: Sendable {
    private struct State {
        var versions: [Int: UInt64] = [:]
        var requests: [RequestRecord] = []
        var answeredFetchCount: UInt64 = 0
    }

    private let seed: UInt64
    private let progress: TrialProgress
    private let encodedValue: @Sendable (Int, UInt64) throws -> Data
    private let state = Locked(State())

    init(seed: UInt64, _ progress: TrialProgress, encodedValue: @escaping @Sendable (Int, UInt64) throws -> Data) {
        self.seed = seed
        self.progress = progress
        self.encodedValue = encodedValue
    }

    /// The requests recorded so far.
    var requests: [RequestRecord] { state.withLock { $0.requests } }

    /// How many fetches have returned an answer.
    var answeredFetchCount: UInt64 { state.withLock { $0.answeredFetchCount } }

    /// One fetch of a thread.
    ///
    /// - Throws: `ScriptedOrigin.Refused` for one in 32.
    func fetch(_ key: Int) throws -> Data {
        let fetch = begin(key)
        if fetch.isSlow { progress.letOthersComplete(4) }
        return try end(fetch)
    }

    /// One fetch of a task.
    func fetchSuspending(_ key: Int) async throws -> Data {
        let fetch = begin(key)
        if fetch.isSlow { await progress.letOtherTasksComplete(4) }
        return try end(fetch)
    }

    private struct Fetch {
        var key: Int
        var version: UInt64
        var start: UInt64
        var fails: Bool
        var isSlow: Bool
    }

    private func begin(_ key: Int) -> Fetch {
        let start = trialMoment()
        let version = state.withLock { state in
            state.versions[key, default: 0] += 1
            return state.versions[key, default: 0]
        }
        var random = RandomSource(seed: seed, stream: 1, UInt64(key), version)
        return Fetch(
            key: key, version: version, start: start, fails: random.next(below: 32) == 0,
            isSlow: random.next(below: 3) == 0)
    }

    private func end(_ fetch: Fetch) throws -> Data {
        let bytes = fetch.fails ? nil : try encodedValue(fetch.key, fetch.version)
        let end = trialMoment()
        state.withLock { state in
            state.requests.append(
                RequestRecord(
                    key: UInt32(fetch.key), version: fetch.version, start: fetch.start, end: end,
                    isAnswered: bytes != nil))
            if bytes != nil { state.answeredFetchCount += 1 }
        }
        guard let bytes else { throw ScriptedOrigin.Refused() }
        return bytes
    }
}

/// The current time in nanoseconds of a clock that never goes back and that all threads share.
func trialMoment() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
