import CacheStrategies
import Foundation
import HistoryChecking
import TrialModel

// What one caller may see: scripts of a check are run against the model.

extension ConformanceProbe {
    /// The least number of answers that must put each rule of a check to the test.
    private static var leastEvidence: Int { 5 }
    /// The longest time that a search for a smaller script takes.
    private static var shrinkingTime: Duration { .seconds(2) }

    /// The configured lifetime in scripts, by the manual clock.
    var lifetime: Duration { max(.seconds(60), promises.timeToLive.resolution * 8) }

    /// A value of the usual size with a lifetime of its own, where the kit can make one.
    func mortal(_ number: Int, of lifetime: Duration) -> Value {
        kit.makeMortal?(number, bytes(Self.usualByteCount), lifetime) ?? value(number)
    }

    /// The longest lifetime of errors for whose end a check waits in real time.
    static var errorPatience: Duration { .milliseconds(100) }

    /// Whether a check can see errors forgotten.
    var canOutliveErrors: Bool {
        guard promises.cachesErrors, let lifetime = promises.errorLifetime else { return false }
        return promises.timeToLive.clock == .configured || lifetime <= Self.errorPatience
    }

    /// The time by which the cache remembers errors.
    var errorTime: Duration {
        promises.timeToLive.clock == .configured ? clock.now : CacheClock.system.now()
    }

    /// Lets the lifetime of errors pass, or half of it.
    func outliveErrors(_ isOver: Bool) async {
        let lifetime = (promises.errorLifetime ?? .zero) * (isOver ? 1 : 0.5) + (isOver ? .nanoseconds(1) : .zero)
        if promises.timeToLive.clock == .configured { return advance(by: lifetime) }
        step("\(lifetime) pass")
        try? await Task.sleep(for: lifetime)
    }

    func advance(by step: Duration) {
        self.step("the clock moves on by \(step)")
        clock.advance(by: step)
    }

    /// Runs the scripts of a check. The first answer that breaks a rule ends its script and is a finding, with the
    /// smallest script that shows it; other scripts go on, and show what else is broken.
    func checkByModel() async throws {
        guard let profile = profile(of: check) else { return }
        var evidence: [ContractRule: Int] = [:]
        var broken: Set<ContractRule> = []
        let rounds: UInt64 = kit.effort == .full ? 12 : 4
        for (place, setup) in profile.setups.enumerated() {
            let terms = try await terms(setup, profile)
            for seed in 1...rounds {
                let script = profile.script(setup, seed: seed)
                var run = ContractRun(self, script, terms, folder: "\(place)-\(seed)")
                if let violation = try await run.run(), broken.insert(violation.rule).inserted {
                    let smallest = try await smallest(script, violation, terms, folder: "\(place)-\(seed)")
                    // A cache in which nothing was found breaks no limit.
                    let isPremise = violation.rule == .held && run.evidence[.held] == nil && check.isAboutLimits
                    if profile.rules.contains(violation.rule), !isPremise {
                        fail(smallest.text)
                    } else {
                        _ = premise(false, smallest.text)
                    }
                }
                evidence.merge(run.evidence) { $0 + $1 }
            }
        }
        guard !profile.setups.isEmpty, broken.isEmpty else { return }
        // A cache that holds nothing has no entry to be found.
        var rules = neverCaches ? profile.rules.subtracting([.held, .newest, .limits]) : profile.rules
        // Statistics are optional, except where the check is about nothing else.
        if rules.count > 1 { rules.remove(.counts) }
        for rule in rules.sorted(by: { $0.rawValue < $1.rawValue }) {
            let count = evidence[rule, default: 0]
            _ = premise(
                count >= Self.leastEvidence, "only \(count) of its answers show whether \(rule.rawValue)")
        }
    }

    /// Not async, so that the synchronous overload is called.
    func loadOnThread<Cache: SynchronousCacheStrategy<Key, Value>>(
        _ cache: Cache, _ number: Int, _ fetch: () throws -> Data
    ) -> Result<Loaded<Value>, any Error> {
        let call = kit.calls.begin("a load of key \(number) on a thread")
        defer { kit.calls.end(call) }
        return Result { try cache.loadBlocking(key(number), fetch: fetch) }
    }

    func loadInTask(
        _ cache: Strategy, _ number: Int, _ fetch: @escaping @Sendable () throws -> Data
    ) async -> Result<Loaded<Value>, any Error> {
        do {
            return .success(
                try await call("a load of key \(number)") { try await cache.load(key(number)) { try fetch() } })
        } catch {
            return .failure(error)
        }
    }

    /// The smallest script that breaks the same rule.
    private func smallest(
        _ script: ContractScript, _ violation: ContractViolation, _ terms: ContractTerms, folder: String
    ) async throws -> ContractViolation {
        var script = script
        // The first step is the opening of the cache.
        script.steps = Array(script.steps.prefix(violation.steps.count - 1))
        var smallest = violation
        var search = ShrinkSearch(script, smaller: \.shorter)
        let end = ContinuousClock.now + Self.shrinkingTime
        var number = 0
        while ContinuousClock.now < end, let candidate = search.next() {
            number += 1
            var run = ContractRun(self, candidate, terms, folder: "\(folder)-\(number)")
            if let found = try await run.run(), found.rule == violation.rule {
                smallest = found
                search.accept(candidate)
            }
        }
        return smallest
    }

