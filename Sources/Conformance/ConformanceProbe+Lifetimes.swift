import CacheStrategies

extension ConformanceProbe {
    func checkEntriesExpire() async throws {
        if neverCaches { return }
        let cache = try open(timeToLive: .seconds(60))
        await insert(1, at: 1, into: cache)
        clock.advance(by: .seconds(30))
        // Somebody sets the machine's clock; no lifetime follows it.
        clock.setDate(ahead: .seconds(3600))
        await insert(2, at: 2, into: cache)
        clock.advance(by: .seconds(30) - .milliseconds(1))
        await expectFound(1, at: 1, in: cache, "one millisecond before its lifetime ends")
        clock.advance(by: .milliseconds(1))
        clock.setDate(ahead: .seconds(-3600))
        guard promises.timeToLive else {
            await expectFound(1, at: 1, in: cache, "although it declares no lifetimes")
            return await cache.close()
        }
        await expectMissing(1, in: cache, "when its lifetime is over, to the moment")
        await expectFound(2, at: 2, in: cache, "within its own lifetime, when an older entry's is over")
        let origin = makeOrigin()
        let loaded = try await load(1, from: origin, in: cache)
        expect(loaded.outcome == .loaded, "a load of an expired entry says \(loaded.outcome), not loaded")
        clock.advance(by: .seconds(30))
        await expectMissing(2, in: cache, "when its lifetime is over, although it was read meanwhile")
        await expectFound(1, at: 1, in: cache, "within the lifetime that began with its load")
        await insert(3, at: 1, into: cache)
        clock.advance(by: .seconds(60) - .milliseconds(1))
        await expectFound(3, at: 1, in: cache, "within the lifetime that began when it was replaced")
        clock.advance(by: .milliseconds(1))
        await expectMissing(1, in: cache, "when the lifetime of its replacement is over")
        if let expirations = await cache.statistics().expirations {
            expect(expirations == 3, "3 lifetimes were over, \(expirations) expirations are counted")
        }
        await cache.close()
    }

    func checkReopenedFindsEntries() async throws {
        guard promises.durability != .none else { return }
        let cache = try open()
        for number in 0..<10 { await insert(number, at: number, into: cache) }
        await insert(100, at: 0, into: cache)
        await cache.removeValue(forKey: key(1))
        let loaded = try await load(10, from: makeOrigin(), in: cache)
        expect(loaded.outcome == .loaded, "the load says \(loaded.outcome)")
        await cache.close()

        let reopened = try open()
        await expectFound(100, at: 0, in: reopened, "after reopening, replaced before")
        await expectMissing(1, in: reopened, "after reopening, although it was removed before")
        for number in 2...10 { await expectFound(number, at: number, in: reopened, "after reopening") }
        await reopened.removeAll()
        await reopened.close()

        let emptied = try open()
        for number in 0...10 { await expectMissing(number, in: emptied, "after all were removed and it was reopened") }
        await emptied.close()
    }

    func checkNothingLeaks() async throws {
        guard let aliveValues = kit.aliveValues else { return }
        try await useEverything()
        // Background work may still hold values for a moment.
        await expect(soon: true, "values are alive after all were removed and the cache is gone") { aliveValues() == 0 }
        if aliveValues() != 0 { fail("\(aliveValues()) values are alive") }
        try await useEverything(removingAll: false)
        await expect(soon: true, "values are alive after the cache was closed and dropped, full") { aliveValues() == 0 }
    }

    private func useEverything(removingAll: Bool = true) async throws {
        let cache = try open(entryLimit: 8, costLimit: 1000)
        let origin = makeOrigin()
        for number in 0..<30 {
            await insert(number, at: number % 13, into: cache)
            _ = try await load(number % 17, from: origin, in: cache)
            if number.isMultiple(of: 5) { await cache.removeValue(forKey: key(number % 13)) }
        }
        origin.script([.refused], forKey: 99)
        _ = try? await load(99, from: origin, in: cache)
        if removingAll { await cache.removeAll() }
        await cache.close()
    }
}
