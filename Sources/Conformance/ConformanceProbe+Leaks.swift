import CacheStrategies
import Foundation

// What has gone must be released: with the cache, and while it lives.

extension ConformanceProbe {
    func checkNothingLeaks() async throws {
        guard let aliveValues = kit.aliveValues else { return }
        let before = aliveValues()
        for isEmptied in [true, false] {
            try await useEverything(removingAll: isEmptied)
            // Background work may still hold values for a moment.
            let isReleased = await holds(soon: true) { aliveValues() <= before }
            let how = isEmptied ? "all were removed and the cache is gone" : "the cache was closed and dropped, full"
            if !isReleased { fail("\(aliveValues() - before) values are alive after \(how)") }
        }
    }

    private func useEverything(removingAll: Bool = true) async throws {
        let cache = try open(entryLimit: max(8, rules.smallest), costLimit: 1000)
        let origin = makeOrigin()
        for number in 0..<30 {
            await insert(number, at: number % 13, into: cache)
            _ = try await load(number % 17, from: origin, in: cache)
            if number.isMultiple(of: 5) { await remove(number % 13, from: cache) }
        }
        origin.script([.refused], forKey: 99)
        _ = try? await load(99, from: origin, in: cache)
        if removingAll { await removeAll(from: cache) }
        await close(cache)
    }

    // MARK: While the cache lives

    /// The keys of what follows; far more than are held.
    private var churned: Range<Int> { 0..<64 }
    private static var batches: Int { 10 }

    /// Evicts, replaces, removes, loads and gives up, again and again: the values that are alive and not found do not grow
    /// in number. A few may wait for a reader or for work in the background, as many in the end as in the beginning.
    func checkGoneIsReleased() async throws {
        guard let aliveValues = kit.aliveValues else { return }
        let before = aliveValues()
        let cache = try open(entryLimit: max(16, rules.smallest), costLimit: 1 << 14, folder: "churn")
        let origin = makeOrigin()
        var unreachable: [Int] = []
        for batch in 0...Self.batches {
            step("batch \(batch) of inserts, loads and removals")
            try await churn(cache, origin)
            if batch.isMultiple(of: 2) { await cache.removeAll() }
            // The first one fills what stays the same size from then on.
            let left = await settled(atMost: unreachable.last ?? 0) {
                aliveValues() - before - (await quietlyFound(churned, in: cache).count)
            }
            if batch > 0 { unreachable.append(left) }
        }
        if Self.grows(unreachable) {
            fail(
                "\(unreachable.last ?? 0) values are alive that no lookup finds, where \(unreachable.first ?? 0) were "
                    + "\(Self.batches - 1) batches of evictions, replacements and removals before")
        }
        await close(cache)
        try await checkCrowdIsReleased(aliveValues)
    }

    /// Callers side by side, who join loads and overtake each other: nothing of them is left when the cache is emptied, but
    /// what a reader may have been about to look at, and nothing at all when it is dropped.
    private func checkCrowdIsReleased(_ aliveValues: @Sendable () -> Int) async throws {
        let before = aliveValues()
        for driver in drivers {
            let left = try await valuesLeft(by: driver, aliveValues, before)
            if left > 64 {
                fail("\(left) values are alive in an empty cache, on which \(driver.rawValue) had called side by side")
            }
            let isReleased = await holds(soon: true) { aliveValues() <= before }
            if !isReleased {
                fail(
                    "\(aliveValues() - before) values are alive after a cache was dropped on which \(driver.rawValue) had called"
                )
            }
            if !failures.isEmpty { return }
        }
    }

    /// A function of its own, so that no variable holds the cache or what its callers saw any longer.
    private func valuesLeft(
        by driver: CrowdDriver, _ aliveValues: @Sendable () -> Int, _ before: Int
    ) async throws -> Int {
        let cache = try open(
            entryLimit: max(16, rules.smallest), costLimit: 1 << 14, folder: "crowd-\(driver.rawValue)")
        var plan = CrowdPlan(keys: 40)
        (plan.reads, plan.gathered, plan.operationsMax) = (25, 3, 1_500)
        _ = await crowd(plan, driver, on: cache)
        await cache.removeAll()
        let left = await settled(atMost: 0) { aliveValues() - before }
        await close(cache)
        return left
    }

    /// The least that a figure comes to within some milliseconds; it may need a while to fall.
    private func settled(atMost goal: Int, _ figure: () async -> Int) async -> Int {
        var least = await figure()
        for _ in 0..<10 where least > goal {
            try? await Task.sleep(for: .milliseconds(1))
            least = min(least, await figure())
        }
        return least
    }

    /// Whether figures go up from one to the next, always or nearly so. What comes and goes falls as often.
    static func grows(_ figures: [Int]) -> Bool {
        guard let first = figures.first, let last = figures.last, figures.count > 2 else { return false }
        let falls = zip(figures, figures.dropFirst()).count { $1 < $0 }
        return falls == 0 && last - first >= 3 || falls == 1 && last - first >= 6
    }

