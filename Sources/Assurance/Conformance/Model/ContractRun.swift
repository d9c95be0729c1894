import CacheStrategies
import Foundation
import Locks
import TrialModel

/// One script on one cache: each answer is compared with what the model allows.
struct ContractRun<Strategy: CacheStrategy> {
    typealias Version = ContractModel.Version

    let probe: ConformanceProbe<Strategy>
    let script: ContractScript
    let folder: String
    private var model: ContractModel
    /// How often an answer put each rule to the test.
    private(set) var evidence: [ContractRule: Int] = [:]
    private var lastNumber = 0
    private var steps: [String] = []
    /// What the last lookup found.
    private var lastFound: Version?
    /// Whether the strategy counts the cost of the insert, and not a size of its own; `nil` until the first insert.
    private var isExact: Bool?
    /// Whether each value's cost is its size.
    private let isNatural: Bool

    init(_ probe: ConformanceProbe<Strategy>, _ script: ContractScript, _ terms: ContractTerms, folder: String) {
        self.probe = probe
        self.script = script
        self.folder = folder
        isNatural = !script.steps.contains { if case .insert(_, .declared) = $0 { true } else { false } }
        var terms = terms
        terms.keepsWhatFits = isNatural
        model = ContractModel(terms)
    }

    private var terms: ContractTerms { model.terms }
    private var now: Duration { probe.clock.now }

    /// Runs the script to its end, or to the first answer that the model does not allow.
    ///
    /// - Throws: the error with which the cache fails to open.
    mutating func run() async throws -> ContractViolation? {
        var cache = try open()
        for step in script.steps {
            steps.append("\(step)")
            if var violation = try await perform(step, on: &cache) {
                violation.steps = steps
                await probe.close(cache)
                return violation
            }
        }
        await probe.close(cache)
        return nil
    }

    private mutating func open() throws -> Strategy {
        let setup = script.setup
        let limits = [setup.entryLimit.map(ConformanceProbe<Strategy>.entries), setup.costLimit.map { "\($0) bytes" }]
            .compactMap { $0 }
        steps.append("open a cache \(limits.isEmpty ? "without limits" : "for \(limits.joined(separator: " and "))")")
        return try probe.open(
            probe.configuration(
                entryLimit: setup.entryLimit, bytesLimit: setup.costLimit,
                timeToLive: setup.hasLifetime ? probe.lifetime : nil, folder: folder))
    }

    private mutating func perform(_ step: ContractStep, on cache: inout Strategy) async throws -> ContractViolation? {
        if case .lookUp(let key) = step { model.relax(except: key) } else { model.relax(except: nil) }
        switch step {
        case .insert(let key, let cost): return await insert(key, cost, into: cache)
        case .remove(let key):
            await probe.remove(key, from: cache)
            model.remove(key)
        case .removeAll:
            await probe.removeAll(from: cache)
            model.removeAll()
        case .lookUp(let key): return await lookUp(key, in: cache)
        case .load(let key, let answer, let onThread): return await load(key, answer, onThread, in: cache)
        case .statistics: return checkBounds(await probe.statistics(of: cache))
        case .survey: return await survey(cache)
        case .advance(let share):
            if let violation = await settle(cache) { return violation }
            probe.advance(by: probe.lifetime * share)
        case .advanceToEnd(let key, let isOver):
            if let violation = await settle(cache) { return violation }
            guard let ends = model.ends(key) else { break }
            let moment = isOver ? ends.latest : ends.earliest - .milliseconds(1)
            if moment > now { probe.advance(by: moment - now) }
        case .outliveErrors(let isOver): await probe.outliveErrors(isOver)
        case .setDate(let seconds): probe.clock.setDate(ahead: .seconds(seconds))
        case .reopen:
            await probe.close(cache)
            cache = try open()
            model.reopen()
        }
        return nil
    }

    /// Notes that an answer put a rule to the test.
    private mutating func show(_ rule: ContractRule) { evidence[rule, default: 0] += 1 }

    /// Waits until what was written is seen, because lifetimes begin by then.
    private mutating func settle(_ cache: Strategy) async -> ContractViolation? {
        for key in 0..<(probe.isEventual ? script.setup.keyCount : 0) {
            if let violation = await lookUp(key, in: cache) { return violation }
        }
        return nil
    }

    // MARK: Inserts and lookups

