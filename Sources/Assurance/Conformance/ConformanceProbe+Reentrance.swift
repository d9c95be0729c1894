import CacheStrategies
import Foundation
import Locks

// A fetch that calls the cache that it fetches for.

extension ConformanceProbe {
    /// The longest time that a call inside a fetch may take.
    private static var nestedTimeMax: Duration { .seconds(8) }

    /// Inside a fetch, other keys are looked up, inserted, removed and loaded, as far as the cache has these calls, and all
    /// of it works. A load of the key itself ends with a value or an error, unless the cache declares that it waits for itself.
    func checkFetchesMayCall() async throws {
        for driver in drivers where driver != .both {
            for isOwn in promises.mayWaitForItself ? [false] : [false, true] {
                let cache = try open(folder: "nested-\(driver.rawValue)-\(isOwn)")
                guard await checkNested(isOwn, driver, cache) else { return }
                await close(cache)
            }
        }
    }

    /// - Returns: whether all calls have returned; if not, the cache can't be called any more.
    private func checkNested(_ isOwn: Bool, _ driver: CrowdDriver, _ cache: Strategy) async -> Bool {
        let call = Locked("load key 1")
        let ended = Locked<Result<Loaded<Value>, any Error>?>(nil)
        let note: @Sendable (String) -> Void = { [self] text in
            call.withLock { $0 = text }
            step("inside the fetch of key 1: \(text)")
        }
        step("load key 1, whose fetch uses the cache")
        if driver == .threads, let synchronous = cache as? any SynchronousCacheStrategy<Key, Value> {
            Thread.detachNewThread { [self] in
                let result = nestedBlocking(isOwn, synchronous, note)
                ended.withLock { $0 = result }
            }
        } else {
            Task.detached { [self] in
                let result = await nested(isOwn, cache, note)
                ended.withLock { $0 = result }
            }
        }
        let hasEnded = await holds(soon: true, atMost: Self.nestedTimeMax) { ended.withLock { $0 != nil } }
        guard hasEnded else {
            fail(
                "with \(driver.rawValue), the fetch of key 1 calls its cache, and the call never returned: "
                    + "\(call.withLock { $0 })")
            return false
        }
        switch ended.withLock({ $0 }) {
        case .success(let loaded):
            expect(isValue(loaded.value, 1), "a load whose fetch uses the cache gives a wrong value")
        // What a load of the own key throws, its fetch throws.
        case .failure where isOwn: break
        case nil: break
        case .failure(let error):
            fail("a load whose fetch uses the cache for other keys fails with \(error)")
        }
        if !isOwn, !neverCaches, !isEventual, kit.available.isSuperset(of: [.lookUp, .insert]) {
            await expectFound(3, at: 3, in: cache, "after a fetch inserted it")
            await expectFound(4, at: 4, in: cache, "after a fetch loaded it")
        }
        return true
    }

    private func nested(
        _ isOwn: Bool, _ cache: Strategy, _ note: @escaping @Sendable (String) -> Void
    ) async -> Result<Loaded<Value>, any Error> {
        do {
            return .success(
                try await cache.load(key(1)) { [self] in
                    if isOwn {
                        note("load key 1")
                        return try await cache.load(key(1)) { [self] in try value(1).encoded() }.value.encoded()
                    }
                    if kit.available.contains(.lookUp) {
                        note("look up key 2")
                        _ = await cache.value(forKey: key(2))
                    }
                    if kit.available.contains(.insert) {
                        note("insert a value for key 3")
                        await cache.insert(value(3), forKey: key(3), cost: value(3).cost)
                    }
                    if kit.available.contains(.remove) {
                        note("remove key 2")
                        await cache.removeValue(forKey: key(2))
                    }
                    note("load key 4")
                    _ = try await cache.load(key(4)) { [self] in try value(4).encoded() }
                    note("load key 1, after its fetch")
                    return try value(1).encoded()
                })
        } catch {
            return .failure(error)
        }
    }

    /// Not async, so that the synchronous overloads are called.
    private func nestedBlocking<Cache: SynchronousCacheStrategy<Key, Value>>(
        _ isOwn: Bool, _ cache: Cache, _ note: (String) -> Void
    ) -> Result<Loaded<Value>, any Error> {
        Result {
            try cache.loadBlocking(key(1)) {
                if isOwn {
                    note("load key 1")
                    return try cache.loadBlocking(key(1)) { try value(1).encoded() }.value.encoded()
                }
                note("look up key 2")
                _ = cache.value(forKey: key(2))
                note("insert a value for key 3")
                cache.insert(value(3), forKey: key(3), cost: value(3).cost)
                note("remove key 2")
                cache.removeValue(forKey: key(2))
                note("load key 4")
                _ = try cache.loadBlocking(key(4)) { try value(4).encoded() }
                note("load key 1, after its fetch")
                return try value(1).encoded()
            }
        }
    }
}