    /// Every way in which an entry comes and goes; some hundred operations, or as many as fit some milliseconds.
    private func churn(_ cache: Strategy, _ origin: ScriptedOrigin) async throws {
        let end = ContinuousClock.now + .milliseconds(35)
        var number = 0
        while number < 256 || (number < 6_000 && ContinuousClock.now < end) {
            let at = number &* 7 % churned.count
            switch number % 8 {
            case 0, 1, 2: await cache.insert(value(number % 997), forKey: key(at), cost: value(0).cost)
            case 3: await cache.insert(value(number % 991), forKey: key((number - 1) &* 7 % churned.count), cost: 1)
            case 4: await cache.removeValue(forKey: key(at))
            case 5: _ = try await cache.load(key(at)) { try await origin.fetch(at) }
            case 6: try loadBlocking(at, from: origin, in: cache)
            default: _ = await cache.value(forKey: key(at))
            }
            number += 1
        }
        let failing = 10_000
        origin.script([.refused], forKey: failing)
        _ = try? await cache.load(key(failing)) { try await origin.fetch(failing) }
        await giveUp(failing + 1, origin, cache)
    }

    /// Not async, so that the synchronous method is the one that is called.
    func loadBlocking(_ number: Int, from origin: ScriptedOrigin, in cache: Strategy) throws {
        guard let cache = cache as? any SynchronousCacheStrategy<Key, Value> else { return }
        _ = try cache.loadBlocking(key(number)) { try origin.fetchBlocking(number) }
    }

    /// A load whose caller gives up while its fetch is held back.
    private func giveUp(_ number: Int, _ origin: ScriptedOrigin, _ cache: Strategy) async {
        origin.hold(number)
        let arrived = origin.arrivals.count
        let caller = Task { [self] in try await cache.load(key(number)) { try await origin.fetch(number) } }
        await origin.arrivals.wait(for: arrived + 1)
        caller.cancel()
        origin.release(number)
        _ = await caller.result
        await cache.removeValue(forKey: key(number))
    }

    // MARK: Memory

    private static var rounds: Int { 7 }
    private static var attempts: Int { 4 }

    /// Opens, fills, uses and drops a cache some times over: what is allocated does not go up with each, beyond what it does
    /// with a dictionary behind a lock.
    func checkMemoryIsGivenBack() async throws {
        guard let allocatedBytes = kit.allocatedBytes, allocatedBytes() != nil else { return }
        // What a connection to a server leaves is its library's, and no entry: 320 bytes each with SwiftNIO.
        guard declaration.reach != .manyMachines else { return }
        var least = 0
        var tolerance = 0
        // What threads of a pool keep for themselves goes up as well, until the pool has all its threads. A leak goes on.
        for _ in 0..<Self.attempts {
            let control = try await growth(allocatedBytes) { UnboundedCache<Key, Value>(configuration: $0) }
            tolerance = (control.dropFirst(2).map { abs($0) }.max() ?? 0) + 256
            least = try await growth(allocatedBytes) { try Strategy(configuration: $0) }.dropFirst(2).min() ?? 0
            if least <= tolerance { return }
        }
        fail(
            "each cache leaves at least \(least) bytes allocated when it is dropped; beside a dictionary behind a lock no "
                + "more than \(tolerance) would be chance")
    }

    /// By how much what is allocated goes up from one round to the next.
    private func growth<Cache: CacheStrategy<Key, Value>>(
        _ allocatedBytes: @Sendable () -> UInt64?, _ open: (StrategyConfiguration) throws -> Cache
    ) async throws -> [Int] {
        var readings: [Int] = []
        for round in 0..<Self.rounds {
            step("round \(round) of opening, using and dropping")
            try await useAndDrop(open)
            var last = Int(clamping: allocatedBytes() ?? 0)
            for _ in 0..<8 {
                try? await Task.sleep(for: .milliseconds(3))
                let now = Int(clamping: allocatedBytes() ?? 0)
                if abs(now - last) < 64 { break }
                last = min(last, now)
            }
            readings.append(last)
        }
        return zip(readings, readings.dropFirst()).map { $1 - $0 }
    }

    /// A function of its own, so that no variable holds the cache or a value any longer.
    private func useAndDrop<Cache: CacheStrategy<Key, Value>>(
        _ open: (StrategyConfiguration) throws -> Cache
    ) async throws {
        let cache = try open(configuration(entryLimit: max(64, rules.smallest), folder: "rounds"))
        let origin = makeOrigin()
        for number in 0..<400 {
            let key = key(number % 150)
            switch number % 5 {
            case 0, 1, 2: await cache.insert(value(number), forKey: key, cost: value(0).cost)
            case 3: _ = try await cache.load(key) { try await origin.fetch(number % 150) }
            default: await cache.removeValue(forKey: key)
            }
        }
        await cache.close()
    }
}
