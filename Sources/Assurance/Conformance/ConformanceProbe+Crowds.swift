import CacheStrategies
import HistoryChecking
import TrialModel

// What holds for one caller must hold for concurrent callers.

extension ConformanceProbe {
    /// The drivers that can carry callers of the strategy.
    var drivers: [CrowdDriver] {
        Strategy.self is any SynchronousCacheStrategy.Type ? CrowdDriver.allCases : [.tasks]
    }

    /// Those of crowds. A brief check has one crowd, of threads and tasks at once where threads can call.
    var crowdDrivers: [CrowdDriver] { kit.effort == .brief && drivers.contains(.both) ? [.both] : drivers }

    // MARK: Values

    /// Callers change in place what they inserted, found and loaded; later lookups must not see the change.
    func checkValuesAreIsolated() async throws {
        guard let scribble = kit.scribble, !neverCaches else { return }
        let cache = try open()
        var inserted = value(1)
        await insert(inserted, at: 1, into: cache)
        scribble(&inserted)
        await expectFound(1, at: 1, in: cache, "after its caller changed what it had inserted")
        if var found = await lookUp(1, in: cache) { scribble(&found) }
        await expectFound(1, at: 1, in: cache, "after a caller changed what it had found")
        var loaded = try await load(2, from: makeOrigin(), in: cache).value
        scribble(&loaded)
        await expectFound(2, at: 2, in: cache, "after a caller changed what it had loaded")
        await close(cache)
    }

    /// A value of more than 64 KiB is whole, if it is found; a cache may hold none of that size.
    func checkLargeValueIsWhole() async throws {
        let byteCount = (1 << 16) / kit.byteUnit + 100
        let cache = try open(costLimit: max(1 << 20, costLimit(holding: byteCount)), folder: "large")
        await insert(1, byteCount: byteCount, at: 1, into: cache)
        if let found = await lookUp(1, in: cache), !isValue(found, 1, byteCount: byteCount) {
            fail("a value of \(bytes(byteCount)) bytes was inserted, and another one is found")
        }
        await close(cache)
    }

    /// Inserts a value for each of several keys that a careless comparison, hash or file name takes for one.
    func checkSimilarKeysAreTold() async throws {
        let keys = SimilarKeys.keys(Key.self)
        let cache = try open()
        for (number, key) in keys.enumerated() {
            step("insert \(key)")
            let value = value(number)
            if kit.available.contains(.insert) {
                await call("an insert for '\(key)'") { await cache.insert(value, forKey: key, cost: value.cost) }
            } else {
                let bytes = try value.encoded()
                _ = try await call("a load of '\(key)'") { try await cache.load(key) { bytes } }
            }
        }
        for (number, key) in keys.enumerated() {
            var found: Value?
            let isRight = await holds(soon: isEventual) {
                if kit.available.contains(.lookUp) {
                    found = await call("a lookup of '\(key)'") { await cache.value(forKey: key) }
                } else {
                    found = try? await call("a load of '\(key)'") {
                        try await cache.load(key) { throw ScriptedOrigin.Refused() }.value
                    }
                }
                return neverCaches ? found == nil : isValue(found, number)
            }
            let other = keys.indices.first { isValue(found, $0) }
            let seen = found == nil ? "is not found" : "gives the value of \(other.map { "'\(keys[$0])'" } ?? "no key")"
            if !isRight { fail("of \(keys.count) similar keys, '\(key)' \(seen)") }
        }
        await close(cache)
    }

