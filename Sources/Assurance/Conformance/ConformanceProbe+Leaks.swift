import CacheStrategies
import Foundation

// Memory that is no longer in use must be released: while the cache lives, and with the cache.

extension ConformanceProbe {
    func checkNothingLeaks() async throws {
        guard let aliveValues = kit.aliveValues else { return }
        let before = aliveValues()
        for isEmptied in [true, false] {
            try await useEverything(removingAll: isEmptied)
            // Background work may still hold values for a moment.
            let isReleased = await areReleased(aliveValues, downTo: before)
            let how = isEmptied ? "all were removed and the cache is gone" : "the full cache was closed and dropped"
            let note = isReleased || isEmptied ? "" : NSCacheControl.note
            if !isReleased { return fail("\(aliveValues() - before) values are alive after \(how)\(note)") }
        }
    }

    /// Whether no more values than some are alive soon. It waits while values are released, and then for two seconds in
    /// which none is, with turns for work of low priority: what stays then is a proof.
    private func areReleased(_ aliveValues: () -> Int, downTo most: Int) async -> Bool {
        var (least, end) = (Int.max, ContinuousClock.now)
        _ = await holds(soon: true) {
            let alive = aliveValues()
            if alive < least { (least, end) = (alive, .now + .seconds(2)) }
            return alive <= most || ContinuousClock.now > end
        }
        if aliveValues() > most { await letUnhurriedRun() }
        return aliveValues() <= most
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

    /// The keys of the checks below; far more than the cache holds.
    private var churned: Range<Int> { 0..<64 }
    private static var batches: Int { 10 }
    /// Values that readers of an empty cache may be about to look at.
    private static var unreleasedMax: Int { 64 }

    /// Evicts, replaces, removes, loads and cancels again and again: the number of values that are alive and not
    /// found must not grow. A few values may wait for a reader or for background work, as many at the end as at the
    /// beginning.
    func checkGoneIsReleased() async throws {
        guard let aliveValues = kit.aliveValues else { return }
        let before = aliveValues()
        let cache = try open(entryLimit: max(16, rules.smallest), costLimit: 1 << 14, folder: "churn")
        let origin = makeOrigin()
        var unreachable: [Int] = []
        for batch in 0...Self.batches {
            step("batch \(batch) of inserts, loads and removals")
            try await churn(cache, origin)
            if batch.isMultiple(of: 2) { await removeAll(from: cache) }
            // The first batch fills structures that keep their size from then on.
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
        if failures.isEmpty { try await checkClearedIsReleased(aliveValues) }
        if failures.isEmpty { try await checkExpiredIsReleased(aliveValues) }
        guard failures.isEmpty else { return }
        try await checkCrowdIsReleased(aliveValues)
    }

    /// A cache that was emptied holds at most an eighth of its values: those that a reader may be about to look at.
    private func checkClearedIsReleased(_ aliveValues: @Sendable () -> Int) async throws {
        guard !neverCaches, kit.available.isSuperset(of: [.insert, .removeAll]) else { return }
        let before = aliveValues()
        let count = max(64, rules.smallest)
        let cache = try open(entryLimit: count, costLimit: 1 << 20, folder: "emptied")
        for number in 0..<2 * count { await insert(number, at: number, cost: value(0).cost, into: cache) }
        let held = aliveValues() - before
        await removeAll(from: cache)
        let isReleased = await holds(soon: true) { (aliveValues() - before) * 8 <= held }
        if !isReleased { fail("\(aliveValues() - before) of \(held) values are alive after all keys were removed") }
        await close(cache)
    }

    /// Entries whose lifetime is over are released once lookups have found nothing.
    private func checkExpiredIsReleased(_ aliveValues: @Sendable () -> Int) async throws {
        guard promises.timeToLive.kind != .none, promises.timeToLive.clock == .configured, !neverCaches else { return }
        let before = aliveValues()
        let cache = try open(entryLimit: 1 << 14, costLimit: 1 << 20, timeToLive: lifetime, folder: "expired")
        let keys = 0..<(3 * Self.unreleasedMax)
        for number in keys { await quietlyInsert(value(number), at: number, into: cache) }
        advance(by: lifetime * 2 + promises.timeToLive.resolution)
        let found = await quietlyFound(keys, in: cache)
        let isReleased = await areReleased(aliveValues, downTo: before + Self.unreleasedMax)
        if !isReleased {
            fail(
                "\(aliveValues() - before) values of \(keys.count) are alive after their lifetime, and lookups found "
                    + "\(found.count)")
        }
        await close(cache)
    }

    /// Concurrent callers join loads and overtake each other. After the cache is emptied, no value is alive but those
    /// that a reader may be about to look at; after it is dropped, none is.
    private func checkCrowdIsReleased(_ aliveValues: @Sendable () -> Int) async throws {
        let before = aliveValues()
        for driver in crowdDrivers {
            let left = try await valuesLeft(by: driver, aliveValues, before)
            if left > Self.unreleasedMax {
                return fail(
                    "\(left) values are alive in an empty cache, on which \(driver.rawValue) had called concurrently")
            }
            let isReleased = await areReleased(aliveValues, downTo: before)
            if !isReleased {
                fail(
                    "\(aliveValues() - before) values are alive after a cache was dropped on which "
                        + "\(driver.rawValue) had called"
                )
            }
            if !failures.isEmpty { return }
        }
    }

    /// A separate function, so that no variable keeps the cache or the values of its callers alive.
    private func valuesLeft(
        by driver: CrowdDriver, _ aliveValues: @Sendable () -> Int, _ before: Int
    ) async throws -> Int {
        let cache = try open(
            entryLimit: max(16, rules.smallest), costLimit: 1 << 14, folder: "crowd-\(driver.rawValue)")
        var plan = CrowdPlan(keys: 40)
        (plan.reads, plan.gathered, plan.operationsMax) = (250, 3, 1_500)
        if kit.effort == .brief { plan = plan.brief(150) }
        _ = await crowd(plan, driver, on: cache)
        await removeAll(from: cache)
        _ = await areReleased(aliveValues, downTo: before + Self.unreleasedMax)
        let left = aliveValues() - before
        await close(cache)
        return left
    }

    /// The lowest value of a figure, once it has not fallen for some milliseconds: on a busy machine, work in the
    /// background takes a while.
    private func settled(atMost goal: Int, patience: Int = 10, _ figure: () async -> Int) async -> Int {
        var least = await figure()
        var unchanged = 0
        for _ in 0..<300 where least > goal && unchanged < patience {
            try? await Task.sleep(for: .milliseconds(1))
            let now = await figure()
            unchanged = now < least ? 0 : unchanged + 1
            least = min(least, now)
        }
        return least
    }

    /// Whether figures rise at three steps or more and fall at one at most. A figure that fluctuates falls as often as
    /// it rises, and one that is late once rises once.
    static func grows(_ figures: [Int]) -> Bool {
        guard let first = figures.first, let last = figures.last, figures.count > 2 else { return false }
        let steps = zip(figures, figures.dropFirst())
        guard steps.count(where: { $1 > $0 }) >= 3 else { return false }
        let falls = steps.count { $1 < $0 }
        return falls == 0 && last - first >= 3 || falls == 1 && last - first >= 6
    }

    /// Every way in which an entry is added or goes away: some hundred operations, or as many as fit into 35 ms.
    private func churn(_ cache: Strategy, _ origin: ScriptedOrigin) async throws {
        let end = ContinuousClock.now + (kit.effort == .full ? .milliseconds(35) : .zero)
        let synchronous = cache as? any SynchronousCacheStrategy<Key, Value>
        var number = 0
        while number < 256 || (number < 6_000 && ContinuousClock.now < end) {
            let at = number &* 7 % churned.count
            switch number % 8 {
            case 0, 1, 2: await quietlyInsert(value(number % 997), at: at, into: cache)
            case 3:
                let other = (number - 1) &* 7 % churned.count
                await quietlyInsert(value(number % 991), at: other, cost: 1, into: cache)
            case 4: await call("a removal") { await cache.removeValue(forKey: key(at)) }
            case 5: _ = try await call("a load") { try await cache.load(key(at)) { try await origin.fetch(at) } }
            case 6: if let synchronous { _ = try loadBlocking(at, from: origin, in: synchronous) }
            default: _ = await call("a lookup") { await cache.value(forKey: key(at)) }
            }
            number += 1
        }
        let failing = 10_000
        origin.script([.refused], forKey: failing)
        _ = try? await call("a load whose fetch fails") {
            try await cache.load(key(failing)) { try await origin.fetch(failing) }
        }
        // Without removals its value would stay.
        guard kit.available.contains(.remove) else { return }
        await withPatience(origin) { await giveUp(failing + 1, origin, cache) }
    }

    /// A load that is cancelled while its fetch is held back.
    private func giveUp(_ number: Int, _ origin: ScriptedOrigin, _ cache: Strategy) async {
        origin.hold(number)
        let arrived = origin.arrivals.count
        let caller = Task { [self] in
            try await call("a load that is cancelled") {
                try await cache.load(key(number)) { try await origin.fetch(number) }
            }
        }
        await origin.arrivals.wait(for: arrived + 1)
        caller.cancel()
        origin.release(number)
        _ = await caller.result
        await call("a removal") { await cache.removeValue(forKey: key(number)) }
    }

    // MARK: Memory

    /// The rounds of each attempt. Only a suspicion is looked into again, for longer.
    private static var roundsOfAttempts: [Int] { [7, 14, 42] }

    /// Opens, fills, uses and drops a cache several times: allocated memory must not grow with each round by more
    /// than it does for a dictionary behind a lock.
    func checkMemoryIsGivenBack() async throws {
        guard let allocatedBytes = kit.allocatedBytes, allocatedBytes() != nil else { return }
        // A connection to a server leaves memory of its client library behind, not entries: 320 bytes each with
        // SwiftNIO.
        guard declaration.reach != .manyMachines else { return }
        var least = 0
        var tolerance = 0
        // Threads that a pool starts later keep memory of their own. A leak continues to grow.
        for rounds in Self.roundsOfAttempts {
            if rounds > Self.roundsOfAttempts[0] { await PoolMemory.fill(allocatedBytes) }
            let control = try await growth(allocatedBytes, rounds) { UnboundedCache<Key, Value>(configuration: $0) }
            // The median: other work of the process, once in a while, must not hide a leak in every round.
            let noise = control.dropFirst(2).map { abs($0) }.sorted()
            tolerance = noise[noise.count / 2] + 256
            // Not the lowest: memory that other work gives back in a round must not hide a leak either.
            let grown = try await growth(allocatedBytes, rounds) { [kit] in try kit.open($0) }.dropFirst(2).sorted()
            least = grown[max(1, grown.count / 5)]
            if least <= tolerance { return }
        }
        fail(
            "most caches leave at least \(least) bytes allocated when they are dropped; for a dictionary behind a lock, "
                + "growth of up to \(tolerance) bytes is noise\(NSCacheControl.note)")
    }

    /// Inserts and looks up far more keys than fit, all of them new: allocated memory must not grow with the keys that the
    /// cache has forgotten.
    ///
    /// What a cache keeps for every key grows in each doubling of the keys, and most in the last ones. In the first ones, the
    /// threads of a pool take memory for themselves, or what ran before gives some back. What else the process allocates
    /// also grows beside a cache that forgets.
    func checkForgottenKeysAreFree() async throws {
        guard let allocatedBytes = kit.allocatedBytes, allocatedBytes() != nil, !declaration.bounds.isEmpty,
            promises.limit != .none, declaration.reach != .manyMachines
        else { return }
        func control() async throws -> [Int] {
            try await growthsForNewKeys(allocatedBytes, folder: "control", goesOn: true) {
                try SharingLoads<LRUCache<Key, Value>>(configuration: $0)
            }
        }
        // Meanwhile, what ran before gives its memory back.
        _ = try await control()
        let growths = try await growthsForNewKeys(allocatedBytes, folder: "forgotten") { [kit] in try kit.open($0) }
        guard let least = growths.min(), least > Self.forgottenBytesMax else { return }
        let growthsOfControl = try await control()
        let noise = max(growthsOfControl.max() ?? 0, 0)
        guard least > Self.forgottenBytesMax + noise else { return }
        fail(
            "a cache that is full keeps at least \(least) bytes for each new key in \(growths.count) doublings of the keys, "
                + "though it holds no more entries; a correct cache keeps \(noise) bytes in the same process")
    }

    /// The bytes for each key that may be noise.
    private static var forgottenBytesMax: Int { 8 }
    /// How often the keys double, and how many of the last doublings count.
    private static var doublings: (all: Int, counted: Int) { (4, 3) }

    /// The growth of allocated memory for each of many pairs of new keys, once the cache is full, in the last doublings of
    /// the keys; ends with the first of them without growth.
    ///
    /// - Parameter goesOn: whether all of them are wanted.
    private func growthsForNewKeys<Cache: CacheStrategy<Key, Value>>(
        _ allocatedBytes: @Sendable () -> UInt64?, folder: String, goesOn: Bool = false,
        _ open: (StrategyConfiguration) throws -> Cache
    ) async throws -> [Int] {
        let limit = max(64, rules.smallest)
        let costLimit = max(limit * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
        let cache = try open(configuration(entryLimit: limit, bytesLimit: bytes(costLimit), folder: folder))
        let batch = 5 * limit
        var growths: [Int] = []
        // The first rounds fill structures that keep their size from then on.
        var (rounds, before) = (0, 0)
        for doubling in 0...Self.doublings.all {
            while rounds < 2 << doubling {
                step("round \(rounds) of \(batch) new keys that are evicted, and \(batch) that are removed")
                try await addNewKeys(2 * rounds * batch..<2 * (rounds + 1) * batch, to: cache)
                rounds += 1
            }
            let now = await settled(atMost: .min, patience: 20) { Int(clamping: allocatedBytes() ?? 0) }
            if doubling > Self.doublings.all - Self.doublings.counted {
                growths.append((now - before) / (rounds / 2 * batch))
            }
            before = now
            if !goesOn, let last = growths.last, last <= Self.forgottenBytesMax { break }
        }
        await call("a call of close") { await cache.close() }
        return growths
    }

    /// Adds keys, and removes every other one.
    private func addNewKeys<Cache: CacheStrategy<Key, Value>>(_ numbers: Range<Int>, to cache: Cache) async throws {
        for number in numbers {
            let (key, value) = (key(number), value(number))
            _ = await call("a lookup") { await cache.value(forKey: key) }
            if number.isMultiple(of: 5) {
                let bytes = try value.encoded()
                _ = try await call("a load") { try await cache.load(key) { bytes } }
            } else {
                await call("an insert") { await cache.insert(value, forKey: key, cost: value.cost) }
            }
            if !number.isMultiple(of: 2) { await call("a removal") { await cache.removeValue(forKey: key) } }
        }
    }

    /// The growth of allocated memory from each round to the next.
    private func growth<Cache: CacheStrategy<Key, Value>>(
        _ allocatedBytes: @Sendable () -> UInt64?, _ rounds: Int,
        _ open: (StrategyConfiguration) throws -> Cache
    ) async throws -> [Int] {
        var readings: [Int] = []
        for round in 0..<rounds {
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

    /// A separate function, so that no variable keeps the cache or a value alive.
    private func useAndDrop<Cache: CacheStrategy<Key, Value>>(
        _ open: (StrategyConfiguration) throws -> Cache
    ) async throws {
        let cache = try open(configuration(entryLimit: max(64, rules.smallest), folder: "rounds"))
        let origin = makeOrigin()
        for number in 0..<400 {
            let key = key(number % 150)
            switch number % 5 {
            case 0, 1, 2:
                let value = value(number)
                await call("an insert") { await cache.insert(value, forKey: key, cost: value.cost) }
            case 3: _ = try await call("a load") { try await cache.load(key) { try await origin.fetch(number % 150) } }
            default: await call("a removal") { await cache.removeValue(forKey: key) }
            }
        }
        await call("a call of close") { await cache.close() }
    }
}
