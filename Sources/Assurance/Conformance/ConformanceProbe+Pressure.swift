import CacheStrategies
import Foundation
import Locks

// Does not apply to strategies that don't respond to memory pressure.

extension ConformanceProbe {
    private static var keys: Range<Int> { 0..<12 }

    /// A cache that responds to memory pressure, with some entries; `nil` for one that doesn't respond or holds none.
    private func openFilled(
        entryLimit: Int? = 1000
    ) async throws -> (cache: Strategy, pressed: any RespondsToMemoryPressure)? {
        let cache = try open(entryLimit: entryLimit)
        guard let pressed = cache as? any RespondsToMemoryPressure else {
            await close(cache)
            return nil
        }
        for number in Self.keys { await insert(number, at: number, into: cache) }
        let holds = await holds(soon: isEventual) { await !found(Self.keys, in: cache).isEmpty }
        guard premise(holds, "no entry is found after inserts") else {
            await close(cache)
            return nil
        }
        return (cache, pressed)
    }

    private func press(_ cache: any RespondsToMemoryPressure, _ level: MemoryPressure) async {
        step("ask for memory back: \(level.rawValue)")
        await call("memory pressure") { await cache.respond(to: level) }
    }

    /// What the cache holds in memory: its cost, or its entry count where it reports no cost; `nil` where it reports
    /// neither.
    private func held(in cache: Strategy) async -> Int? {
        let known = await statistics(of: cache)
        return known.memoryCost ?? known.totalCost ?? known.memoryEntryCount ?? known.entryCount
    }

    func checkNormalPressureKeepsAll() async throws {
        guard let (cache, pressed) = try await openFilled() else { return }
        let before = await held(in: cache)
        let found = await found(Self.keys, in: cache)
        await press(pressed, .normal)
        let after = await held(in: cache)
        expect(before == after, "it held \(before ?? 0) and holds \(after ?? 0) after normal pressure")
        let left = await self.found(Self.keys, in: cache)
        expect(left == found, "\(found.count) keys were found, and \(left.count) after normal pressure")
        await close(cache)
    }

    func checkPressureGivesBack() async throws {
        for level in [MemoryPressure.warning, .background, .critical] {
            guard let (cache, pressed) = try await openFilled() else { return }
            guard let before = await held(in: cache), premise(before > 0, "it holds nothing after inserts") else {
                return await close(cache)
            }
            await press(pressed, level)
            let after = await held(in: cache) ?? 0
            let most = level == .critical ? 0 : before - 1
            expect(after <= most, "it held \(before), and right after \(level.rawValue) pressure still holds \(after)")
            if after > before / 2, level != .critical {
                // Half of everything, or one of two tiers, which may be the smaller one.
                let isLevel = await found(Self.keys, in: cache).count == Self.keys.count
                expect(isLevel, "it held \(before), and keeps \(after) after \(level.rawValue) pressure")
            }
            await close(cache)
        }
    }

    func checkGivenBackStaysAway() async throws {
        guard let (cache, pressed) = try await openFilled() else { return }
        await press(pressed, .critical)
        // Operations of other callers continue, and must not bring anything back.
        for number in 100..<104 { _ = await lookUp(number, in: cache) }
        await insert(104, at: 104, into: cache)
        await letOthersRun()
        let one = try open(folder: "one")
        await insert(104, at: 104, into: one)
        let (after, least) = (await held(in: cache) ?? 0, await held(in: one) ?? 0)
        expect(after <= least, "it gave everything back, got one entry of \(least), and holds \(after)")
        await close(one)
        await close(cache)
    }

    func checkPressureKeepsLoads() async throws {
        guard let (cache, pressed) = try await openFilled() else { return }
        let origin = makeOrigin()
        origin.hold(50)
        try await withPatience(origin) {
            async let first = load(50, from: origin, in: cache)
            await origin.arrivals.wait(for: 1)
            await press(pressed, .critical)
            let called = Arrivals()
            async let second = laterLoad(50, from: origin, in: cache, called)
            await called.wait(for: 1)
            if !promises.coalescesLoads { await origin.arrivals.wait(for: 2) }
            await letOthersRun()
            origin.release(50)
            expect(isValue(try await first.value, 50), "a load in flight gives another value after pressure")
            expect(isValue(try await second.value, 50), "a load that began after pressure gives another value")
            let fetches = origin.fetchCount(forKey: 50)
            expect(
                fetches == 1 || !promises.coalescesLoads,
                "a load in flight was not coalesced after pressure: \(fetches) fetches of its key")
        }
        await expectNoLoadInFlight(cache, "after loads under pressure")
        await close(cache)
    }

    private func laterLoad(
        _ number: Int, from origin: ScriptedOrigin, in cache: Strategy, _ called: Arrivals
    ) async throws -> Loaded<Value> {
        called.arrive()
        return try await load(number, from: origin, in: cache)
    }

    func checkPressureInsideEviction() async throws {
        let limit = max(4, rules.smallest)
        guard let onNextRelease = kit.onNextRelease, !(Strategy.self is any ReleasesInsideLock.Type),
            // The release holds one thread of the pool, and the answer needs another.
            ProcessInfo.processInfo.activeProcessorCount > 1,
            let (cache, pressed) = try await openFilled(entryLimit: limit)
        else { return }
        let patience = kit.patience.next
        let ended = DispatchSemaphore(value: 0)
        onNextRelease { [self] in
            // On another thread, which the releasing thread waits for: a lock that is held during the release causes
            // a deadlock.
            Task.detached {
                await pressed.respond(to: .critical)
                ended.signal()
            }
            let watch = WorkWatch(patience, steps: { 0 }) { [self] _ in
                fail("memory pressure during the release of a value had no answer after \(patience)")
                ended.signal()
                return true
            }
            ended.wait()
            watch.end()
        }
        let start = ContinuousClock.now
        for number in 200..<(200 + 2 * limit) { await insert(number, at: number, into: cache) }
        kit.patience.spend(since: start)
        await close(cache)
    }

    func checkGivenBackCountsNoMore() async throws {
        guard let (cache, pressed) = try await openFilled() else { return }
        await press(pressed, .critical)
        let after = await statistics(of: cache)
        let cost = after.memoryCost ?? after.totalCost ?? 0
        let entries = after.memoryEntryCount ?? after.entryCount ?? 0
        expect(cost == 0 || entries > 0, "it holds no entry, and counts a cost of \(cost) bytes")
        await close(cache)
        guard declaration.bounds.contains(.cost), promises.limit == .hard, promises.admission == .always else { return }
        // Twice as many as fit: entries that were given back must not take space from new ones.
        let count = max(6, rules.smallest)
        let limit = max(count * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
        let full = try open(entryLimit: nil, costLimit: limit, folder: "full")
        guard let pressedFull = full as? any RespondsToMemoryPressure else { return await close(full) }
        for number in 0..<count { await insert(number, at: number, into: full) }
        let before = await found(0..<count, in: full).count
        _ = premise(before > 0, "no entry is found in a full cache")
        await press(pressedFull, .critical)
        for number in 300..<(300 + count) { await insert(number, at: number, into: full) }
        let again = await found(300..<(300 + count), in: full).count
        expect(again == before, "\(before) entries fitted before, and \(again) fit after all had been given back")
        await close(full)
    }
}
