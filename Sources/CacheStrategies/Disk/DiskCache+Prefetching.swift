import Foundation

/// A prefetch fills the disk alone: nothing that was used leaves memory for what nobody has asked for yet. What is held is
/// neither read nor decoded.
extension DiskCache: PrefetchingCacheStrategy {
    public func prefetch(_ keys: [Key], fetch: @escaping PrefetchFetch) {
        prefetcher.prefetch(keys) { [weak self] key in await self?.prefetch(key, fetch) }
    }

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
            // Whoever asks for the key gets an error of its own.
            return store.endLoad(ticket)
        }
        await store.backlogHasRoom()
    }
}
