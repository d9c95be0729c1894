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
///   load inserts nothing when its key was written or removed while it was in flight, or when another load of the key
///   has inserted meanwhile.
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
        return try await LoadRegister.load(key, fetch, begin: beginLoad(of:), keep: { ($0, $1) }, end: endLoad)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let found = find(key) { return Loaded(found.value, .hit, in: found.tier) }
        return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad(of:), keep: { ($0, $1) }, end: endLoad)
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

extension DualCache {
    /// Looks up a key, and decodes its bytes where only they are held.
    @inlinable
    func find(_ key: Key) -> TieredValue<Value>? {
        let wrapped = WrappedKey(key)
        guardian.lock()
        switch levels.find(wrapped) {
        case .decoded(let value):
            guardian.unlock()
            return TieredValue(value, in: .decoded)
        case .absent:
            guardian.unlock()
            return nil
        case .encoded(let encoded):
            if let decoding = decodings[key] {
                guardian.unlock()
                return decoding.wait().map { TieredValue($0, in: .encoded) }
            }
            let decoding = Decoding()
            decodings[key] = decoding
            guardian.unlock()
            return decode(encoded, forKey: wrapped, for: decoding).map { TieredValue($0, in: .encoded) }
        }
    }

    /// A write to a key begins, under the lock: loads and decodings of the key in flight are older. O(1).
    @inlinable
    func noteWrite(to key: Key) {
        loads.noteWrite(to: key)
        if !decodings.isEmpty { decodings[key] = nil }
    }

    /// Decodes bytes outside the lock, refills the decoded level and answers the waiting callers.
    ///
    /// Bytes that don't decode are removed. A key that was written meanwhile stays unchanged.
    @inlinable
    func decode(_ encoded: EncodedValue, forKey key: WrappedKey<Key>, for decoding: Decoding) -> Value? {
        let value = encoded.bytes.flatMap { try? Value(encoded: $0) }
        guardian.withLock {
            // In one step with the refill: no caller can find the key encoded and without a decoding in between.
            guard decodings[key.key] === decoding else { return }
            decodings[key.key] = nil
            if let value {
                levels.refill(value, forKey: key)
            } else {
                levels.removeValue(forKey: key)
            }
        }
        decoding.open(with: value)
        return value
    }

    /// A load begins to fetch.
    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        guardian.withLock { loads.begin(key) }
    }

    /// A load ends: its value is inserted unless its key was written, removed or loaded meanwhile.
    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: (value: Value, encoded: Data)?) {
        let wrapped = WrappedKey(ticket.key)
        guardian.withLock {
            guard loads.end(ticket, inserts: fetched != nil), let fetched else { return }
            let bytes = EncodedValue(fetched.encoded, of: fetched.value, cost: fetched.value.cost)
            decodings[ticket.key] = nil
            levels.insert(fetched.value, bytes, forKey: wrapped)
        }
    }
}

/// The two levels of a ``DualCache``, without a lock: encoded bytes, and decoded values that refer to them.
///
/// A decoded value counts only while the encoded entry that it was made from is held. So both levels always have the
/// same version, and no more keys can be found than the encoded level holds, although an `NSCache` doesn't report what
/// it evicts.
@usableFromInline
struct DualCacheLevels<Key: Hashable & Sendable, Value: CacheableValue> {
    /// An entry of the encoded level.
    @usableFromInline
    typealias Encoded = WrappedValue<EncodedValue>

    /// An entry of the decoded level.
    @usableFromInline
    struct Decoded: Sendable {
        @usableFromInline
        let value: Value
        @usableFromInline
        weak let encoded: Encoded?

        @inlinable
        init(value: Value, encoded: Encoded) {
            self.value = value
            self.encoded = encoded
        }
    }

    /// The result of a lookup. It has values, not entries: an entry counts as held for as long as any caller has it.
    @usableFromInline
    enum Finding {
        case decoded(Value)
        case encoded(EncodedValue)
        case absent
    }

    @usableFromInline
    let encoded: BoundedNSCache<Key, EncodedValue>
    @usableFromInline
    let decoded: BoundedNSCache<Key, Decoded>

    /// Two empty levels. The encoded one gets the larger half of the bytes when their number is odd.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        let decodedLimit = costLimit.map { max($0, 0) / 2 }
        let encodedLimit = costLimit.map { max($0, 0) - (decodedLimit ?? 0) }
        encoded = BoundedNSCache(entryLimit: entryLimit, costLimit: encodedLimit)
        decoded = BoundedNSCache(entryLimit: entryLimit, costLimit: decodedLimit)
    }

    /// The held value or bytes of a key. O(1).
    @inlinable
    func find(_ key: WrappedKey<Key>) -> Finding {
        if let found = decoded.value(forKey: key) {
            if found.encoded != nil { return .decoded(found.value) }
            decoded.removeValue(forKey: key)
        }
        return encoded.value(forKey: key).map(Finding.encoded) ?? .absent
    }

    /// Inserts into both levels, or replaces in both. O(1) without a cost limit, else O(n).
    @inlinable
    func insert(_ value: Value, _ bytes: EncodedValue, forKey key: WrappedKey<Key>) {
        guard let entry = encoded.insert(bytes, forKey: key, cost: bytes.cost) else {
            decoded.removeValue(forKey: key)
            return
        }
        decoded.insert(Decoded(value: value, encoded: entry), forKey: key, cost: bytes.decodedCost)
    }

    /// Puts a decoded value into the decoded level, unless its bytes were evicted meanwhile.
    @inlinable
    func refill(_ value: Value, forKey key: WrappedKey<Key>) {
        guard let entry = encoded.entry(forKey: key) else { return }
        decoded.insert(Decoded(value: value, encoded: entry), forKey: key, cost: entry.value.decodedCost)
    }

    /// Removes a key from both levels. O(1).
    @inlinable
    func removeValue(forKey key: WrappedKey<Key>) {
        decoded.removeValue(forKey: key)
        encoded.removeValue(forKey: key)
    }

    /// Empties both levels. O(n).
    @inlinable
    func removeAll() {
        decoded.removeAll()
        encoded.removeAll()
    }
}

/// An entry of the encoded level of a ``DualCache``.
@usableFromInline
struct EncodedValue: Sendable {
    /// The encoded value; `nil` when the value could not be encoded and is in the decoded level alone.
    @usableFromInline
    let bytes: Data?
    /// What the entry counts in the encoded level.
    @usableFromInline
    let cost: Int
    /// What the entry counts in the decoded level.
    @usableFromInline
    let decodedCost: Int

    /// The bytes of a value; their number is the cost.
    ///
    /// If the caller's cost differs from the value's own cost, the caller counts in a unit of its own: that cost counts
    /// in both levels.
    @inlinable
    init<Value: CacheableValue>(_ bytes: Data?, of value: Value, cost: Int) {
        self.bytes = bytes
        self.cost = max(cost == value.cost ? bytes?.count ?? 0 : cost, 0)
        decodedCost = max(cost, 0)
    }
}