    private mutating func insert(_ key: Int, _ cost: ContractCost, into cache: Strategy) async -> ContractViolation? {
        lastNumber += 1
        var version = Version(number: lastNumber, size: ConformanceProbe<Strategy>.usualByteCount, cost: 0)
        var value = probe.value(version.number)
        var declared: Int?
        switch cost {
        case .size(let size):
            version.size = size
            value = probe.value(version.number, byteCount: size)
        case .declared(let cost): declared = cost
        case .lifetime(let share):
            version.lifetime = probe.lifetime * share
            value = probe.mortal(version.number, of: probe.lifetime * share)
        }
        version.cost = declared ?? value.cost
        await probe.insert(value, at: key, cost: declared, into: cache)
        model.insert(version, at: key, now: now)
        guard terms.enforcesLimits && !probe.isSoft || isExact == nil else { return nil }
        let known = await probe.statistics(of: cache)
        if isExact == nil, (1..<1 << 20).contains(version.cost) { isExact = known.totalCost == version.cost }
        return checkBounds(known)
    }

    private mutating func lookUp(_ key: Int, in cache: Strategy) async -> ContractViolation? {
        let allowed = model.allowed(key, at: now)
        var found: Strategy.Value?
        var version: Version?
        let isRight = await probe.holds(soon: mayBeLate(allowed)) {
            found = await probe.lookUp(key, in: cache)
            version = found.flatMap { found in allowed.versions.first { isVersion(found, $0) } }
            return found == nil ? allowed.mayBeAbsent : version != nil
        }
        guard isRight else { return violation(key, found, allowed) }
        lastFound = version
        if let version {
            show(.newest)
            if !allowed.mayBeAbsent { show(.held) }
            model.saw(version, at: key, now: now)
        } else {
            if allowed.hadValue, allowed.versions.isEmpty { show(.gone) }
            model.saw(nil, at: key, now: now, isFinal: !probe.isEventual)
        }
        return nil
    }

    /// Whether the cache has time until a lookup gives what is allowed.
    private func mayBeLate(_ allowed: ContractModel.Allowed) -> Bool {
        probe.isEventual || probe.isSoft && allowed.wasRefused
    }

    private func isVersion(_ value: Strategy.Value, _ version: Version) -> Bool {
        if let lifetime = version.lifetime {
            return (try? value.encoded()) == (try? probe.mortal(version.number, of: lifetime).encoded())
        }
        return probe.isValue(value, version.number, byteCount: version.size)
    }

    private func violation(_ key: Int, _ found: Strategy.Value?, _ allowed: ContractModel.Allowed) -> ContractViolation
    {
        let due = "allowed is \(allowed.text)"
        guard let found else { return ContractViolation(rule: .held, seen: "key \(key) is not found", allowed: due) }
        let number = (1...max(lastNumber, 1)).first { probe.isValue(found, $0) }
        return ContractViolation(
            rule: allowed.versions.isEmpty ? .gone : .newest,
            seen: "key \(key) gives \(number.map { "version \($0)" } ?? "another value")", allowed: due)
    }

    // MARK: Loads

    private mutating func load(
        _ key: Int, _ answer: ContractAnswer, _ onThread: Bool, in cache: Strategy
    ) async -> ContractViolation? {
        lastNumber += 1
        let number = lastNumber
        let fetches = Locked(0)
        let bytes = Result {
            switch answer {
            case .value: try probe.value(number).encoded()
            case .mortal: try probe.mortal(number, of: probe.lifetime * ContractAnswer.mortalShare).encoded()
            case .refused: throw ScriptedOrigin.Refused()
            case .undecodable: probe.kit.undecodable ?? Data()
            }
        }
        let fetch: @Sendable () throws -> Data = {
            fetches.withLock { $0 += 1 }
            return try bytes.get()
        }
        let allowed = model.allowed(key, at: now)
        let ended: Result<Loaded<Strategy.Value>, any Error>
        let start = probe.errorTime
        probe.step("load key \(key)\(onThread ? " on a thread" : "")")
        if onThread, let cache = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value> {
            ended = probe.loadOnThread(cache, key, fetch)
        } else {
            ended = await probe.loadInTask(cache, key, fetch)
        }
        let count = fetches.withLock { $0 }
        switch ended {
        case .success(let loaded): return judge(loaded, key, answer, number, fetches: count, allowed)
        case .failure(let error):
            let failure = ContractModel.Failure(answer: answer, start: start, end: probe.errorTime)
            return judge(error, key, failure, fetches: count, allowed)
        }
    }

