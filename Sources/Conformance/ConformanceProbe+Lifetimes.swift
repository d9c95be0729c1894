import CacheStrategies

extension ConformanceProbe {
    func checkEntriesExpire() async throws {
        if neverCaches { return }
        let rules = promises.timeToLive
        if rules.kind != .none, rules.clock == .system { return try await checkEntriesExpireInRealTime() }
        if rules.perEntry { _ = premise(kit.makeMortal != nil, "the check's values have no lifetime of their own") }
        try await checkByModel()
    }

    /// A slow load and callers that join it: one lifetime, counted from the insert.
    func checkJoinedLoadsLifetime() async throws {
        let rules = promises.timeToLive
        guard !neverCaches, rules.kind == .fixed, rules.clock == .configured else { return }
        let instant = Duration.milliseconds(1)
        let cache = try open(timeToLive: lifetime, folder: "joins")
        let origin = makeOrigin()
        origin.hold(1)
        try await withPatience(origin) {
            let first = Task { try await load(1, from: origin, in: cache) }
            await origin.arrivals.wait(for: 1)
            advance(by: lifetime / 2)
            let others = (0..<3).map { _ in Task { try await load(1, from: origin, in: cache) } }
            await letOthersRun()
            origin.release(1)
            _ = try await first.value
            for other in others { _ = try await other.value }
        }
        for part in 1...3 {
            advance(by: (lifetime - instant) / 3)
            let loaded = try await load(1, from: origin, in: cache)
            expect(
                loaded.outcome == .hit,
                "load \(part) within the lifetime of a load that others had joined reports \(loaded.outcome)")
        }
        advance(by: lifetime - (lifetime - instant) / 3 * 3 + rules.resolution + .nanoseconds(1))
        await expectMissing(1, in: cache, "when the lifetime that began with a load is over; others joined it")
        await close(cache)
    }
}
