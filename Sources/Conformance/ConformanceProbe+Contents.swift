import CacheStrategies
import TrialModel

extension ConformanceProbe {
    func checkInsertedIsFound() async throws {
        let cache = try open()
        for number in 0..<20 {
            await insert(number, at: number, into: cache)
            if neverCaches {
                await expectMissing(number, in: cache, "although it never caches")
            } else {
                await expectFound(number, at: number, in: cache, "right after its insert")
            }
        }
        await expectMissing(999, in: cache, "although it was never inserted")
        if !neverCaches {
            for number in 0..<20 { await expectFound(number, at: number, in: cache, "after all inserts") }
        }
        await cache.close()
    }

    func checkReplacedIsFound() async throws {
        if neverCaches { return }
        let cache = try open()
        for version in 1...10 {
            await insert(version, at: 1, into: cache)
            await insert(100 + version, at: 2, into: cache)
            await expectFound(version, at: 1, in: cache, "after version \(version) was inserted")
        }
        await expectFound(110, at: 2, in: cache, "after replacing another key")
        if let count = await cache.statistics().entryCount {
            expect(count == 2, "2 keys with 10 versions each count as \(count) entries")
        }
        await cache.close()
    }

    func checkRemovedIsMissing() async throws {
        let cache = try open()
        await cache.removeValue(forKey: key(1))
        await insert(1, at: 1, into: cache)
        await insert(2, at: 2, into: cache)
        await cache.removeValue(forKey: key(1))
        await expectMissing(1, in: cache, "after its removal")
        if !neverCaches { await expectFound(2, at: 2, in: cache, "after another key was removed") }
        await insert(3, at: 1, into: cache)
        if !neverCaches { await expectFound(3, at: 1, in: cache, "after it was removed and inserted again") }
        await cache.close()
    }

    func checkRemoveAllEmpties() async throws {
        let cache = try open()
        await cache.removeAll()
        for number in 0..<20 { await insert(number, at: number, into: cache) }
        await cache.removeAll()
        for number in 0..<20 { await expectMissing(number, in: cache, "after all were removed") }
        let statistics = await cache.statistics()
        expect((statistics.entryCount ?? 0) == 0, "\(statistics.entryCount ?? 0) entries are counted in an empty cache")
        expect((statistics.totalCost ?? 0) == 0, "an empty cache costs \(statistics.totalCost ?? 0)")
        if !neverCaches {
            await insert(7, at: 7, into: cache)
            await expectFound(7, at: 7, in: cache, "inserted after all were removed")
        }
        await cache.close()
    }

    /// Callers change what they inserted, found and loaded, in place; whoever asks next must not see that.
    func checkValuesAreIsolated() async throws {
        guard let scribble = kit.scribble, !neverCaches else { return }
        let cache = try open()
        var inserted = value(1)
        await cache.insert(inserted, forKey: key(1), cost: inserted.cost)
        scribble(&inserted)
        await expectFound(1, at: 1, in: cache, "after its caller changed what it had inserted")
        if var found = await cache.value(forKey: key(1)) { scribble(&found) }
        await expectFound(1, at: 1, in: cache, "after a caller changed what it had found")
        var loaded = try await load(2, from: makeOrigin(), in: cache).value
        scribble(&loaded)
        await expectFound(2, at: 2, in: cache, "after a caller changed what it had loaded")
        await cache.close()
    }

    /// Values are numbered 1000 x key + version, so that any value tells which key it was written for.
    func checkKeysKeepTheirOwnValues() async throws {
        let cache = try open(entryLimit: 10, costLimit: 10 * Self.usualByteCount)
        let seed: UInt64 = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask { try await self.callAtRandom(cache, seed: seed, caller: caller) }
            }
            try await group.waitForAll()
        }
        await cache.close()
    }

    private func callAtRandom(_ cache: Strategy, seed: UInt64, caller: Int) async throws {
        var random = RandomSource(seed: seed, stream: UInt64(caller))
        for version in 0..<250 {
            let keyNumber = Int(random.next(below: 16))
            let number = 1000 * keyNumber + version % 100
            var answer: Value?
            switch random.next(below: 20) {
            case 0: await cache.removeValue(forKey: key(keyNumber))
            case 1..<6: await insert(number, at: keyNumber, into: cache)
            case 6..<12:
                let bytes = try value(number).encoded()
                answer = try await cache.load(key(keyNumber)) { bytes }.value
            default: answer = await cache.value(forKey: key(keyNumber))
            }
            if let answer, !(0..<100).contains(where: { isValue(answer, 1000 * keyNumber + $0) }) {
                let bytes = (try? answer.encoded()).map { String(decoding: $0.prefix(60), as: UTF8.self) } ?? "?"
                return fail("key \(keyNumber) gave a value that was never written for it: \(bytes); seed \(seed)")
            }
        }
    }
}
