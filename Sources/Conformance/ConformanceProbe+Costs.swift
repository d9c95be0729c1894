import CacheStrategies
import TrialModel

/// The expected contents of a cache: costs by key, as declared by the inserts.
private struct ExpectedCosts {
    /// The cost that the strategy records for larger ones.
    let most: Int
    /// The costs of the keys that were inserted and not removed since.
    var costs: [Int: Int] = [:]
    /// The numbers of their values.
    var values: [Int: Int] = [:]

    /// The sum of the costs of some keys; `nil` when it overflows.
    func sum(of keys: [Int]) -> Int? {
        var sum = 0
        for key in keys {
            let (next, overflows) = sum.addingReportingOverflow(max(costs[key] ?? 0, 0))
            if overflows { return nil }
            sum = next
        }
        return sum
    }
}

extension ConformanceProbe {
    /// Checks entries at the extremes of cost: nothing, the limit, one above it, and `Int.max`. They replace one
    /// another and are removed. After each operation the limits hold, the statistics agree, and every entry that must
    /// be found is found.
    func checkEdgeCostsAreCounted() async throws {
        guard !neverCaches else { return }
        let usual = bytes(max(100, costLimit(holding: 100)))
        let most = try await largestCost()
        let isLimited = declaration.bounds.contains(.cost) && (promises.limit == .hard || promises.limit == .soft)
        for limit in isLimited ? [usual, .max, nil] : [nil] {
            var random = RandomSource(seed: 29, stream: UInt64(limit ?? 0))
            // Short runs, because a sum that is permanently wrong hides every later fault.
            for round in 0..<(kit.effort == .full ? 12 : 4) {
                let cache = try open(bytesLimit: limit, folder: "edge-\(limit ?? 0)-\(round)")
                await askAboutCosts(cache, limit, most, &random)
                await close(cache)
                if !failures.isEmpty { return }
            }
        }
    }

    /// The highest cost that the strategy records: one that keeps costs in a file may lower those above 1 TiB.
    private func largestCost() async throws -> Int {
        let cache = try open(bytesLimit: nil, folder: "edge-most")
        await insert(1, at: 0, cost: .max, into: cache)
        var most = Int.max
        _ = await holds(soon: isSoft) {
            most = await statistics(of: cache).totalCost ?? .max
            return most >= Self.tebibyte
        }
        await close(cache)
        return most >= Self.tebibyte ? most : .max
    }

    private static var tebibyte: Int { 1 << 40 }

    private func askAboutCosts(_ cache: Strategy, _ limit: Int?, _ most: Int, _ random: inout RandomSource) async {
        var expected = ExpectedCosts(most: most)
        let edges = Self.edges(of: limit)
        // One entry shows whether the strategy counts the cost of the insert, or the size in a form of its own.
        await insert(1, at: 0, cost: 7, into: cache)
        (expected.costs[0], expected.values[0]) = (7, 1)
        let isExact = await statistics(of: cache).totalCost == 7
        for number in 2..<22 {
            let key = Int(random.next(below: 5))
            let dice = random.next(below: 12)
            if dice == 0 {
                await removeAll(from: cache)
                expected = ExpectedCosts(most: most)
            } else if dice < 3 {
                await remove(key, from: cache)
                (expected.costs[key], expected.values[key]) = (nil, nil)
            } else {
                let cost = edges[Int(random.next(below: UInt64(edges.count)))]
                await askToHold(number, at: key, cost, limit, cache, &expected)
            }
            await expectBalance(cache, limit, isExact, expected)
            if !failures.isEmpty { return }
        }
    }

    /// Costs at which sums go wrong.
    private static func edges(of limit: Int?) -> [Int] {
        let common = [0, 0, 1, .max, .max - 1, -1, .min, .max / 2 + 1]
        guard let limit else { return common }
        let above = limit < .max ? [limit + 1] : []
        return common + [limit, limit, limit - 1, limit / 2, limit / 2 + 1, limit / 3] + above
    }

