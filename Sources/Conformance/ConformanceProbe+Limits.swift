import CacheStrategies

extension ConformanceProbe {
    /// The lowest cost limit, in the checks' unit, under which an entry of a cost always fits.
    func costLimit(holding cost: Int) -> Int {
        // Plus 1, because the cache may round its share down.
        rules.largestEntry < 1 ? Int(Double(cost + 1) / rules.largestEntry) + 1 : cost
    }

    func checkEntryLimitHolds() async throws {
        guard declaration.bounds.contains(.entries), promises.limit != .approximate else { return }
        let least = rules.smallest
        let limits = Set([least, least + 1, max(10, 2 * least)]).sorted()
        for limit in (rules.zero == .holdsNothing ? [0] : []) + limits {
            let cache = try open(entryLimit: limit, costLimit: nil, folder: "entries-\(limit)")
            let keys = 0..<(3 * limit + 5)
            // A cache that holds nothing keeps every limit.
            var hasHeld = limit == 0 || neverCaches
            for number in keys {
                await insert(number, at: number, into: cache)
                if !hasHeld { hasHeld = await lookUp(number, in: cache) != nil }
                if !isSoft, let count = await statistics(of: cache).entryCount {
                    expect(count <= limit, "its statistics count \(count) entries; the limit, a hard one, is \(limit)")
                }
            }
            if !hasHeld { hasHeld = await holds(soon: isEventual) { await !found(keys, in: cache).isEmpty } }
            guard premise(hasHeld, "none of \(keys.count) keys was found, and the limit is \(Self.entries(limit))")
            else {
                return await close(cache)
            }
            await expectAtMost(limit, of: keys, in: cache, "inserted")
            // Loads insert as well, and may use a separate path.
            let loaded = keys.upperBound..<keys.upperBound + keys.count
            let origin = makeOrigin()
            for number in loaded { _ = try await load(number, from: origin, in: cache) }
            await expectAtMost(limit, of: loaded, in: cache, "loaded")
            await close(cache)
        }
        try await checkZero { try open(entryLimit: 0, costLimit: nil, folder: "entries-zero") }
    }

    private func expectAtMost(_ limit: Int, of keys: Range<Int>, in cache: Strategy, _ how: String) async {
        var count = 0
        let holds = await holds(soon: isSoft) {
            count = await found(keys, in: cache).count
            return count <= limit
        }
        if !holds { fail("\(count) of \(keys.count) \(how) keys are found; the limit is \(Self.entries(limit))") }
    }

    /// A limit of 0 that does not mean "hold nothing".
    private func checkZero(_ open: () throws -> Strategy) async throws {
        switch rules.zero {
        case .undeclared, .holdsNothing: return
        case .unlimited:
            let cache = try open()
            for number in 0..<50 { await insert(number, at: number, into: cache) }
            for number in 0..<50 {
                await expectFound(number, at: number, in: cache, "although a limit of 0 means no limit")
            }
            await close(cache)
        case .refused:
            guard let cache = try? open() else { return }
            fail("it opens with a limit of 0, which it declares to refuse")
            await close(cache)
        }
    }

    func checkCostLimitHolds() async throws {
        guard declaration.bounds.contains(.cost), promises.limit != .approximate else { return }
        let costs = (0..<60).map { 10 + $0 * 37 % 91 }
        let dearest = 100
        for limit in (rules.zero == .holdsNothing ? [0] : []) + [1, 100, max(1000, 2 * costLimit(holding: dearest))] {
            let cache = try open(entryLimit: nil, costLimit: limit, folder: "cost-\(limit)")
            let fits = limit >= costLimit(holding: dearest) && !neverCaches
            var hasHeld = !fits
            for (number, cost) in costs.enumerated() {
                await insert(number, byteCount: cost, at: number, into: cache)
                if !hasHeld { hasHeld = await lookUp(number, in: cache) != nil }
                await expectTotal(atMost: limit, in: cache)
            }
            if !hasHeld { hasHeld = await holds(soon: isEventual) { await !found(0..<costs.count, in: cache).isEmpty } }
            guard premise(hasHeld, "none of \(costs.count) keys was found, and the limit is \(bytes(limit)) bytes")
            else {
                return await close(cache)
            }
            await expectCost(atMost: limit, of: costs, in: cache, "")
            if fits { try await checkReplacingByDearer(costs, dearest, limit, cache) }
            await close(cache)
        }
        try await checkZero { try open(entryLimit: nil, costLimit: 0, folder: "cost-zero") }
    }

