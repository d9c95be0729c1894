public import Foundation
public import Locks

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

    /// A load ends: its value is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: (value: Value, bytes: Data)?) {
        let wrapped = WrappedKey(ticket.key)
        guardian.withLock {
            guard loads.end(ticket), let (value, data) = fetched else { return }
            let bytes = EncodedValue(data, of: value, cost: value.cost)
            decodings[ticket.key] = nil
            levels.insert(value, bytes, forKey: wrapped)
        }
    }
}
