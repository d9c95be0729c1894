import CacheStrategies

/// A way to look up or load an entry again; none of them prolongs a fixed lifetime.
private enum WayIn: Int, CaseIterable {
    case lookUp, loadOfTask, loadOfThread, manyLookUps, statistics

    var words: String {
        switch self {
        case .lookUp: "a lookup"
        case .loadOfTask: "a load of a task that hit"
        case .loadOfThread: "a blocking load that hit"
        case .manyLookUps: "many lookups"
        case .statistics: "asking for statistics"
        }
    }
}

extension ConformanceProbe {
    /// Every kind of use, each on a key of its own, with the manual clock: a fixed lifetime counts from the insert.
    func checkEveryWayInKeepsLifetimes() async throws {
        let rules = promises.timeToLive
        guard !neverCaches, rules.kind == .fixed, rules.clock == .configured else { return }
        let lifetime = max(.seconds(60), rules.resolution * 8)
        for usedAt in [0.25, 0.5, 0.99] { try await askEveryUse(lifetime, at: usedAt) }
        try await askEveryUse(lifetime, at: 0.5, again: true)
        try await askReplacement(lifetime)
        try await askLoads(lifetime)
        try await askJoins(lifetime)
        if promises.durability != .none { try await askReopening(lifetime) }
    }

    private func use(_ way: WayIn, of number: Int, _ origin: ScriptedOrigin, _ cache: Strategy) async throws {
        switch way {
        case .lookUp: await expectFound(number, at: number, in: cache, "within its lifetime")
        case .loadOfTask: expectHit(try await load(number, from: origin, in: cache), way)
        case .loadOfThread:
            guard let cache = cache as? any SynchronousCacheStrategy<Key, Value> else { return }
            expectHit(try blockingLoad(number, from: origin, in: cache), way)
        case .manyLookUps: for _ in 0..<50 { _ = await lookUp(number, in: cache) }
        case .statistics: _ = await statistics(of: cache)
        }
    }

    private func expectHit(_ loaded: Loaded<Value>, _ way: WayIn) {
        expect(isEventual || loaded.outcome == .hit, "\(way.words) within the lifetime reports \(loaded.outcome)")
    }

    /// Not async, so that the synchronous overload is called.
    private func blockingLoad<Cache: SynchronousCacheStrategy<Key, Value>>(
        _ number: Int, from origin: ScriptedOrigin, in cache: Cache
    ) throws -> Loaded<Value> {
        step("load key \(number) on a thread")
        return try cache.loadBlocking(key(number)) { try origin.fetchBlocking(number) }
    }

    /// - Parameters:
    ///   - part: the share of the lifetime after which each key is used.
    ///   - again: whether each key is used once more, just before the end.
    private func askEveryUse(_ lifetime: Duration, at part: Double, again: Bool = false) async throws {
        let cache = try open(timeToLive: lifetime, folder: "ways-\(part)-\(again)")
        let origin = makeOrigin()
        for way in WayIn.allCases { await insert(way.rawValue, at: way.rawValue, into: cache) }
        advance(by: lifetime * part)
        for way in WayIn.allCases { try await use(way, of: way.rawValue, origin, cache) }
        advance(by: lifetime - lifetime * part - instant)
        if again { for way in WayIn.allCases { try await use(way, of: way.rawValue, origin, cache) } }
        passTheEnd()
        for way in WayIn.allCases {
            await expectMissing(
                way.rawValue, in: cache,
                "when \(lifetime) have passed since its insert; used by \(way.words), \(again ? "twice" : "once")"
            )
        }
        await close(cache)
    }

    /// A replacement restarts the lifetime, by an insert and by a load's insert; the lifetimes of other keys stay as
    /// they are.
    private func askReplacement(_ lifetime: Duration) async throws {
        let cache = try open(timeToLive: lifetime, folder: "ways-replaced")
        for number in 1...3 { await insert(number, at: number, into: cache) }
        for round in 1...3 {
            advance(by: lifetime / 2)
            await insert(10 + round, at: 1, into: cache)
            if round == 1 { await insert(2, at: 2, into: cache) }
        }
        advance(by: promises.timeToLive.resolution)
        await expectMissing(3, in: cache, "when its lifetime is over, though others were replaced")
        await expectMissing(2, in: cache, "when the lifetime that began with its replacement is over")
        advance(by: lifetime - instant - promises.timeToLive.resolution)
        await expectFound(13, at: 1, in: cache, "within the lifetime that began with its last replacement")
        passTheEnd()
        await expectMissing(1, in: cache, "when the lifetime that began with its last replacement is over")
        await remove(1, from: cache)
        await insert(20, at: 1, into: cache)
        advance(by: lifetime - instant)
        await expectFound(20, at: 1, in: cache, "within its lifetime, removed and inserted before")
        await close(cache)
    }

    /// Loads of an expired entry fetch, on tasks and on threads; their inserts begin a new lifetime.
    private func askLoads(_ lifetime: Duration) async throws {
        let opened = try open(timeToLive: lifetime, folder: "ways-loads")
        let origin = makeOrigin()
        for number in 1...2 { await insert(number, at: number, into: opened) }
        for _ in 1...3 {
            advance(by: lifetime + promises.timeToLive.resolution)
            let loaded = try await load(1, from: origin, in: opened)
            expect(loaded.outcome == .loaded, "a load of an expired entry reports \(loaded.outcome), not loaded")
            if let cache = opened as? any SynchronousCacheStrategy<Key, Value> {
                let loaded = try blockingLoad(2, from: origin, in: cache)
                expect(loaded.outcome == .loaded, "a blocking load of an expired entry reports \(loaded.outcome)")
            } else {
                _ = try await load(2, from: origin, in: opened)
            }
            advance(by: lifetime - instant)
            for number in 1...2 { await expectFound(number, at: number, in: opened, "within the lifetime of its load") }
            passTheEnd()
            for number in 1...2 {
                await expectMissing(number, in: opened, "when the lifetime that began with its load is over")
            }
        }
        await close(opened)
    }

    /// A slow load and callers that join it: one lifetime, counted from the insert.
    private func askJoins(_ lifetime: Duration) async throws {
        let cache = try open(timeToLive: lifetime, folder: "ways-joins")
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
        advance(by: lifetime - (lifetime - instant) / 3 * 3 + promises.timeToLive.resolution)
        await expectMissing(1, in: cache, "when the lifetime that began with a load is over; others joined it")
        await close(cache)
    }

    /// An entry in a file keeps the rest of its lifetime, however often the cache is reopened.
    private func askReopening(_ lifetime: Duration) async throws {
        var cache = try open(timeToLive: lifetime, folder: "ways-reopened")
        for number in 1...3 { await insert(number, at: number, into: cache) }
        for round in 1...3 {
            advance(by: lifetime / 4)
            await close(cache)
            cache = try open(timeToLive: lifetime, folder: "ways-reopened")
            await expectFound(1, at: 1, in: cache, "reopened \(round) times within its lifetime")
        }
        advance(by: lifetime - lifetime / 4 * 3 + promises.timeToLive.resolution)
        for number in 1...3 {
            await expectMissing(number, in: cache, "when its lifetime is over, reopened three times since its insert")
        }
        await close(cache)
    }
}
