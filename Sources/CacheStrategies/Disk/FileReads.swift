import Locks

/// Which files callers are reading now, so that two reads of one file at the same time are counted. O(1).
final class FileReads: Sendable {
    private struct State {
        var inFlight: [KeyDigest: Int] = [:]
        var duplicates: UInt64 = 0
    }

    private let state = Locked(State())

    /// A caller starts to wait for a file.
    func begin(_ digest: KeyDigest) {
        state.withLock { state in
            if state.inFlight[digest, default: 0] > 0 { state.duplicates += 1 }
            state.inFlight[digest, default: 0] += 1
        }
    }

    /// The caller has its answer.
    func end(_ digest: KeyDigest) {
        state.withLock { state in
            let left = (state.inFlight[digest] ?? 1) - 1
            state.inFlight[digest] = left > 0 ? left : nil
        }
    }

    /// How many callers began to read a file while another caller was reading it.
    var duplicates: UInt64 { state.withLock { $0.duplicates } }
}
