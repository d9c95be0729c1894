public import Foundation
public import Locks

/// Two `NSCache`s behind one lock: one for encoded bytes, one for decoded values in use.
///
/// A lookup checks the decoded level, then the encoded one. Bytes from there are decoded and put into the decoded
/// level.
///
/// - Encoding and decoding happen outside the lock. Callers that find a key encoded at the same time decode it once:
///   one decodes, the others wait for it. A decoded value does not replace what was inserted meanwhile.
/// - The entry limit is the most keys that are held; each level keeps it. The cost limit is split: each level gets half
///   of it, so that the bytes of both together (encoded size and decoded cost) keep it. A value whose encoded bytes
///   exceed half of the limit is therefore not held. If a caller passes another cost than `value.cost`, that cost
///   counts in both levels.
/// - Loads are not shared: callers that miss a key together fetch it together. The fetched bytes are kept unchanged. A
///   load inserts nothing when its key was written or removed while it was in flight.
/// - A value that can't be encoded is in the decoded level alone.
///
/// The levels freeze as an `NSCache` does: on Linux a full one takes a new entry only when that costs more than another
/// one. When the decoded level is frozen, every hit on another key is decoded again. `BoundedNSCache` says more.
public final class DualCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: `decodings` and `loads` are touched only while `guardian` is held; the rest is
    // constant and Sendable by itself.
    @usableFromInline
    let guardian = Lock()
    @usableFromInline
    let levels: DualCacheLevels<Key, Value>
    /// The decoding in flight of each key. A write to the key removes its decoding, so a registered decoding always
    /// reads the key's current bytes.
    @usableFromInline
    var decodings: [Key: Decoding] = [:]
    @usableFromInline
    var loads = LoadRegister<Key>()

    @usableFromInline
    typealias Decoding = Latch<Value?>

    /// The strategy's name, `lock-dual`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "lock-dual",
            summary: "two NSCaches, encoded and decoded, behind one lock; decoding outside the lock",
            bounds: [.entries, .cost],
            promises: Promises(
                limit: Promises.limitOfNSCache, admission: .notWhenFull, keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)),
            usesAtomics: true)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        levels = DualCacheLevels(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    @inlinable
    deinit { guardian.destroy() }

    /// The value of a key. O(1), and a decoding when only its bytes are held.
    ///
    /// Bytes that don't decode are removed and are a miss.
    @inlinable
    public func value(forKey key: Key) -> Value? { find(key)?.value }

    /// Hits have a tier.
    @inlinable
    public static var reportsTiers: Bool { true }

    /// The value of a key and its level: `decoded`; or `encoded` when it was decoded for this caller, or for another
    /// caller that this one waited for.
    @inlinable
    public func tieredValue(forKey key: Key) -> TieredValue<Value>? { find(key) }

    /// Encodes the value and puts it into both levels. O(1) without a cost limit, else O(n).
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let bytes = EncodedValue(try? value.encoded(), of: value, cost: cost)
        let wrapped = WrappedKey(key)
        guardian.withLock {
            noteWrite(to: key)
            levels.insert(value, bytes, forKey: wrapped)
        }
    }

    /// Removes a key from both levels. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        let wrapped = WrappedKey(key)
        guardian.withLock {
            noteWrite(to: key)
            levels.removeValue(forKey: wrapped)
        }
    }

    /// Empties both levels. O(n).
    @inlinable
    public func removeAll() {
        guardian.withLock {
            loads.noteRemovalOfAll()
            decodings.removeAll()
            levels.removeAll()
        }
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let found = find(key) { return Loaded(found.value, .hit, in: found.tier) }
        let ticket = beginLoad(of: key)
        var fetched: (value: Value, bytes: Data)?
        defer { endLoad(ticket, fetched) }
        let bytes = try await fetch()
        let value = try Value(encoded: bytes)
        fetched = (value, bytes)
        return Loaded(value, .loaded)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let found = find(key) { return Loaded(found.value, .hit, in: found.tier) }
        let ticket = beginLoad(of: key)
        var fetched: (value: Value, bytes: Data)?
        defer { endLoad(ticket, fetched) }
        let bytes = try fetch()
        let value = try Value(encoded: bytes)
        fetched = (value, bytes)
        return Loaded(value, .loaded)
    }

    /// Entries are keys, the cost is that of both levels, and evictions are those of the encoded level.
    public func statistics() -> CacheStatistics {
        guardian.withLock {
            var statistics = levels.encoded.statistics
            let (cost, overflows) = levels.encoded.totals.totalCost.addingReportingOverflow(
                levels.decoded.totals.totalCost)
            statistics.totalCost = overflows ? .max : cost
            statistics.loadsInFlight = loads.count
            return statistics
        }
    }
}
