import Foundation
import Locks
import Origins
import TrialModel

/// The fetches that prefetches of a phase began, in order. It takes a lock for each fetch; the fetch itself takes a
/// thousand times as long.
final class PrefetchLog: Sendable {
    /// How a fetch ended.
    enum Ending: Sendable {
        case inFlight, answered, cancelled, failed
    }

    /// A fetch for which no caller waited when it began.
    struct Fetch: Sendable {
        var key: UInt32
        var began: UInt64
        /// Whether it began at low priority.
        var isLow: Bool
        /// When a user began to wait for it; 0 for never.
        var raised: UInt64 = 0
        var ended: UInt64 = .max
        var ending = Ending.inFlight
        var byteCount: UInt64 = 0
    }

    private let state = Locked<[Fetch]>([])

    /// All fetches so far.
    var fetches: [Fetch] { state.withLock { $0 } }

    var isAnyInFlight: Bool { state.withLock { $0.contains { $0.ending == .inFlight } } }

    fileprivate func begin(_ key: UInt32) -> Int {
        let fetch = Fetch(key: key, began: Nanoclock.now(), isLow: LoadPriority(Task.currentPriority) == .utility)
        return state.withLock { fetches in
            fetches.append(fetch)
            return fetches.count - 1
        }
    }

    fileprivate func raise(_ index: Int) {
        let now = Nanoclock.now()
        state.withLock { if $0[index].raised == 0 { $0[index].raised = now } }
    }

    fileprivate func end(_ index: Int, _ ending: Ending, byteCount: Int = 0) {
        let now = Nanoclock.now()
        state.withLock { fetches in
            fetches[index].ended = now
            fetches[index].ending = ending
            fetches[index].byteCount = UInt64(max(0, byteCount))
        }
    }
}

/// An origin that logs what is prefetched from it.
struct PrefetchSource: PayloadSource {
    let source: any PayloadSource
    let log: PrefetchLog

    func fetch(_ key: UInt64) async throws -> Data {
        // A fetch that was cancelled before it began does not count.
        try Task.checkCancellation()
        let index = log.begin(UInt32(clamping: key))
        do {
            let data = try await atTaskPriority { priority in
                if priority == .user { log.raise(index) }
                return try await source.fetch(key)
            } onRaise: { [log] in
                log.raise(index)
            }
            log.end(index, .answered, byteCount: data.count)
            return data
        } catch {
            log.end(index, error is CancellationError ? .cancelled : .failed)
            throw error
        }
    }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let index = log.begin(UInt32(clamping: key))
        do {
            let data = try source.fetchBlocking(key, deadline: deadline)
            log.end(index, .answered, byteCount: data.count)
            return data
        } catch {
            log.end(index, error is CancellationError ? .cancelled : .failed)
            throw error
        }
    }
}