    /// Replaces held entries by dearer ones, which changes the total cost.
    private func checkReplacingByDearer(
        _ costs: [Int], _ dearest: Int, _ limit: Int, _ cache: Strategy
    ) async throws {
        var costs = costs
        // One by one, because each replacement may evict entries that come later in the loop.
        var replaced = 0
        for number in costs.indices where costs[number] < dearest {
            guard await lookUp(number, in: cache) != nil else { continue }
            costs[number] = dearest
            await insert(number, byteCount: dearest, at: number, into: cache)
            await expectTotal(atMost: limit, in: cache)
            replaced += 1
            if replaced == 10 { break }
        }
        guard replaced > 0 else {
            _ = premise(limit == dearest, "no entry is left to be replaced in a cache limited to \(bytes(limit)) bytes")
            return
        }
        await expectCost(atMost: limit, of: costs, in: cache, ", after \(replaced) were replaced by dearer ones")
    }

    private func expectTotal(atMost limit: Int, in cache: Strategy) async {
        guard !isSoft, let total = await statistics(of: cache).totalCost else { return }
        expect(total <= bytes(limit), "its statistics say \(total) bytes; the limit, a hard one, is \(bytes(limit))")
    }

    private func expectCost(atMost limit: Int, of costs: [Int], in cache: Strategy, _ moment: String) async {
        var (count, cost) = (0, 0)
        let holds = await holds(soon: isSoft) {
            let found = await found(0..<costs.count, in: cache)
            (count, cost) = (found.count, found.map { costs[$0] }.reduce(0, +))
            return cost <= limit
        }
        if !holds {
            fail("\(count) keys are found that cost \(bytes(cost)) bytes; the limit is \(bytes(limit))\(moment)")
        }
    }

    /// Replaces and removes one key so often that a cache that still counted the old values would be full several
    /// times over. The other key must stay.
    func checkGoneCountsNoMore() async throws {
        guard !declaration.bounds.isEmpty, !neverCaches else { return }
        let cache = try open(
            entryLimit: max(24, rules.smallest + 8), costLimit: max(1 << 14, costLimit(holding: 512)))
        await insert(1, at: 1, into: cache)
        guard await isFound(1, at: 1, in: cache, "right after its insert into an empty cache") else {
            return await close(cache)
        }
        for round in 0..<50 {
            await insert(2, byteCount: 512, at: 2, into: cache)
            await insert(3, byteCount: 512, at: 2, into: cache)
            let isHeld = await holds(soon: isEventual) { await lookUp(2, in: cache) != nil }
            guard premise(isHeld, "key 2 is not found after it was replaced, although there is room") else { break }
            await remove(2, from: cache)
            // Looked up again and again, so that no policy ranks it as the least needed.
            await expectFound(
                1, at: 1, in: cache,
                "after another key was replaced and removed \(round + 1) times, which leaves room for it")
            if !failures.isEmpty { break }
        }
        if failures.isEmpty, let count = await statistics(of: cache).entryCount {
            expect(count == 1 || isSoft, "its statistics count \(count) entries where all but one were removed")
        }
        await close(cache)
    }

    /// An entry that costs too much is not held; the previous entry of its key stays or goes as declared.
    func checkOversizeIsRefused() async throws {
        guard declaration.bounds.contains(.cost), !neverCaches else { return }
        let limit = costLimit(holding: 100)
        let refused = Int(Double(limit) * rules.largestEntry) + 1
        let cache = try open(entryLimit: nil, costLimit: limit)
        await insert(1, at: 1, into: cache)
        guard await isFound(1, at: 1, in: cache, "right after its insert into an empty cache") else {
            return await close(cache)
        }
        await insert(3, byteCount: refused, at: 1, into: cache)
        let dear = "\(bytes(refused)) bytes, more than one entry may cost"
        switch rules.refusedReplacement {
        case .removesOld:
            await expect(soon: isSoft, "key 1 is still found after it was replaced by a value of \(dear)") {
                await lookUp(1, in: cache) == nil
            }
        case .keepsOld:
            await expectFound(1, at: 1, in: cache, "although its replacement was refused, a value of \(dear)")
        }
        await insert(5, byteCount: 10 * limit, at: 5, into: cache)
        await expect(
            soon: isSoft, "key 5 is still found, which costs \(bytes(10 * limit)) bytes; the limit is \(bytes(limit))"
        ) {
            await lookUp(5, in: cache) == nil
        }
        await close(cache)
    }