    /// Inserts an entry: it is found right after the insert if it may be held, and not found if it costs too much.
    private func askToHold(
        _ number: Int, at key: Int, _ cost: Int, _ limit: Int?, _ cache: Strategy, _ expected: inout ExpectedCosts
    ) async {
        let counted = min(max(cost, 0), expected.most)
        // The rounding of a share of the limit is unspecified.
        let whole = limit ?? .max
        let most = rules.largestEntry < 1 ? Int(Double(whole) * rules.largestEntry) - 2 : whole
        if counted <= most {
            // It is unspecified whether an entry that makes room for a dearer value of its own key is evicted itself.
            let isNew = await lookUp(key, in: cache) == nil
            await insert(number, at: key, cost: cost, into: cache)
            (expected.costs[key], expected.values[key]) = (counted, number)
            guard promises.admission == .always, isNew else { return }
            await expectFound(
                number, at: key, in: cache, "right after its insert at a cost of \(cost)\(Self.clause(limit))")
        } else if let limit, counted > limit {
            await insert(number, at: key, cost: cost, into: cache)
            if rules.refusedReplacement == .removesOld { (expected.costs[key], expected.values[key]) = (nil, nil) }
            let isWrong = await !holds(soon: isSoft) { !isValue(await lookUp(key, in: cache), number) }
            if isWrong { fail("key \(key) is found with a value of cost \(cost)\(Self.clause(limit))") }
        } else {
            // It is unspecified whether the new value is held, and so is what happens to the old one.
            await insert(number, at: key, cost: cost, into: cache)
            let found = await lookUp(key, in: cache)
            if rules.refusedReplacement == .removesOld || isValue(found, number) {
                (expected.costs[key], expected.values[key]) = (counted, number)
            }
        }
    }

    private static func clause(_ limit: Int?) -> String {
        limit.map { "; the limit is \($0) bytes" } ?? " in a cache without a cost limit"
    }

    /// The entries that are found cost no more than the limit, and the statistics agree.
    private func expectBalance(_ cache: Strategy, _ limit: Int?, _ isExact: Bool, _ expected: ExpectedCosts) async {
        var complaint: String?
        let isRight = await holds(soon: isSoft || declaration.worksInBackground) {
            complaint = await imbalance(in: cache, limit, isExact, expected)
            return complaint == nil
        }
        if !isRight, let complaint { fail(complaint) }
    }

    private func imbalance(in cache: Strategy, _ limit: Int?, _ isExact: Bool, _ expected: ExpectedCosts) async
        -> String?
    {
        var found: [Int] = []
        for key in 0..<5 {
            guard let value = await lookUp(key, in: cache) else { continue }
            guard let number = expected.values[key], isValue(value, number) else {
                return "key \(key) gives a value that was replaced or removed"
            }
            found.append(key)
        }
        let sum = expected.sum(of: found)
        let costs = found.map { String(expected.costs[$0] ?? 0) }.joined(separator: " + ")
        if let limit, sum ?? .max > limit || sum == nil {
            return "\(found.count) entries are found that cost \(costs)\(Self.clause(limit))"
        }
        let known = await statistics(of: cache)
        if let count = known.entryCount, count != found.count {
            return "its statistics count \(count) entries, and \(found.count) are found, which cost \(costs)"
        }
        guard let total = known.totalCost else { return nil }
        if total < 0 { return "its statistics say \(total) bytes for entries that cost \(costs)" }
        if let limit, total > limit { return "its statistics say \(total) bytes\(Self.clause(limit))" }
        // A strategy may clamp costs near the largest number.
        guard isExact, let sum, total != sum, min(total, sum) < .max / 4 else { return nil }
        return "its statistics say \(total) bytes for entries that cost \(costs.isEmpty ? "nothing" : costs)"
    }
}