    private static var keepsErrors: String { "the cache keeps errors, and its last load failed" }

    private mutating func judge(
        _ loaded: Loaded<Strategy.Value>, _ key: Int, _ answer: ContractAnswer, _ number: Int, fetches: Int,
        _ allowed: ContractModel.Allowed
    ) -> ContractViolation? {
        let seen = "a load of key \(key) reports \(loaded.outcome) after \(fetches) fetches"
        let due = "a lookup may give \(allowed.text)"
        if loaded.outcome == .hit {
            show(.loads)
            guard fetches == 0 else { return ContractViolation(rule: .loads, seen: seen, allowed: due) }
            if let version = allowed.versions.first(where: { isVersion(loaded.value, $0) }) {
                show(.newest)
                model.saw(version, at: key, now: now)
                return nil
            }
            return mayBeLate(allowed) ? nil : violation(key, loaded.value, allowed)
        }
        if !answer.isValue {
            return ContractViolation(
                rule: .errors, seen: "a load of key \(key) gives a value", allowed: "its fetch gave none")
        }
        if model.mustFail(key, by: probe.errorTime) {
            return ContractViolation(rule: .errors, seen: seen, allowed: Self.keepsErrors)
        }
        show(.loads)
        guard loaded.outcome == .loaded, fetches == 1, allowed.mayBeAbsent || probe.isEventual else {
            return ContractViolation(rule: .loads, seen: seen, allowed: due)
        }
        let usual = ConformanceProbe<Strategy>.usualByteCount
        let version = Version(
            number: number, size: usual, cost: loaded.value.cost,
            lifetime: answer == .mortal ? probe.lifetime * ContractAnswer.mortalShare : nil)
        guard isVersion(loaded.value, version) else {
            return ContractViolation(
                rule: .loads, seen: "a load of key \(key) gives another value than its fetch", allowed: due)
        }
        model.saw(nil, at: key, now: now, isFinal: !probe.isEventual)
        model.insert(version, at: key, now: now)
        return nil
    }

    private mutating func judge(
        _ error: any Error, _ key: Int, _ failure: ContractModel.Failure, fetches: Int,
        _ allowed: ContractModel.Allowed
    ) -> ContractViolation? {
        let answer = failure.answer
        show(.errors)
        if fetches == 0, let kept = model.failure(of: key, since: failure.start),
            (kept.answer == .refused) == (error is ScriptedOrigin.Refused)
        {
            return nil
        }
        let mustFail = model.mustFail(key, by: failure.end)
        let isRight =
            switch answer {
            case .refused: error is ScriptedOrigin.Refused && fetches == 1
            case .undecodable: !(error is ScriptedOrigin.Refused) && fetches == 1
            case .value, .mortal: false
            }
        guard isRight, !mustFail else {
            let due = answer.isValue ? "its fetch did not fail" : "its fetch ended in another way"
            return ContractViolation(
                rule: answer.isValue ? .loads : .errors,
                seen: "a load of key \(key) fails after \(fetches) fetches with \(error)",
                allowed: mustFail ? Self.keepsErrors : due)
        }
        guard allowed.mayBeAbsent || probe.isEventual else {
            return ContractViolation(
                rule: .loads, seen: "a load of key \(key) fetched", allowed: "a lookup may give \(allowed.text)")
        }
        model.saw(nil, at: key, now: now, isFinal: !probe.isEventual)
        if !probe.isEventual || allowed.versions.isEmpty { model.fail(key, failure) }
        return nil
    }

    // MARK: Limits and statistics

    /// What holds after every operation where the limits are hard.
    private mutating func checkBounds(_ known: CacheStatistics) -> ContractViolation? {
        guard terms.enforcesLimits, !probe.isSoft else { return nil }
        if let count = known.entryCount, let limit = terms.entryLimit {
            show(.limits)
            if count > limit {
                return over("its statistics count \(count) entries", ConformanceProbe<Strategy>.entries(limit))
            }
        }
        guard let total = known.totalCost, let limit = terms.costLimit else { return nil }
        show(.limits)
        if total < 0 || total > limit { return over("its statistics say \(total) bytes", "\(limit) bytes") }
        return nil
    }