    func checkHostileCostsAreHarmless() async throws {
        let unlimited = try open(entryLimit: nil, costLimit: nil, folder: "unlimited")
        for (number, cost) in [Int.max, Int.max, -1, Int.min, 0, 1].enumerated() {
            await insert(number, at: number, cost: cost, into: unlimited)
            await insert(number, at: number, cost: cost, into: unlimited)
        }
        _ = await statistics(of: unlimited)
        await close(unlimited)
        let limit = costLimit(holding: 100)
        let bounded = try open(entryLimit: 4, costLimit: limit, folder: "bounded")
        await insert(0, at: 0, into: bounded)
        if !neverCaches, await !isFound(0, at: 0, in: bounded, "right after its insert into an empty cache") {
            return await close(bounded)
        }
        await insert(1, at: 1, cost: -50, into: bounded)
        if let total = await statistics(of: bounded).totalCost {
            expect(total >= 0, "a negative cost makes the total \(total) bytes")
        }
        if !neverCaches { await expectFound(1, at: 1, in: bounded, "right after its insert at a cost of -50") }
        await insert(2, at: 2, cost: .max, into: bounded)
        await insert(3, at: 3, cost: .max, into: bounded)
        if declaration.bounds.contains(.cost), promises.limit != .approximate, promises.limit != .none {
            for number in [2, 3] {
                await expect(
                    soon: isSoft, "key \(number) is found, which costs \(Int.max) bytes; the limit is \(bytes(limit))"
                ) {
                    await lookUp(number, in: bounded) == nil
                }
            }
        }
        await insert(4, at: 4, into: bounded)
        if let total = await statistics(of: bounded).totalCost {
            let range = 0...bytes(limit)
            expect(
                isSoft || range.contains(total),
                "costs of \(Int.max) make the total \(total) bytes; the limit is \(range.upperBound)")
        }
        await close(bounded)
    }

    func checkFullCacheAdmits() async throws {
        guard promises.admission == .always, !neverCaches else { return }
        if declaration.bounds.contains(.entries) {
            for limit in Set([max(8, rules.smallest), rules.smallest]).sorted(by: >) {
                try await checkAdmission(
                    to: open(entryLimit: limit, costLimit: nil, folder: "entries-\(limit)"),
                    "limited to \(Self.entries(limit))", entries: limit)
            }
        }
        if declaration.bounds.contains(.cost) {
            let limit = max(8 * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
            try await checkAdmission(
                to: open(entryLimit: nil, costLimit: limit, folder: "cost"), "limited to \(bytes(limit)) bytes",
                entries: limit / Self.usualByteCount)
        }
    }

    private func checkAdmission(to cache: Strategy, _ limited: String, entries: Int) async throws {
        let count = entries + 40
        var refused: [Int] = []
        for number in 0..<count {
            await insert(number, at: number, into: cache)
            // Each lookup counts as a use, so a policy may prefer all these entries to the next new one.
            let isFound = await holds(soon: isEventual) { isValue(await lookUp(number, in: cache), number) }
            if !isFound { refused.append(number) }
        }
        if let first = refused.first {
            let before = first == 0 ? "the first of all" : "after \(first) others, each looked up after its insert"
            fail(
                "key \(first) is not found right after its insert into a cache \(limited), \(before); "
                    + "\(refused.count) of \(count) keys were not")
        }
        let loaded = try await load(count, from: makeOrigin(), in: cache)
        expect(loaded.outcome == .loaded, "a load of a key that was never inserted reports \(loaded.outcome)")
        await expectFound(count, at: count, in: cache, "right after its load into a full cache \(limited)")
        await close(cache)
    }

    func checkStatisticsAgree() async throws {
        let limit = max(5, rules.smallest)
        let costLimit = max(30 * limit, costLimit(holding: 30))
        let cache = try open(entryLimit: limit, costLimit: costLimit)
        let keys = 0..<(limit + 7)
        for number in keys { await insert(number, byteCount: 10 + number % 20, at: number, into: cache) }
        if isSoft { await letOthersRun() }
        let found = await found(keys, in: cache)
        guard premise(!found.isEmpty || neverCaches, "no key is found after \(keys.count) inserts") else {
            return await close(cache)
        }
        let cost = found.map { 10 + $0 % 20 }.reduce(0, +)
        var known = CacheStatistics()
        await expect(
            soon: isSoft, "its statistics count \(known.entryCount ?? 0) entries, and \(found.count) are found"
        ) {
            known = await statistics(of: cache)
            return (known.entryCount ?? found.count) == found.count
        }
        await expect(
            soon: isSoft,
            "its statistics say a cost of \(known.totalCost ?? 0) bytes, and what is found costs \(bytes(cost))"
        ) {
            known = await statistics(of: cache)
            // A strategy with two tiers may report more than the cost of the entries that are found.
            let total = known.totalCost ?? bytes(cost)
            return total >= bytes(cost) && total <= bytes(max(cost, costLimit))
        }
        if let evictions = known.evictions, !neverCaches {
            expect(
                evictions == UInt64(keys.count - found.count),
                "\(keys.count) keys were inserted and \(found.count) are found, but its statistics count \(evictions) evictions"
            )
        }
        expect(
            (known.loadsInFlight ?? 0) == 0,
            "its statistics say \(known.loadsInFlight ?? 0) loads in flight, but none was made")
        await close(cache)
    }
}
