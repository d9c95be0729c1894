import CacheStrategies
import Conformance
import Foundation
import TrialModel

// Each is `PlainCache` with one wrong step.

/// Returns the previous value once in a while.
final class StaleCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    private var previous: [Int: Entry] = [:]
    private var hits = 0

    override func replace(_ key: Int) {
        previous[key] = entries[key]
        super.replace(key)
    }

    override func given(_ entry: Entry, forKey key: Int) -> StampedBytes {
        hits += 1
        return hits.isMultiple(of: 30) ? (previous[key] ?? entry).value : entry.value
    }

    static let mutant = Mutant(
        "stale-once-per-thirty", .values, caughtBy: .promise(.freshness),
        "every thirtieth hit returns the key's previous value", StaleCache.self)
}

/// Treats equal hashes as equal keys.
final class CollidingCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: the key itself is never compared.
    override func slot(of key: Int) -> Int { key & 7 }

    static let mutant = Mutant(
        "keys-mixed-up", .values, caughtBy: .promise(.ownValues),
        "keys with equal hashes are treated as the same key", CollidingCache.self)
}

/// Stores the length in 16 bits.
final class TruncatingCache: PlainCache, @unchecked Sendable {
    // Broken on purpose.
    override func stored(_ value: StampedBytes) -> StampedBytes {
        StampedBytes(unchecked: value.bytes.prefix(Int(UInt16(truncatingIfNeeded: value.bytes.count))))
    }

    static let mutant = Mutant(
        "truncated-at-64-kib", .values, caughtBy: .promise(.ownValues),
        "a value's length is stored in 16 bits", TruncatingCache.self)
}

/// Returns a value that shares the cache's own memory.
final class LendingCache: PlainCache, @unchecked Sendable {
    // Broken on purpose: a change does not copy the bytes, because they seem to have only one owner.
    override func given(_ entry: Entry, forKey key: Int) -> StampedBytes {
        let kept = entry.value.bytes
        return kept.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return entry.value }
            let lent = Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                deallocator: .custom { _, _ in withExtendedLifetime(kept) {} })
            return StampedBytes(unchecked: lent)
        }
    }

    static let mutant = Mutant(
        "shared-buffer", .values, caughtBy: .conformance(.valuesAreIsolated),
        "callers get the cache's own memory, and may change it", LendingCache.self)
}
