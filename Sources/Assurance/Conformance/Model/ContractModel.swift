import CacheStrategies
import TrialModel

/// A part of the contract that one caller can see, as the model states it.
enum ContractRule: String, Hashable, Sendable, CaseIterable {
    /// Obligations.
    case held = "what must be held is found"
    /// Constraints.
    case newest = "a lookup gives the newest value of its key or nothing"
    case gone = "what was removed, refused or has expired is not found"
    case loads = "a load hits what is held and else fetches once"
    case errors = "a load fails as its fetch did"
    case limits = "what is found is within the limits"
    case counts = "the statistics agree with what is found"
}

/// What a strategy declares, as far as it decides what one caller may see.
struct ContractTerms: Sendable {
    var entryLimit: Int?
    var costLimit: Int?
    /// Whether the entries that are found may not exceed the limits.
    var enforcesLimits: Bool
    var rules: LimitRules
    /// Whether a new entry that fits is found right after its insert, also into a full cache.
    var admitsAlways: Bool
    /// Whether a new entry may be refused although it fits, which is no eviction.
    var mayRefuse: Bool
    /// Whether an entry goes only when the entries together exceed a limit.
    var evictsOnlyWhenFull = false
    var neverCaches: Bool
    /// The configured lifetime; `nil` where entries have none.
    var lifetime: Duration?
    var isSliding: Bool
    var resolution: Duration
    var cachesErrors: Bool
    /// How long an error is remembered; `nil` without end.
    var errorLifetime: Duration?
    /// The highest cost that the strategy records.
    var costMax = Int.max
    /// Whether what fits must stay. Where costs are extreme, only a new entry must be found, right after its insert.
    var keepsWhatFits = true

    /// What becomes of an insert.
    enum Fate { case held, unspecified, refused }

    func fate(ofCost cost: Int) -> Fate {
        if neverCaches || entryLimit == 0 { return .refused }
        guard enforcesLimits else { return .held }
        guard rules.largestEntry < 1 else { return cost > costLimit ?? .max ? .refused : .held }
        // The rounding of a share of the limit is unspecified.
        let share = Double(costLimit ?? .max) * rules.largestEntry
        return Double(cost) > share ? .refused : Double(cost) > share - 2 ? .unspecified : .held
    }
}

/// A reference for what one caller may see of a cache that keeps its promises.
///
/// A cache may evict, so a lookup has more than one right answer. The model knows for each key which versions a lookup
/// may give, and whether it may give nothing: constraints, which a cache that holds nothing keeps, and obligations,
/// which it doesn't. Each answer narrows down what later lookups may give.
struct ContractModel: Sendable {
    /// A value of a key.
    struct Version: Hashable, Sendable {
        var number: Int
        /// In the checks' unit.
        var size: Int
        /// As the strategy counts it.
        var cost: Int
        var lifetime: Duration?
    }

    /// What a lookup of one key may give.
    struct Allowed: Sendable {
        var versions: [Version] = []
        var mayBeAbsent = true
        /// Whether the last value was refused: a cache with a soft limit may hold it for a while.
        var wasRefused = false
        /// Whether the key had a value once.
        var hadValue = false
        /// The cost of an entry that has expired and may still take room; `nil` for none.
        fileprivate var lingering: Int?
        /// From when a lookup may give nothing, and from when it must.
        fileprivate(set) var ends: (earliest: Duration, latest: Duration)?

        /// The most that the entry may cost; `nil` without one.
        fileprivate var cost: Int? { versions.map(\.cost).max() ?? lingering }

        /// In words.
        var text: String {
            let words = versions.map { "version \($0.number)" } + (mayBeAbsent ? ["nothing"] : [])
            return words.joined(separator: " or ")
        }
    }

    /// A load that failed, by the clock of errors.
    struct Failure: Sendable {
        var answer: ContractAnswer
        var start: Duration
        var end: Duration
    }

    let terms: ContractTerms
    private var keys: [Int: Allowed] = [:]
    /// The last failure of each key that nothing has changed since, where the cache remembers errors.
    private var failed: [Int: Failure] = [:]
    /// Keys that were found and not removed since.
    private var seen: Set<Int> = []
    /// Entries that a caller saw to have expired; `nil` once that can't be told.
    private(set) var expirations: Int? = 0
    /// Inserts of keys that were new; `nil` once an entry may have left in another way than by eviction.
    private(set) var freshInserts: Int? = 0

    init(_ terms: ContractTerms) { self.terms = terms }

    /// What a lookup may give now.
    mutating func allowed(_ key: Int, at now: Duration) -> Allowed {
        var allowed = keys[key, default: Allowed()]
        guard let ends = allowed.ends, !allowed.versions.isEmpty, now >= ends.earliest else { return allowed }
        if now >= ends.latest {
            if !allowed.mayBeAbsent { expirations? += 1 }
            allowed.lingering = allowed.cost
            (allowed.versions, allowed.ends) = ([], nil)
            allowed.mayBeAbsent = true
            keys[key] = allowed
        } else {
            allowed.mayBeAbsent = true
        }
        return allowed
    }

    /// When the lifetime of a key ends; `nil` for a key without one.
    func ends(_ key: Int) -> (earliest: Duration, latest: Duration)? { keys[key]?.ends }

    /// Whether everything that may be held fits; for a cache that may evict earlier, whether it takes so little of the
    /// limits that no cache has a reason to.
    private var fits: Bool {
        guard terms.keepsWhatFits else { return false }
        let held = keys.values.compactMap(\.cost)
        let part = terms.evictsOnlyWhenFull ? 1 : 8
        if let limit = terms.entryLimit, held.count > limit / part { return false }
        var sum = 0
        for cost in held {
            let (next, overflows) = sum.addingReportingOverflow(cost)
            if overflows { return false }
            sum = next
        }
        return sum <= (terms.costLimit ?? .max) / part
    }

