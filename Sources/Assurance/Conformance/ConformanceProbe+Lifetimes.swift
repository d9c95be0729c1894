import CacheStrategies

extension ConformanceProbe {
    func checkEntriesExpire() async throws {
        if neverCaches { return }
        let rules = promises.timeToLive
        if rules.kind != .none, rules.clock == .system {
            return kit.available.contains(.lookUp)
                ? try await checkEntriesExpireInRealTime() : try await checkLoadsExpireInRealTime()
        }
        if rules.perEntry { _ = premise(kit.makeMortal != nil, "the check's values have no lifetime of their own") }
        try await checkByModel()
        if rules.kind != .none { try await checkExpiryBesideInserts() }
    }

    /// A slow load and, where loads are shared, callers that join it: one lifetime, counted from the insert.
    func checkJoinedLoadsLifetime() async throws {
        let rules = promises.timeToLive
        guard !neverCaches, rules.kind == .fixed, rules.clock == .configured else { return }
        for driver in drivers where driver != .both { try await checkSlowLoadsLifetime(driver) }
    }

    private func checkSlowLoadsLifetime(_ driver: CrowdDriver) async throws {
        let instant = Duration.milliseconds(1)
        let cache = try open(timeToLive: lifetime, folder: "joins-\(driver.rawValue)")
        let origin = makeOrigin()
        let onThread = driver == .threads
        origin.hold(1)
        try await withPatience(origin) {
            let first = Task { try await load(1, from: origin, in: cache, onThread: onThread) }
            await origin.arrivals.wait(for: 1)
            advance(by: lifetime / 2)
            // Without sharing, each would insert a value whose lifetime is its own.
            let others = (0..<(promises.coalescesLoads ? 3 : 0)).map { _ in
                Task { try await load(1, from: origin, in: cache, onThread: onThread) }
            }
            await letOthersRun()
            origin.release(1)
            _ = try await first.value
            for other in others { _ = try await other.value }
        }
        if isEventual { _ = await holds(soon: true) { await lookUp(1, in: cache) != nil } }
        for part in 1...3 {
            advance(by: (lifetime - instant) / 3)
            let loaded = try await load(1, from: origin, in: cache, onThread: onThread)
            expect(
                loaded.outcome == .hit,
                "load \(part) within the lifetime of an entry that a slow load inserted reports \(loaded.outcome)")
        }
        advance(by: lifetime - (lifetime - instant) / 3 * 3 + promises.timeToLive.resolution + .nanoseconds(1))
        await expectMissing(1, in: cache, "when the lifetime that began with a slow load's insert is over")
        await close(cache)
    }
}
