import Foundation
import Origins
import Synchronization
import TrialModel

/// When the fetch of a caller's load began and ended.
///
/// Each caller has its own note. The fetch may run on any thread, and may continue after its caller has given up. So
/// the times are atomic, and a caller only takes times that lie within its load.
final class LoadNote: Sendable {
    private let began = Atomic<UInt64>(0)
    private let ended = Atomic<UInt64>(0)

    /// A fetch begins; if a load has several fetches, the first one counts.
    func begin() {
        _ = began.compareExchange(expected: 0, desired: Nanoclock.now(), ordering: .relaxed)
    }

    /// A fetch ended; if a load has several fetches, the last one counts.
    func end() { ended.store(Nanoclock.now(), ordering: .relaxed) }

    /// The times since the last call; 0 for what did not happen.
    func take() -> (began: UInt64, ended: UInt64) {
        (began.exchange(0, ordering: .relaxed), ended.exchange(0, ordering: .relaxed))
    }
}

/// An origin that records when fetches begin and end.
struct NotedSource: PayloadSource {
    let source: any PayloadSource
    let note: LoadNote

    func fetch(_ key: UInt64) async throws -> Data {
        note.begin()
        defer { note.end() }
        return try await source.fetch(key)
    }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        note.begin()
        defer { note.end() }
        return try source.fetchBlocking(key, deadline: deadline)
    }
}
