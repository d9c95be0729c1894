package import CacheStrategies
package import Foundation

/// How many new entries a full cache admitted.
package struct AdmissionFinding: Codable, Hashable, Sendable {
    /// New entries that were inserted one after the other, after the cache had been filled to twice its limit.
    package var offered: Int
    /// The new entries that were found right after their insert.
    package var admitted: Int
    /// The cache's limit, in words.
    package var limit: String
}

/// What a full cache does with new entries.
///
/// A cache that admits no new entry keeps every other promise and is useless: on Linux, a full `NSCache` evicts the
/// very entry that is inserted. So this is measured even when the strategy does not promise admission.
package struct AdmissionProbe<Strategy: CacheStrategy>: Sendable {
    private let makeKey: @Sendable (Int) -> Strategy.Key
    private let makeValue: @Sendable (_ number: Int) -> Strategy.Value
    private let calls: CallsInFlight
    /// The limits that the strategy keeps, and its promises.
    package var declaration = Strategy.declaration

    /// - Parameters:
    ///   - makeKey: returns the key with a number; different numbers give different keys.
    ///   - makeValue: returns a value with a number; all values cost about the same.
    ///   - calls: where the calls in flight are recorded.
    package init(
        _ type: Strategy.Type, makeKey: @escaping @Sendable (Int) -> Strategy.Key,
        makeValue: @escaping @Sendable (Int) -> Strategy.Value, calls: CallsInFlight = CallsInFlight()
    ) {
        self.makeKey = makeKey
        self.makeValue = makeValue
        self.calls = calls
    }

    /// The number of new entries that are offered.
    private static var offered: Int { 40 }
    /// The largest cache that is filled, unless the strategy accepts no such limit; a larger limit is lowered to it,
    /// because an insert is linear in the entries in some strategies.
    private static var entryCountMax: Int { 250 }

    /// Fills a cache and offers it new entries. O(entries of the limit), at most 540 inserts, or some more than twice the
    /// smallest limit.
    ///
    /// - Parameters:
    ///   - entryLimit: the most entries; `nil` for no limit.
    ///   - costLimit: the most bytes; `nil` for no limit.
    ///   - folder: for strategies that keep files.
    ///   - open: opens a cache; by default with the initializer of its type.
    /// - Returns: `nil` where the cache keeps none of the limits.
    /// - Throws: the error with which the cache fails to open.
    package func finding(
        entryLimit: Int?, costLimit: Int?, folder: URL,
        open: (StrategyConfiguration) throws -> Strategy = { try Strategy(configuration: $0) }
    ) async throws -> AdmissionFinding? {
        let kept = declaration.promises.limit == .none ? [] : declaration.bounds
        let rules = declaration.promises.limitRules
        let entryLimit = kept.contains(.entries) ? entryLimit : nil
        let costLimit = kept.contains(.cost) ? costLimit : nil
        let cost = max(makeValue(0).cost, 1)
        let most = min(entryLimit ?? .max, costLimit.map { max($0 / cost, 1) } ?? .max)
        guard most < .max else { return nil }
        let isByEntries = (entryLimit ?? .max) <= (costLimit.map { $0 / cost } ?? .max)
        // An entry must be below its share of the bytes, however that is rounded.
        let shares = rules.largestEntry < 1 ? Int((1 + 1 / Double(cost)) / rules.largestEntry) + 1 : 1
        let entries = max(min(most, Self.entryCountMax), isByEntries ? rules.smallest : shares)
        let (bytes, overflows) = entries.multipliedReportingOverflow(by: cost)
        guard !overflows else { return nil }
        let cache = try open(
            StrategyConfiguration(
                entryLimit: isByEntries ? entries : nil, costLimit: isByEntries ? nil : bytes, directory: folder))
        for number in 0..<2 * entries { await insert(number, into: cache) }
        var admitted = 0
        for number in 2 * entries..<2 * entries + Self.offered {
            await insert(number, into: cache)
            if await isFound(number, in: cache) { admitted += 1 }
        }
        await cache.close()
        return AdmissionFinding(
            offered: Self.offered, admitted: admitted, limit: isByEntries ? "\(entries) entries" : "\(bytes) bytes")
    }

    private func insert(_ number: Int, into cache: Strategy) async {
        let value = makeValue(number)
        let call = calls.begin("an insert for key \(number) into a full cache")
        await cache.insert(value, forKey: makeKey(number), cost: value.cost)
        calls.end(call)
    }

    private func isFound(_ number: Int, in cache: Strategy) async -> Bool {
        let call = calls.begin("a lookup of key \(number)")
        defer { calls.end(call) }
        if await cache.value(forKey: makeKey(number)) != nil { return true }
        guard declaration.promises.consistency == .eventual else { return false }
        let deadline = ContinuousClock.now + Promises.settlingTime
        while ContinuousClock.now < deadline {
            await Task.yield()
            if await cache.value(forKey: makeKey(number)) != nil { return true }
        }
        return false
    }
}
