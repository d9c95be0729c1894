import Foundation

/// A prefetch fills only the disk: no used value leaves memory for a value that no caller has asked for yet. An entry
/// that is held already is neither read nor decoded.
extension DiskCache: PrefetchingCacheStrategy {
    /// Fetches keys in the background and writes their values to disk. Returns at once.
    public func prefetch(_ keys: [Key], fetch: @escaping PrefetchFetch) {
        prefetcher.prefetch(keys) { [weak self] key in await self?.prefetch(key, fetch) }
    }

    /// Cancels the prefetches of keys, queued or in flight.
    public func cancelPrefetching(_ keys: [Key]) { prefetcher.cancel(keys) }

    private func prefetch(_ key: Key, _ fetch: PrefetchFetch) async {
        let identity = identity(key)
        guard !Task.isCancelled, !store.holds(identity.digest) else { return }
        let ticket = store.beginLoad(identity.digest)
        do {
            let encoded = try await fetch(key)
            let value = try Value(encoded: encoded)
            store.endLoad(ticket, value, encoded: encoded, identity, forKey: key, keepsInMemory: false)
        } catch {
            // A later caller that asks for the key gets its own error.
            return store.endLoad(ticket)
        }
        await store.backlogHasRoom()
    }
}