    private func terms(_ setup: ContractSetup, _ profile: ContractProfile) async throws -> ContractTerms {
        let isEnforced = promises.limit == .hard || promises.limit == .soft
        var terms = ContractTerms(
            entryLimit: declaration.bounds.contains(.entries) ? setup.entryLimit : nil,
            costLimit: declaration.bounds.contains(.cost) ? setup.costLimit : nil, enforcesLimits: isEnforced,
            rules: rules, admitsAlways: promises.admission == .always && promises.limit != .approximate,
            mayRefuse: promises.admission != .always, neverCaches: neverCaches,
            lifetime: setup.hasLifetime && promises.timeToLive.kind != .none ? lifetime : nil,
            isSliding: promises.timeToLive.kind == .sliding, resolution: promises.timeToLive.resolution,
            cachesErrors: promises.cachesErrors, errorLifetime: promises.errorLifetime)
        terms.evictsOnlyWhenFull = promises.evictsOnlyWhenFull && isEnforced
        if check == .edgeCostsAreCounted || check == .hostileCostsAreHarmless {
            terms.costMax = try await largestCost()
        }
        return terms
    }

    /// The highest cost that the strategy records: one that keeps costs in a file may lower those above 1 TiB.
    private func largestCost() async throws -> Int {
        let tebibyte = 1 << 40
        let cache = try open(bytesLimit: nil, folder: "edge-most")
        await insert(1, at: 0, cost: .max, into: cache)
        var most = Int.max
        _ = await holds(soon: isSoft) {
            most = await statistics(of: cache).totalCost ?? .max
            return most >= tebibyte
        }
        await close(cache)
        return most >= tebibyte ? most : .max
    }

    /// The lowest cost limit, in the checks' unit, under which an entry of a cost always fits.
    func costLimit(holding cost: Int) -> Int {
        // Plus 1, because the cache may round its share down.
        rules.largestEntry < 1 ? Int(Double(cost + 1) / rules.largestEntry) + 1 : cost
    }

    /// Fills an eighth of a cache and removes it all, or lets it expire, until what is gone would fill the cache
    /// several times over. What fits must still be found then.
    func checkClearedCountsNoMore() async throws {
        guard !declaration.bounds.isEmpty, !neverCaches else { return }
        let (keys, size) = (0..<3, 512)
        let isTimed = promises.timeToLive.kind != .none && promises.timeToLive.clock == .configured
        for expires in isTimed ? [false, true] : [false] {
            let cache = try open(
                entryLimit: max(24, rules.smallest + 8), costLimit: max(1 << 14, costLimit(holding: size)),
                timeToLive: expires ? lifetime : nil, folder: "cleared-\(expires)")
            for round in 1...64 {
                for key in keys { await insert(round, byteCount: size, at: key, into: cache) }
                if round == 1 {
                    let isHeld = await holds(soon: isEventual) { await found(keys, in: cache).count == keys.count }
                    guard premise(isHeld, "what was inserted into an empty cache is not found") else {
                        return await close(cache)
                    }
                }
                if expires {
                    advance(by: lifetime + promises.timeToLive.resolution + .nanoseconds(1))
                    for key in keys { _ = await lookUp(key, in: cache) }
                } else {
                    await removeAll(from: cache)
                }
            }
            for key in keys { await insert(0, byteCount: size, at: key, into: cache) }
            for key in keys {
                await expect(
                    soon: isEventual,
                    "key \(key) is not found after entries \(expires ? "expired" : "were removed all at once") 64 times"
                ) { isValue(await lookUp(key, in: cache), 0, byteCount: size) }
            }
            await close(cache)
        }
    }

    /// A limit of 0 that does not mean "hold nothing".
    func checkZero(_ bound: Bounds) async throws {
        guard declaration.bounds.contains(bound), promises.limit == .hard || promises.limit == .soft else { return }
        let (entries, cost) = bound == .entries ? (0, nil) : (nil, 0) as (Int?, Int?)
        switch rules.zero {
        case .undeclared, .holdsNothing: return
        case .unlimited:
            let cache = try open(entryLimit: entries, costLimit: cost, folder: "zero")
            for number in 0..<50 { await insert(number, at: number, into: cache) }
            for number in 0..<50 {
                await expectFound(number, at: number, in: cache, "although a limit of 0 means no limit")
            }
            await close(cache)
        case .refused:
            guard let cache = try? open(entryLimit: entries, costLimit: cost, folder: "zero") else { return }
            fail("it opens with a limit of 0, which it declares to refuse")
            await close(cache)
        }
    }
}

extension ConformanceCheck {
    /// Whether a cache that holds nothing can't be judged by it.
    fileprivate var isAboutLimits: Bool {
        switch self {
        case .entryLimitHolds, .costLimitHolds, .goneCountsNoMore, .oversizeIsRefused, .hostileCostsAreHarmless: true
        default: false
        }
    }
}
