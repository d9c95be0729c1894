import CacheStrategies

extension ConformanceProbe {
    /// Whether a limit may be exceeded for a moment.
    private var isSoft: Bool { promises.limit != .hard || isEventual }

    func checkEntryLimitHolds() async throws {
        guard declaration.bounds.contains(.entries), promises.limit != .approximate else { return }
        for limit in [0, 1, 2, 10] {
            let cache = try open(entryLimit: limit, costLimit: nil, folder: "entries-\(limit)")
            let keys = 0..<(3 * limit + 5)
            for number in keys {
                await insert(number, at: number, into: cache)
                if !isSoft, let count = await cache.statistics().entryCount {
                    expect(count <= limit, "\(count) entries are counted with a hard limit of \(limit)")
                }
            }
            await expect(soon: isSoft, "more than \(limit) of \(keys.count) keys are found with a limit of \(limit)") {
                await found(keys, in: cache).count <= limit
            }
            // Loads insert as well, and may do it in a way of their own.
            let loaded = keys.upperBound..<keys.upperBound + keys.count
            let origin = makeOrigin()
            for number in loaded { _ = try await load(number, from: origin, in: cache) }
            await expect(soon: isSoft, "more than \(limit) loaded keys are found with a limit of \(limit)") {
                await found(loaded, in: cache).count <= limit
            }
            await cache.close()
        }
    }

    func checkCostLimitHolds() async throws {
        guard declaration.bounds.contains(.cost), promises.limit != .approximate else { return }
        for limit in [0, 1, 100, 1000] {
            let cache = try open(entryLimit: nil, costLimit: limit, folder: "cost-\(limit)")
            let costs = (0..<60).map { 10 + $0 * 37 % 91 }
            for (number, cost) in costs.enumerated() {
                await insert(number, byteCount: cost, at: number, into: cache)
                if !isSoft, let total = await totalCost(of: cache) {
                    expect(total <= limit, "the total cost is \(total) with a hard limit of \(limit)")
                }
            }
            let message = "the keys found cost more than \(limit) bytes together, the limit"
            await expect(soon: isSoft, message) {
                await found(0..<costs.count, in: cache).map { costs[$0] }.reduce(0, +) <= limit
            }
            // Replacing changes the cost.
            let kept = await found(0..<costs.count, in: cache)
            for number in kept.prefix(3) { await insert(number, byteCount: 90, at: number, into: cache) }
            await expect(soon: isSoft, message + ", after some were replaced by dearer ones") {
                let replaced = Set(kept.prefix(3))
                let found = await found(0..<costs.count, in: cache)
                return found.map { replaced.contains($0) ? 90 : costs[$0] }.reduce(0, +) <= limit
            }
            await cache.close()
        }
    }

    /// Replaces and removes one key so often that a cache that went on counting the old values would be full several
    /// times over. Its neighbour must stay.
    func checkGoneCountsNoMore() async throws {
        guard !declaration.bounds.isEmpty, !neverCaches else { return }
        let cache = try open(entryLimit: 24, costLimit: 1 << 14)
        await insert(1, at: 1, into: cache)
        for round in 0..<50 {
            await insert(2, byteCount: 512, at: 2, into: cache)
            await insert(3, byteCount: 512, at: 2, into: cache)
            await cache.removeValue(forKey: key(2))
            // Found again and again, so that no policy takes it for what is needed least.
            await expectFound(1, at: 1, in: cache, "after its neighbour was replaced and removed \(round + 1) times")
            if !messages.isEmpty { break }
        }
        if let count = await cache.statistics().entryCount {
            expect(count == 1 || isSoft, "\(count) entries are counted where all but one were removed")
        }
        await cache.close()
    }

    func checkOversizeIsRefused() async throws {
        guard declaration.bounds.contains(.cost), !neverCaches else { return }
        let cache = try open(entryLimit: nil, costLimit: 100)
        await insert(1, at: 1, into: cache)
        await insert(2, at: 2, into: cache)
        await insert(3, byteCount: 101, at: 1, into: cache)
        await expectMissing(1, in: cache, "after it was replaced by a value whose cost alone is over the limit")
        await insert(4, at: 4, into: cache)
        await insert(5, byteCount: 1000, at: 5, into: cache)
        await expectMissing(5, in: cache, "although its cost alone is over the limit")
        await cache.close()
    }

