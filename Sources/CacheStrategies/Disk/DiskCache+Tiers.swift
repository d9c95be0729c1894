public import Foundation
import Locks

extension DiskCache: TieredCacheStrategy {
    /// The value of a key, and whether it was in memory, where values wait to be written as well, or in its file.
    public func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        if let value = store.memoryValue(forKey: key) { return TieredValue(value, in: .memory) }
        var tier = HitTier.memory
        guard let value = await value(forKey: key, identity(key), &tier) else { return nil }
        return TieredValue(value, in: tier)
    }

    public func tieredLoad(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> TieredLoad<Value> {
        var tier = HitTier.memory
        let loaded = try await load(key, &tier, fetch: fetch)
        return TieredLoad(loaded, in: tier)
    }
}

/// Which files callers are reading, so that two that read the same one at once are noticed. O(1).
final class FileReads: Sendable {
    private struct State {
        var inFlight: [KeyDigest: Int] = [:]
        var duplicates: UInt64 = 0
    }

    private let state = Locked(State())

    /// A caller begins to wait for a file.
    func begin(_ digest: KeyDigest) {
        state.withLock { state in
            if state.inFlight[digest, default: 0] > 0 { state.duplicates += 1 }
            state.inFlight[digest, default: 0] += 1
        }
    }

    /// It has its answer.
    func end(_ digest: KeyDigest) {
        state.withLock { state in
            let left = (state.inFlight[digest] ?? 1) - 1
            state.inFlight[digest] = left > 0 ? left : nil
        }
    }

    /// How many callers began to read a file that another one was reading.
    var duplicates: UInt64 { state.withLock { $0.duplicates } }
}
