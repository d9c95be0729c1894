public import Foundation

extension DualCache {
    /// Decodes an entry outside the lock, refills the decoded level and lets those through who wait.
    @inlinable
    func decode(
        _ entry: WrappedValue<EncodedValue>, forKey key: WrappedKey<Key>, for decoding: Decoding
    ) -> Value? {
        let value = entry.value.bytes.flatMap { try? Value(encoded: $0) }
        guardian.withLock {
            // In one step with the refill: nobody can find the key encoded and not being decoded in between.
            decodings[ObjectIdentifier(entry)] = nil
            if let value {
                levels.refill(value, from: entry, forKey: key)
            } else {
                levels.discard(entry, forKey: key)
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

    /// A load ends; what it brought is inserted unless its key was written or removed meanwhile.
    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: (value: Value, bytes: Data)?) {
        let wrapped = WrappedKey(ticket.key)
        guardian.withLock {
            guard loads.end(ticket), let (value, data) = fetched else { return }
            let bytes = EncodedValue(data, of: value, cost: value.cost)
            levels.insert(value, bytes, forKey: wrapped)
        }
    }
}
