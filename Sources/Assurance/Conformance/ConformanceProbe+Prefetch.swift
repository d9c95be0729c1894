import CacheStrategies
import Foundation
import Locks

// Does not apply to strategies without a prefetch of their own.

extension ConformanceProbe {
    /// What the fetches of a prefetch showed.
    private struct Seen: Sendable {
        /// Fetches that began at a user's priority although no caller waited.
        var urgent = 0
        /// Fetches whose priority was raised.
        var raised = 0
        /// Fetches that ended because their task was cancelled.
        var cancelled = 0
    }

    /// An open cache that prefetches keys, given by number, from an origin.
    private struct Prefetching: Sendable {
        let cache: Strategy
        let own: any PrefetchingCacheStrategy<Key, Value>
        let origin: ScriptedOrigin
        let seen = Locked(Seen())
        let makeKey: @Sendable (Int) -> Key

        func prefetch(_ numbers: Range<Int>) {
            let named = Dictionary(numbers.map { (makeKey($0), $0) }) { first, _ in first }
            own.prefetch(numbers.map(makeKey)) { [seen, origin] key in
                guard let number = named[key] else { throw ScriptedOrigin.Refused() }
                // A task that is cancelled before it runs sends nothing.
                try Task.checkCancellation()
                return try await withTaskPriorityEscalationHandler {
                    seen.withLock { $0.urgent += Task.currentPriority < .medium ? 0 : 1 }
                    do {
                        return try await origin.fetch(number)
                    } catch {
                        seen.withLock { $0.cancelled += error is CancellationError ? 1 : 0 }
                        throw error
                    }
                } onPriorityEscalated: { _, priority in
                    seen.withLock { $0.raised += priority < .medium ? 0 : 1 }
                }
            }
        }
    }

    /// A cache with a prefetch of its own; `nil` for one without.
    private func openPrefetching(entryLimit: Int? = 1000) async throws -> Prefetching? {
        let cache = try open(entryLimit: entryLimit)
        guard let own = cache as? any PrefetchingCacheStrategy<Key, Value> else {
            await close(cache)
            return nil
        }
        return Prefetching(cache: cache, own: own, origin: makeOrigin(), makeKey: kit.makeKey)
    }

    func checkPrefetchedIsFound() async throws {
        guard let prefetching = try await openPrefetching() else { return }
        step("prefetch keys 0 to 5")
        prefetching.prefetch(0..<6)
        for number in 0..<6 {
            await expect(soon: true, "key \(number) is not found after it was prefetched") {
                isValue(await lookUp(number, in: prefetching.cache), number)
            }
            let count = prefetching.origin.fetchCount(forKey: number)
            expect(count == 1, "key \(number) was prefetched once, and fetched \(count) times")
        }
        let urgent = prefetching.seen.withLock { $0.urgent }
        expect(urgent == 0, "\(urgent) of 6 fetches of a prefetch did not have a low priority")
        await close(prefetching.cache)
    }

    func checkPrefetchLeavesHeldAlone() async throws {
        guard let prefetching = try await openPrefetching() else { return }
        for number in 0..<6 { await insert(number, at: number, into: prefetching.cache) }
        guard await isFound(5, at: 5, in: prefetching.cache, "after its insert") else {
            return await close(prefetching.cache)
        }
        step("prefetch keys 0 to 7, of which 0 to 5 are held")
        prefetching.prefetch(0..<8)
        await expect(soon: true, "key 7 is not found after it was prefetched") {
            await lookUp(7, in: prefetching.cache) != nil
        }
        let again = (0..<6).filter { prefetching.origin.fetchCount(forKey: $0) > 0 }
        expect(again.isEmpty, "\(again.count) of 6 keys that are held were fetched by a prefetch")
        await close(prefetching.cache)
    }

    func checkPrefetchIsRaised() async throws {
        guard let prefetching = try await openPrefetching() else { return }
        let origin = prefetching.origin
        origin.hold(3)
        try await withPatience(origin) {
            step("prefetch key 3, whose fetch is held back")
            prefetching.prefetch(3..<4)
            await origin.arrivals.wait(for: 1)
            async let loaded = load(3, from: origin, in: prefetching.cache)
            await expect(soon: true, "a caller waits for a prefetch that stays at low priority") {
                origin.fetchCount(forKey: 3) > 1 || prefetching.seen.withLock { $0.raised } > 0
            }
            origin.release(3)
            expect(isValue(try await loaded.value, 3), "a load during a prefetch of its key gives another value")
        }
        await close(prefetching.cache)
    }

    func checkPrefetchSparesVisible() async throws {
        let limit = max(8, rules.smallest)
        guard promises.admission == .always, let prefetching = try await openPrefetching(entryLimit: limit) else {
            return
        }
        let cache = prefetching.cache
        for number in 0..<limit { await insert(number, at: number, into: cache) }
        let visible = await found(limit / 2..<limit, in: cache)
        guard premise(!visible.isEmpty, "no entry is found after inserts") else { return await close(cache) }
        let coming = 100..<(100 + limit / 2)
        step("prefetch as many keys as half of the limit")
        prefetching.prefetch(coming)
        await expect(soon: true, "of \(coming.count) keys not all are prefetched") {
            coming.allSatisfy { prefetching.origin.fetchCount(forKey: $0) > 0 }
        }
        // Wait here too: the eviction comes with the insert, which follows the fetch.
        _ = await holds(soon: true) { await lookUp(coming.upperBound - 1, in: cache) != nil }
        let left = await found(limit / 2..<limit, in: cache)
        expect(
            left == visible,
            "\(visible.count) of \(limit) entries were the most recently used, and \(left.count) of them are left "
                + "after a prefetch of \(coming.count)")
        await close(cache)
    }

    func checkPrefetchIsCalledOff() async throws {
        guard let prefetching = try await openPrefetching() else { return }
        let origin = prefetching.origin
        let numbers = 0..<24
        for number in numbers { origin.hold(number) }
        await withPatience(origin) {
            step("prefetch \(numbers.count) keys, whose fetches are held back, and cancel them")
            prefetching.prefetch(numbers)
            await origin.arrivals.wait(for: 1)
            await letOthersRun()
            prefetching.own.cancelPrefetching(numbers.map(kit.makeKey))
            let begun = origin.arrivals.count
            await expect(soon: true, "a fetch in flight is not cancelled when the prefetch of its key is cancelled") {
                prefetching.seen.withLock { $0.cancelled } >= begun
            }
            origin.releaseAll()
            await letUnhurriedRun()
            let late = origin.arrivals.count - begun
            // Some tasks may have passed their last test for cancellation; a queue that is not cancelled has far more.
            expect(late <= 4, "\(late) fetches began after their prefetch had been cancelled")
        }
        await close(prefetching.cache)
    }
}