    mutating func insert(_ version: Version, at key: Int, now: Duration) {
        // Unspecified: whether an expired entry counts as such when it is replaced, and whether a value counts that has
        // expired before its insert.
        if keys[key]?.ends.map({ now >= $0.earliest }) == true { expirations = nil }
        if version.lifetime.map({ $0 <= .zero }) == true { expirations = nil }
        let old = allowed(key, at: now)
        failed[key] = nil
        var version = version
        version.cost = min(max(version.cost, 0), terms.costMax)
        let fate = terms.fate(ofCost: version.cost)
        if old.versions.isEmpty, fate == .held, !old.hadValue { freshInserts? += 1 } else { freshInserts = nil }
        let keepsOld = terms.rules.refusedReplacement == .keepsOld
        var new = Allowed(versions: [version], hadValue: true, ends: ends(of: version, now))
        switch fate {
        case .refused where keepsOld && !terms.neverCaches: return keys[key, default: Allowed()].hadValue = true
        case .refused:
            clear(key, hadValue: true)
            keys[key]?.wasRefused = true
            return
        case .unspecified where keepsOld:
            new.versions += old.versions
            if let (one, other) = new.ends.flatMap({ new in old.ends.map { (new, $0) } }) {
                new.ends = (min(one.earliest, other.earliest), max(one.latest, other.latest))
            }
        case .unspecified, .held: break
        }
        keys[key] = new
        let fits = fits
        if !fits { for other in keys.keys { keys[other]?.mayBeAbsent = true } }
        // It is unspecified whether an entry that makes room for a more expensive value of its own key is evicted itself.
        keys[key]?.mayBeAbsent = fate != .held || !(fits || (terms.admitsAlways && old.versions.isEmpty))
    }

    private func ends(of version: Version, _ now: Duration) -> (earliest: Duration, latest: Duration)? {
        guard let lifetime = version.lifetime ?? terms.lifetime, terms.lifetime != nil else { return nil }
        // Whether an entry is found at the very end is unspecified.
        return (now + lifetime, now + lifetime + terms.resolution + .nanoseconds(1))
    }

    mutating func remove(_ key: Int) {
        if keys[key]?.ends != nil { expirations = nil }
        if keys[key]?.versions.isEmpty == false { freshInserts = nil }
        failed[key] = nil
        seen.remove(key)
        clear(key)
    }

    /// The key has no value from now on.
    private mutating func clear(_ key: Int, hadValue: Bool = false) {
        let hadValue = hadValue || keys[key]?.hadValue == true
        keys[key] = Allowed(hadValue: hadValue)
    }

    mutating func removeAll() {
        for key in keys.keys { remove(key) }
        failed = [:]
    }

    /// A load fetched, and its fetch failed: so the key had no value.
    mutating func fail(_ key: Int, _ failure: Failure) {
        clear(key, hadValue: true)
        if terms.cachesErrors { failed[key] = failure }
    }

    /// The failure that may answer a load of a key that began at a moment; `nil` where none may.
    func failure(of key: Int, since start: Duration) -> Failure? {
        failed[key].flatMap { start > $0.end + (terms.errorLifetime ?? .zero) && terms.errorLifetime != nil ? nil : $0 }
    }

    /// Whether an error must answer a load of a key that has ended at a moment.
    func mustFail(_ key: Int, by end: Duration) -> Bool {
        guard let failure = failed[key] else { return false }
        return terms.errorLifetime.map { end < failure.start + $0 } ?? true
    }

    /// The keys that were found, were not removed, and are not among some that are found now: they were evicted.
    func lost(finding found: Set<Int>) -> Int { seen.subtracting(found).count }

    /// A lookup gave one of the allowed versions, or nothing.
    ///
    /// - Parameter isFinal: whether nothing that was written before may be seen later.
    mutating func saw(_ version: Version?, at key: Int, now: Duration, isFinal: Bool = true) {
        guard let version else {
            let mayBeOver = keys[key]?.ends.map { now >= $0.earliest } == true
            guard isFinal else {
                // Unspecified: whether it has expired, or is not seen yet.
                if mayBeOver { expirations = nil }
                return
            }
            if mayBeOver, keys[key]?.mayBeAbsent == false { expirations? += 1 }
            return clear(key)
        }
        seen.insert(key)
        var known = keys[key, default: Allowed(hadValue: true)]
        known.versions = [version]
        if terms.isSliding { known.ends = ends(of: version, now) }
        if fits, known.ends.map({ now >= $0.earliest }) != true { known.mayBeAbsent = false }
        keys[key] = known
    }

    /// Something else than a lookup of one key happened: a cache that is not as good as empty may have evicted anything.
    /// Lookups may evict as well, such as in a cache of two generations.
    mutating func relax(except key: Int?) {
        if !fits { for other in keys.keys where other != key { keys[other]?.mayBeAbsent = true } }
    }

    /// The cache was closed and opened again.
    mutating func reopen() {
        failed = [:]
        (expirations, freshInserts) = (nil, nil)
    }
}

/// Something that the model does not allow.
struct ContractViolation: Sendable {
    var rule: ContractRule
    /// What was seen.
    var seen: String
    /// What was allowed.
    var allowed: String
    /// The steps up to it, in words.
    var steps: [String] = []

    var text: String { "\(rule.rawValue), but \(seen); \(allowed). The steps: \(steps.joined(separator: "; "))" }
}