    private func over(_ seen: String, _ limit: String) -> ContractViolation {
        ContractViolation(rule: .limits, seen: seen, allowed: "the limit is \(limit)")
    }

    private mutating func survey(_ cache: Strategy) async -> ContractViolation? {
        var complaint: ContractViolation?
        _ = await probe.holds(soon: probe.isSoft || probe.declaration.worksInBackground) {
            complaint = await imbalance(in: cache)
            return complaint == nil
        }
        return complaint
    }

    /// Looks all keys up in order, asks for statistics, and looks them up again in reverse order. What is found both
    /// times was held when the statistics were asked for, even where lookups evict.
    private mutating func imbalance(in cache: Strategy) async -> ContractViolation? {
        var first: [Int: Version] = [:]
        for key in 0..<script.setup.keyCount {
            model.relax(except: nil)
            if let violation = await lookUp(key, in: cache) { return violation }
            first[key] = lastFound
        }
        let known = await probe.statistics(of: cache)
        var (count, sum) = (0, Int?.some(0))
        for key in first.keys.sorted(by: >) {
            model.relax(except: nil)
            if let violation = await lookUp(key, in: cache) { return violation }
            guard let version = lastFound else { continue }
            count += 1
            let next = sum?.addingReportingOverflow(version.cost)
            sum = next.flatMap { $0.overflow ? nil : $0.partialValue }
        }
        let found = "\(count) entries are found that cost \(sum.map(String.init) ?? "more than can be counted")"
        if terms.enforcesLimits, count > 0 || terms.entryLimit == 0 || terms.neverCaches {
            show(.limits)
            if let limit = terms.entryLimit, count > limit {
                return over(found, ConformanceProbe<Strategy>.entries(limit))
            }
            if let limit = terms.costLimit, sum.map({ $0 > limit }) ?? true { return over(found, "\(limit) bytes") }
        }
        // Where lookups evict, the statistics were asked for between more entries and fewer.
        return first.count == count ? disagreement(of: known, Set(first.keys), sum, found) : nil
    }

    private mutating func disagreement(
        of known: CacheStatistics, _ keys: Set<Int>, _ sum: Int?, _ found: String
    ) -> ContractViolation? {
        func wrong(_ seen: String) -> ContractViolation {
            ContractViolation(rule: .counts, seen: "its statistics \(seen)", allowed: found)
        }
        // Nothing is shown by a cache without statistics, nor by those that nothing is compared with.
        let count = keys.count
        var isShown = known.loadsInFlight != nil
        defer { if isShown { show(.counts) } }
        if let loads = known.loadsInFlight, loads != 0 { return wrong("count \(loads) loads in flight") }
        if let expected = model.expirations, let expirations = known.expirations, terms.lifetime != nil,
            !terms.isSliding
        {
            isShown = true
            if expirations != UInt64(expected) {
                return wrong("count \(expirations) expirations where \(expected) lifetimes were over")
            }
        }
        // An entry whose lifetime is over may be counted until it is looked up.
        guard terms.lifetime == nil else { return nil }
        if let entries = known.entryCount {
            isShown = true
            if entries != count { return wrong("count \(entries) entries") }
        }
        if let fresh = model.freshInserts, let evictions = known.evictions, isNatural, !terms.neverCaches {
            isShown = true
            // Where a new entry may be refused, only one that was found once was surely evicted.
            let most = max(fresh - count, 0)
            let least = terms.mayRefuse ? min(model.lost(finding: keys), most) : most
            if !(UInt64(least)...UInt64(most)).contains(evictions) {
                return wrong("count \(evictions) evictions after \(fresh) inserts of new keys")
            }
        }
        guard let total = known.totalCost else { return nil }
        isShown = true
        if total < 0 { return wrong("say \(total) bytes") }
        guard let sum, total != sum else { return nil }
        // A strategy may clamp costs near the largest number.
        if isExact == true, min(total, sum) < .max / 4 { return wrong("say \(total) bytes") }
        // A strategy with two tiers may report more than the cost of the entries that are found.
        guard isNatural, !terms.neverCaches, total < sum || total > max(sum, script.setup.costLimit ?? .max) else {
            return nil
        }
        return wrong("say \(total) bytes")
    }
}
