import CacheStrategies

extension ConformanceProbe {
    func checkEntriesExpire() async throws {
        if neverCaches { return }
        switch promises.timeToLive.clock {
        case _ where promises.timeToLive.kind == .none: try await checkNothingExpires()
        case .system: try await checkEntriesExpireInRealTime()
        case .configured:
            try await checkLifetimeOfInserts()
            if promises.timeToLive.kind == .sliding { try await checkUseProlongs() }
            if promises.timeToLive.perEntry { try await checkOwnLifetimes() }
        }
    }

    /// The configured lifetime in checks that use the manual clock.
    private var lifetime: Duration { max(.seconds(60), promises.timeToLive.resolution * 4) }
    var instant: Duration { .milliseconds(1) }
    private var resolution: Duration { promises.timeToLive.resolution }
    private var isSliding: Bool { promises.timeToLive.kind == .sliding }

    func advance(by step: Duration) {
        self.step("the clock moves on by \(step)")
        clock.advance(by: step)
    }

    /// Moves the clock from just before the end of a lifetime to its end, with the resolution that the cache
    /// declares.
    func passTheEnd() { advance(by: instant + resolution) }

    private func checkNothingExpires() async throws {
        let cache = try open(timeToLive: lifetime)
        await insert(1, at: 1, into: cache)
        guard await isFound(1, at: 1, in: cache, "right after its insert") else { return await close(cache) }
        advance(by: lifetime)
        await expectFound(1, at: 1, in: cache, "\(lifetime) later, although it declares no lifetimes")
        await close(cache)
    }

    /// A lifetime begins with an insert, a replacement or a load, and ends at the exact moment. With sliding
    /// lifetimes, no entry is looked up twice here, because a lookup would prolong it.
    private func checkLifetimeOfInserts() async throws {
        let cache = try open(timeToLive: lifetime)
        for number in 1...4 { await insert(number, at: number, into: cache) }
        guard await isFound(4, at: 4, in: cache, "right after its insert") else { return await close(cache) }
        advance(by: lifetime / 2)
        // The machine's date is changed; lifetimes do not depend on it.
        clock.setDate(ahead: .seconds(3600))
        await insert(20, at: 2, into: cache)
        if !isSliding { await expectFound(3, at: 3, in: cache, "when half of its lifetime is over") }
        advance(by: lifetime / 2 - instant)
        await expectFound(1, at: 1, in: cache, "\(instant) before its lifetime ends")
        passTheEnd()
        clock.setDate(ahead: .seconds(-3600))
        await expectMissing(
            3, in: cache, "when its lifetime of \(lifetime) is over\(isSliding ? "" : ", although it was read before")")
        for number in isSliding ? [] : [1, 4] {
            await expectMissing(number, in: cache, "when its lifetime of \(lifetime) is over")
        }
        let origin = makeOrigin()
        let loaded = try await load(3, from: origin, in: cache)
        expect(loaded.outcome == .loaded, "a load of an expired entry reports \(loaded.outcome), not loaded")
        await expectFound(20, at: 2, in: cache, "within the lifetime that began when it was replaced")
        advance(by: lifetime - instant)
        await expectFound(3, at: 3, in: cache, "within the lifetime that began with its load")
        passTheEnd()
        if !isSliding {
            await expectMissing(3, in: cache, "when the lifetime that began with its load is over")
            await expectMissing(2, in: cache, "when the lifetime that began when it was replaced is over")
            if let expirations = await statistics(of: cache).expirations {
                expect(expirations == 5, "5 lifetimes were over, and its statistics count \(expirations) expirations")
            }
        }
        await close(cache)
    }

    /// A lookup and a load that hits restart the lifetime of their own key, and of no other key.
    private func checkUseProlongs() async throws {
        let cache = try open(timeToLive: lifetime, folder: "sliding")
        for number in 1...3 { await insert(number, at: number, into: cache) }
        let origin = makeOrigin()
        for _ in 0..<3 {
            advance(by: lifetime - instant)
            await expectFound(1, at: 1, in: cache, "although every lookup prolongs its lifetime")
            let loaded = try await load(2, from: origin, in: cache)
            expect(
                loaded.outcome == .hit,
                "a load within the lifetime that the last load prolonged reports \(loaded.outcome)")
        }
        await expectMissing(3, in: cache, "when its lifetime is over, though only other keys were used")
        advance(by: lifetime - instant)
        passTheEnd()
        await expectMissing(1, in: cache, "when \(lifetime) have passed since its last use")
        await expectMissing(2, in: cache, "when \(lifetime) have passed since its last load")
        await close(cache)
    }

    /// A value's own lifetime overrides the configured one, whether the value was inserted or loaded.
    private func checkOwnLifetimes() async throws {
        guard let mortal = kit.makeMortal else {
            _ = premise(false, "the check's values have no lifetime of their own")
            return
        }
        let cache = try open(timeToLive: lifetime, folder: "own")
        let (short, long) = (lifetime / 4, lifetime * 2)
        func value(_ number: Int, _ lifetime: Duration) -> Value {
            mortal(number, bytes(Self.usualByteCount), lifetime)
        }
        // One of each pair is looked up before its end and the other after it, because a lookup may prolong a
        // lifetime.
        for number in [1, 2] { await insert(value(number, short), at: number, into: cache) }
        for number in [3, 4] { await insert(value(number, long), at: number, into: cache) }
        let origin = makeOrigin()
        for number in [5, 6] {
            origin.script([.bytes(try value(number, short).encoded())], forKey: number)
            _ = try await load(number, from: origin, in: cache)
        }
        func expectHeld(_ keyNumber: Int, _ moment: String) async {
            await expect(soon: isEventual, "key \(keyNumber) is not found \(moment)") {
                await lookUp(keyNumber, in: cache) != nil
            }
        }
        advance(by: short - instant)
        await expectHeld(1, "\(instant) before its own lifetime of \(short) ends")
        await expectHeld(5, "\(instant) before its own lifetime of \(short) ends, which came with a load")
        passTheEnd()
        await expectMissing(2, in: cache, "when its own lifetime of \(short) is over")
        await expectMissing(6, in: cache, "when its own lifetime of \(short) is over, which came with a load")
        advance(by: long - short - instant - resolution)
        await expectHeld(3, "within its own lifetime of \(long), when the configured one of \(lifetime) is over")
        passTheEnd()
        await expectMissing(4, in: cache, "when its own lifetime of \(long) is over")
        await close(cache)
    }

    func checkReopenedFindsEntries() async throws {
        guard promises.durability != .none else { return }
        let cache = try open()
        for number in 0..<10 { await insert(number, at: number, into: cache) }
        await insert(100, at: 0, into: cache)
        await remove(1, from: cache)
        let loaded = try await load(10, from: makeOrigin(), in: cache)
        expect(loaded.outcome == .loaded, "a load of a key that was never inserted reports \(loaded.outcome)")
        for number in 2...10 {
            guard await isFound(number, at: number, in: cache, "before it is closed") else { return await close(cache) }
        }
        await close(cache)

        let reopened = try open()
        await expectFound(100, at: 0, in: reopened, "after reopening, replaced before")
        await expectMissing(1, in: reopened, "after reopening, although it was removed before")
        for number in 2...10 { await expectFound(number, at: number, in: reopened, "after reopening") }
        await removeAll(from: reopened)
        await close(reopened)

        let emptied = try open()
        for number in 0...10 { await expectMissing(number, in: emptied, "after all were removed and it was reopened") }
        await close(emptied)
    }
}