    func checkHostileCostsAreHarmless() async throws {
        let unlimited = try open(entryLimit: nil, costLimit: nil, folder: "unlimited")
        for (number, cost) in [Int.max, Int.max, -1, Int.min, 0, 1].enumerated() {
            await unlimited.insert(value(number), forKey: key(number), cost: cost)
            await unlimited.insert(value(number), forKey: key(number), cost: cost)
        }
        _ = await unlimited.statistics()
        await unlimited.close()
        let bounded = try open(entryLimit: 4, costLimit: 100, folder: "bounded")
        await bounded.insert(value(1), forKey: key(1), cost: -50)
        if let total = await totalCost(of: bounded) {
            expect(total >= 0, "a negative cost makes the total \(total)")
        }
        if !neverCaches { await expectFound(1, at: 1, in: bounded, "inserted at a negative cost") }
        await bounded.insert(value(2), forKey: key(2), cost: .max)
        await bounded.insert(value(3), forKey: key(3), cost: .max)
        await insert(4, at: 4, into: bounded)
        if let total = await totalCost(of: bounded) {
            expect(isSoft || (0...100).contains(total), "huge costs make the total \(total), the limit being 100")
        }
        await bounded.close()
    }

    func checkFullCacheAdmits() async throws {
        guard promises.admission == .always, !neverCaches else { return }
        if declaration.bounds.contains(.entries) {
            try await checkAdmission(to: open(entryLimit: 8, costLimit: nil, folder: "entries"), "8 entries")
        }
        if declaration.bounds.contains(.cost) {
            let limit = 8 * Self.usualByteCount
            try await checkAdmission(to: open(entryLimit: nil, costLimit: limit, folder: "cost"), "\(limit) bytes")
        }
        let one = try open(entryLimit: 1, costLimit: nil, folder: "one")
        try await checkAdmission(to: one, "1 entry")
    }

    private func checkAdmission(to cache: Strategy, _ limit: String) async throws {
        for number in 0..<40 {
            await insert(number, at: number, into: cache)
            await expectFound(number, at: number, in: cache, "right after its insert into a cache full with \(limit)")
        }
        let loaded = try await load(100, from: makeOrigin(), in: cache)
        expect(loaded.outcome == .loaded, "a load into a cache full with \(limit) says \(loaded.outcome)")
        await expectFound(100, at: 100, in: cache, "right after its load into a cache full with \(limit)")
        await cache.close()
    }

    func checkStatisticsAgree() async throws {
        let cache = try open(entryLimit: 5, costLimit: 1000)
        let keys = 0..<12
        for number in keys { await insert(number, byteCount: 10 + number, at: number, into: cache) }
        if isSoft { await letOthersRun() }
        let found = await found(keys, in: cache)
        let cost = found.map { 10 + $0 }.reduce(0, +)
        var statistics = CacheStatistics()
        await expect(
            soon: isSoft, "statistics count \(statistics.entryCount ?? 0) entries, but \(found.count) are found"
        ) {
            statistics = await cache.statistics()
            return (statistics.entryCount ?? found.count) == found.count
        }
        await expect(
            soon: isSoft, "statistics say a cost other than that of the entries found, \(cost)"
        ) {
            // More than the entries found cost is right where a strategy holds them on two levels.
            return (cost...1000).contains(await totalCost(of: cache) ?? cost)
        }
        if let evictions = statistics.evictions, !neverCaches {
            expect(
                evictions == UInt64(keys.count - found.count),
                "\(keys.count) keys inserted, \(found.count) found, but \(evictions) evictions counted")
        }
        expect(
            (statistics.loadsUnderWay ?? 0) == 0, "\(statistics.loadsUnderWay ?? 0) loads are under way, none was made")
        await cache.close()
    }
}