    func checkKeysKeepTheirOwnValues() async throws {
        guard declaration.callers == .many || isGuarded else { return }
        let limit = max(10 * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
        for driver in crowdDrivers {
            let cache = try open(entryLimit: 10, costLimit: limit, folder: "own-values-\(driver.rawValue)")
            var plan = CrowdPlan(keys: 16)
            (plan.reads, plan.loads, plan.writes) = (400, 300, 250)
            if kit.effort == .brief { plan = plan.brief(250) }
            guard let history = await crowd(plan, driver, on: cache) else { return }
            let answers = history.callers.joined().count { $0.version != 0 && $0.kind != .write }
            _ = premise(answers > 0, "no lookup gave a value")
            judge(.ownValues, history, terms(entries: 10, cost: limit), driver)
            await close(cache)
        }
        if promises.durability != .none { try await checkOverwritesBesideReaders() }
    }

    /// Few keys of larger values, which are overwritten beside their readers: a file is never found in parts, nor missing.
    private func checkOverwritesBesideReaders() async throws {
        let byteCount = 1_024
        let limit = max(8 * byteCount, costLimit(holding: byteCount))
        for driver in crowdDrivers {
            let cache = try open(entryLimit: 10, costLimit: limit, folder: "overwrites-\(driver.rawValue)")
            var plan = CrowdPlan(keys: 2)
            (plan.reads, plan.loads, plan.writes, plan.samples) = (700, 0, 300, false)
            if kit.effort == .brief { plan = plan.brief(250) }
            guard let history = await crowd(plan, driver, on: cache, byteCount: byteCount) else { return }
            let terms = HistoryTerms(worksInBackground: declaration.worksInBackground)
            judge(.ownValues, history, terms, driver)
            if promises.isRetentionJudged { judge(.retention, history, terms, driver) }
            await close(cache)
        }
    }

    /// Entries expire beside their replacements: what is inserted after the clock has moved is found until it moves again.
    func checkExpiryBesideInserts() async throws {
        guard promises.isRetentionJudged, declaration.callers == .many || isGuarded else { return }
        for driver in crowdDrivers {
            let cache = try open(timeToLive: lifetime, folder: "expiry-\(driver.rawValue)")
            var plan = CrowdPlan(keys: 3)
            (plan.reads, plan.loads, plan.writes, plan.samples) = (560, 60, 380, false)
            plan.rereads = 50
            if kit.effort == .brief { plan = plan.brief(1_500) }
            let step = lifetime + promises.timeToLive.resolution + .nanoseconds(1)
            let history = await crowd(plan, driver, on: cache) { [clock] in clock.advance(by: step) }
            guard let history else { return }
            judge(.retention, history, HistoryTerms(worksInBackground: declaration.worksInBackground), driver)
            await close(cache)
        }
    }

    // MARK: Limits

    /// Loads that end at the same moment, concurrent lookups that see what is held, and a sampler of the statistics.
    func checkCrowdKeepsLimits() async throws {
        guard promises.limit == .hard || promises.limit == .soft, declaration.callers == .many || isGuarded else {
            return
        }
        var isShown = neverCaches
        for driver in crowdDrivers {
            if declaration.bounds.contains(.entries) {
                for limit in Set([rules.smallest, rules.smallest + 1, max(8, rules.smallest)]).sorted() {
                    if try await checkCrowd(driver, entries: limit, cost: nil) { isShown = true }
                }
            }
            if declaration.bounds.contains(.cost) {
                for entries in [2, 8] {
                    let limit = max(entries * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
                    if try await checkCrowd(driver, entries: nil, cost: limit) { isShown = true }
                }
            }
            if !failures.isEmpty { return }
        }
        _ = premise(isShown, "no entry was seen to be held")
    }

    /// Whether a lock guards a strategy that allows only one caller at a time.
    private var isGuarded: Bool { Strategy.self is any GuardedStrategy.Type }

    /// - Returns: whether what callers saw could have broken the limit.
    private func checkCrowd(_ driver: CrowdDriver, entries: Int?, cost: Int?) async throws -> Bool {
        let name = "crowd-\(driver.rawValue)-\(entries ?? 0)-\(cost ?? 0)"
        let cache = try open(entryLimit: entries, costLimit: cost, folder: name)
        let most = entries ?? (cost ?? 0) / Self.usualByteCount
        var plan = CrowdPlan(keys: 3 * most + 6)
        plan.gathered = 4
        if kit.effort == .brief { plan = plan.brief(120) }
        var history = await crowd(plan, driver, on: cache)
        if isSoft, kit.effort == .full, let seen = history, let last = seen.samples.last, exceeds(last, entries, cost) {
            // A soft limit may be exceeded for a while: run long enough to see whether the cache comes back under it.
            plan.time = Promises.settlingTime + .milliseconds(200)
            plan.timeMax = plan.time
            plan.operationsMax = .max
            history = await crowd(plan, driver, on: cache)
        }
        guard let history else { return false }
        let isShown = judge(.limits, history, terms(entries: entries, cost: cost), driver)
        await checkRest(0..<plan.keys, entries, cost, cache, driver)
        await close(cache)
        return isShown
    }

    private func exceeds(_ sample: StatisticsSample, _ entries: Int?, _ cost: Int?) -> Bool {
        (sample.entryCount ?? 0) > entries ?? .max || (sample.totalCost ?? 0) > cost.map(bytes) ?? .max
    }

    /// Checks what is held once all callers have ended.
    private func checkRest(
        _ keys: Range<Int>, _ entries: Int?, _ cost: Int?, _ cache: Strategy, _ driver: CrowdDriver
    ) async {
        var (found, known) = ([Int](), CacheStatistics())
        let most = entries ?? (cost ?? 0) / Self.usualByteCount
        let isKept = await holds(soon: isSoft || declaration.worksInBackground, atMost: Promises.settlingTime) {
            found = await quietlyFound(keys, in: cache)
            known = await statistics(of: cache)
            return found.count <= most && known.entryCount ?? 0 <= most
        }
        if !isKept {
            fail(
                "\(max(found.count, known.entryCount ?? 0)) entries are held after \(driver.rawValue) loaded "
                    + "concurrently; the limit is "
                    + "\(entries.map(Self.entries) ?? "\(bytes(cost ?? 0)) bytes, which \(most) take")")
        }
        guard promises.consistency == .linearizable, !isSoft else { return }
        await expect(
            soon: true,
            "its statistics count \(known.entryCount ?? 0) entries after \(driver.rawValue) loaded concurrently, and "
                + "\(found.count) are found"
        ) {
            found = await quietlyFound(keys, in: cache)
            known = await statistics(of: cache)
            return (known.entryCount ?? found.count) == found.count
        }
    }

    // MARK: What fits stays

    /// Uses as many keys as fit, or far fewer where a cache may evict before it is full: every inserted entry is found by
    /// all later lookups.
    func checkFittingEntriesStay() async throws {
        guard promises.isRetentionJudged || promises.admission == .always, !neverCaches else { return }
        try await checkByModel()
        guard declaration.callers == .many || isGuarded else { return }
        var isShown = isEventual
        for driver in crowdDrivers {
            var plan = CrowdPlan(keys: 2_000)
            let limit = promises.evictsOnlyWhenFull ? plan.keys : 1 << 14
            let costLimit = max(limit * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
            let cache = try open(entryLimit: limit, costLimit: costLimit, folder: "fitting-\(driver.rawValue)")
            plan.callers = 4
            (plan.reads, plan.loads, plan.writes) = (340, 260, 320)
            plan.ownsKeys = true
            plan.rereads = 60
            (plan.time, plan.timeMax, plan.operationsMin) = (.milliseconds(120), .milliseconds(700), 6_000)
            if kit.effort == .brief { plan = plan.brief(1_000) }
            guard let history = await crowd(plan, driver, on: cache) else { return }
            if judge(.retention, history, terms(entries: limit, cost: costLimit), driver) { isShown = true }
            if isEventual { await checkWrittenIsFound(history, in: cache, driver) }
            await close(cache)
        }
        _ = premise(isShown, "no lookup came when its entry had to be found")
    }

    /// Where writes become visible later, every key that was written and never removed is found in the end.
    private func checkWrittenIsFound(_ history: History, in cache: Strategy, _ driver: CrowdDriver) async {
        let operations = history.callers.joined()
        let removed = Set(operations.filter { $0.kind == .remove }.map(\.key))
        let written = Set(operations.filter { $0.kind == .write }.map(\.key)).subtracting(removed)
        var missing: [Int] = []
        let isFound = await holds(soon: true) {
            let found = Set(await quietlyFound(written.map { Int($0) }, in: cache))
            missing = written.map { Int($0) }.filter { !found.contains($0) }
            return missing.isEmpty
        }
        if !isFound {
            fail(
                "\(missing.count) of \(written.count) keys that \(driver.rawValue) wrote are not found, though all fit")
        }
    }

    // MARK: Common steps

    /// Runs a crowd; records a failure and returns `nil` when it does not finish.
    func crowd(
        _ plan: CrowdPlan, _ driver: CrowdDriver, on cache: Strategy, byteCount: Int = usualByteCount,
        moving: (@Sendable () -> Void)? = nil
    ) async -> History? {
        let plan = plan.limited(to: kit.available)
        step("\(plan.callers) callers as \(driver.rawValue), \(plan.keys) keys")
        let crowd = Crowd<Strategy>(
            plan: plan, makeKey: { [self] in key($0) },
            makeValue: { [self] in value($0 << 32 | Int(truncatingIfNeeded: $1), byteCount: byteCount) })
        let start = ContinuousClock.now
        let history = await crowd.run(
            on: cache, driver, patience: max(kit.patience.next, .seconds(1)), kit.calls, moving: moving)
        let lost = history.callers.count { $0.last?.isAnswered == false }
        guard lost > 0 else { return history }
        kit.patience.spend(since: start)
        kit.calls.noteHang()
        fail(
            "\(lost) \(driver.rawValue) that called concurrently were still waiting after \(ContinuousClock.now - start)"
        )
        return nil
    }

    private func terms(entries: Int?, cost: Int?) -> HistoryTerms {
        let valueCost = value(0).cost
        return HistoryTerms(
            entryLimit: declaration.bounds.contains(.entries) ? entries : nil,
            costLimit: declaration.bounds.contains(.cost) ? cost.map(bytes) : nil,
            worksInBackground: declaration.worksInBackground, cost: { _, _ in valueCost })
    }

    /// Records what breaks a promise.
    ///
    /// - Returns: whether an operation could have broken it.
    @discardableResult
    func judge(_ promise: Promise, _ history: History, _ terms: HistoryTerms, _ driver: CrowdDriver) -> Bool {
        let findings = HistoryCheck(promises: promises, terms: terms).findings(history)
        guard let finding = findings.first(where: { $0.promise == promise }) else { return false }
        _ = premise(finding.flaw == nil, "the log of \(driver.rawValue) is invalid: \(finding.flaw ?? "")")
        if finding.verdict == .inconsistent, let example = finding.example {
            fail("with \(driver.rawValue), \(finding.violations) times: \(example.summary)", events: example.events)
        }
        return finding.operationsChecked > 0 || finding.flaw != nil
    }

    /// The numbers of the keys that are found; reports no steps.
    func quietlyFound(_ keyNumbers: some Sequence<Int>, in cache: Strategy) async -> [Int] {
        var found: [Int] = []
        for number in keyNumbers {
            let value = await call("a lookup") { await cache.value(forKey: key(number)) }
            if value != nil { found.append(number) }
        }
        return found
    }

    /// Inserts a value at the cost of all, or at another one; reports no step.
    func quietlyInsert(_ value: Value, at keyNumber: Int, cost: Int? = nil, into cache: Strategy) async {
        let cost = cost ?? self.value(0).cost
        await call("an insert") { await cache.insert(value, forKey: key(keyNumber), cost: cost) }
    }
}
