import CacheStrategies
import Conformance
import Foundation

/// ``PressedCache`` with its own prefetch, which loads. Sound; every step that a mutant gets wrong is a method.
class PrefetchingCache: PressedCache, PrefetchingCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: mutable state of subclasses is accessed only inside `exclusively`.
    let prefetcher = Prefetcher<Int>()

    override class var declaration: StrategyDeclaration {
        var declaration = super.declaration
        declaration.name = "prefetching"
        return declaration
    }

    func prefetch(_ keys: [Int], fetch: @escaping PrefetchFetch) {
        prefetcher.prefetch(keys) { [weak self] key in await self?.bring(key, fetch) }
    }

    func cancelPrefetching(_ keys: [Int]) { prefetcher.cancel(keys) }

    func bring(_ key: Int, _ fetch: @escaping PrefetchFetch) async {
        _ = try? await load(key) { try await fetch(key) }
    }

    override func close() async {
        await prefetcher.cancelAll()
        await super.close()
    }

    static let soundPrefetching = SoundBase("prefetching", PrefetchingCache.self) {
        await alarms(of: PrefetchingCache.self, patience: .seconds(20), $1)
    }
}
