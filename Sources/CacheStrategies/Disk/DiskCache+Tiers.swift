public import Foundation
import Locks

extension DiskCache: TieredCacheStrategy {
    /// The value of a key and its tier: memory, which includes values that wait to be written, or disk.
    public func tieredValue(forKey key: Key) async -> TieredValue<Value>? {
        if let value = store.memoryValue(forKey: key) { return TieredValue(value, in: .memory) }
        var tier = HitTier.memory
        guard let value = await value(forKey: key, identity(key), &tier) else { return nil }
        return TieredValue(value, in: tier)
    }

    /// A load, with the tier of the value.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    public func tieredLoad(
        _ key: Key, fetch: @escaping @Sendable () async throws -> Data
    ) async throws -> TieredLoad<Value> {
        var tier = HitTier.memory
        let loaded = try await load(key, &tier, fetch: fetch)
        return TieredLoad(loaded, in: tier)
    }
}

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
