import CacheStrategies
import TrialModel

extension ConformanceProbe {
    /// The scripts of a check; `nil` for a check that is a procedure, and none where the strategy does not promise what
    /// the check is about.
    func profile(of check: ConformanceCheck) -> ContractProfile? { wholeProfile(of: check)?.limited(to: kit.available) }

    private func wholeProfile(of check: ConformanceCheck) -> ContractProfile? {
        switch check {
        case .insertedIsFound, .replacedIsFound, .removedIsMissing, .removeAllEmpties: contents(check)
        case .loadMissesThenHits, .loadErrorReachesCaller, .undecodableIsRefused, .blockingLoadBehavesAsLoad:
            loads(check)
        case .entryLimitHolds, .costLimitHolds, .oversizeIsRefused, .hostileCostsAreHarmless: limits(check)
        case .goneCountsNoMore, .fullCacheAdmits, .statisticsAgree, .edgeCostsAreCounted, .fittingEntriesStay:
            room(check)
        case .entriesExpire, .everyWayInKeepsLifetimes, .reopenedFindsEntries: times(check)
        default: nil
        }
    }

    /// Limits that no script reaches.
    private var roomy: ContractSetup { ContractSetup(entryLimit: 1000, costLimit: bytes(1 << 20)) }

    private func setup(_ entries: Int?, _ units: Int?, keys: Int = 6) -> ContractSetup {
        ContractSetup(
            entryLimit: entries.map { $0 == 0 ? 0 : max($0, rules.smallest) }, costLimit: units.map(bytes),
            keyCount: keys)
    }

    private func contents(_ check: ConformanceCheck) -> ContractProfile {
        var roomy = roomy
        switch check {
        case .insertedIsFound:
            roomy.keyCount = 20
            return ContractProfile(
                rules: [.held, .newest], setups: [roomy],
                weights: [.insertFresh: 4, .insert: 1, .lookUp: 3, .survey: 1])
        case .replacedIsFound:
            roomy.keyCount = 2
            return ContractProfile(
                rules: [.held, .newest, .counts], setups: [roomy], weights: [.insert: 6, .lookUp: 4, .survey: 1])
        case .removedIsMissing:
            roomy.keyCount = 3
            return ContractProfile(
                rules: [.gone, .held], setups: [roomy], weights: [.insert: 5, .remove: 3, .lookUp: 5, .survey: 1])
        default:
            return ContractProfile(
                rules: [.gone, .held, .counts], setups: [roomy],
                weights: [.insert: 12, .removeAll: 2, .remove: 1, .lookUp: 5, .survey: 2])
        }
    }

    private func loads(_ check: ConformanceCheck) -> ContractProfile {
        let isSynchronous = Strategy.self is any SynchronousCacheStrategy.Type
        var profile = ContractProfile(
            rules: [.loads, .newest, .held], setups: [roomy],
            weights: [.load: 6, .insert: 3, .remove: 2, .lookUp: 3, .survey: 1])
        switch check {
        case .loadErrorReachesCaller:
            profile.rules = [.errors, .gone, .loads]
            profile.weights = [.failingLoad: 4, .load: 3, .remove: 2, .lookUp: 3, .insert: 1]
        case .undecodableIsRefused:
            profile.rules = [.errors, .gone]
            profile.weights = [.undecodableLoad: 4, .load: 3, .remove: 2, .lookUp: 3]
            if kit.undecodable == nil { profile.setups = [] }
        case .blockingLoadBehavesAsLoad:
            profile.rules = [.errors, .gone, .loads, .held, .newest]
            profile.threads = [true]
            profile.weights[.failingLoad] = 2
            profile.weights[.undecodableLoad] = kit.undecodable == nil ? 0 : 2
            if !isSynchronous { profile.setups = [] }
        default: break
        }
        if canOutliveErrors, profile.rules.contains(.errors) { profile.weights[.outliveErrors] = 1 }
        return profile
    }

    private func limits(_ check: ConformanceCheck) -> ContractProfile {
        let zero = rules.zero == .holdsNothing ? [0] : []
        let isEnforced = promises.limit == .hard || promises.limit == .soft
        let boundsCost = declaration.bounds.contains(.cost) && isEnforced
        let isSynchronous = Strategy.self is any SynchronousCacheStrategy.Type
        var profile = ContractProfile(
            rules: [.limits], setups: [], steps: 90,
            weights: [
                .insertFresh: 18, .insert: 6, .load: 6, .loadFresh: 3, .lookUp: 6, .remove: 3, .removeAll: 1,
            ])
        profile.threads = isSynchronous ? [false, true] : [false]
        switch check {
        case .entryLimitHolds where declaration.bounds.contains(.entries) && isEnforced:
            let least = rules.smallest
            profile.setups = (zero + Set([least, least + 1, max(10, 2 * least)]).sorted()).map {
                setup($0, nil, keys: 3 * $0 + 5)
            }
        case .costLimitHolds where boundsCost:
            // Replacements by more expensive ones change the total as well.
            profile.costs = (0..<12).map { .size(10 + $0 * 37 % 91) }
            profile.setups = (zero + [1, 100, max(1000, 2 * costLimit(holding: 100))]).map { setup(nil, $0, keys: 40) }
        case .oversizeIsRefused where boundsCost && !neverCaches:
            let limit = costLimit(holding: 500)
            profile.rules = [.gone, .held, .limits]
            profile.costs = [.size(20), .size(Int(Double(limit) * rules.largestEntry) + 1), .size(10 * limit)]
            profile.setups = [setup(nil, limit, keys: 3)]
            profile.weights = [.insert: 6, .lookUp: 4, .remove: 1, .survey: 1]
            if rules.refusedReplacement == .keepsOld { profile.rules.remove(.gone) }
        case .hostileCostsAreHarmless:
            profile.rules = [.counts]
            profile.costs = [.max, .max, -1, .min, 0, 1, -50].map { .declared($0) } + [.size(20)]
            profile.setups = [setup(nil, nil)] + (boundsCost ? [setup(4, costLimit(holding: 100))] : [])
            profile.weights = [.insert: 6, .lookUp: 2, .survey: 1, .statistics: 1]
        default: break
        }
        return profile
    }

    private func room(_ check: ConformanceCheck) -> ContractProfile {
        let bounds = promises.limit == .approximate || promises.limit == .none ? [] : declaration.bounds
        var profile = ContractProfile(rules: [.held], setups: [], weights: [:])
        switch check {
        case .goneCountsNoMore where !declaration.bounds.isEmpty && !neverCaches:
            // So often that a cache that still counted what is gone would be full several times over.
            (profile.rules, profile.steps, profile.costs) = ([.held, .counts], 200, [.size(512)])
            profile.setups = [setup(max(24, rules.smallest + 8), max(1 << 14, costLimit(holding: 512)), keys: 3)]
            profile.weights = [.insert: 10, .remove: 4, .lookUp: 4, .survey: 1]
        case .fullCacheAdmits where promises.admission == .always && !neverCaches:
            profile.steps = 150
            profile.weights = [.insertFresh: 30, .loadFresh: 5, .lookUp: 10, .removeAll: 1]
            if bounds.contains(.entries) {
                for limit in Set([max(8, rules.smallest), rules.smallest]).sorted() {
                    profile.setups.append(setup(limit, nil, keys: limit + 60))
                }
            }
            if bounds.contains(.cost) {
                let limit = max(8 * Self.usualByteCount, costLimit(holding: Self.usualByteCount))
                profile.setups.append(setup(nil, limit, keys: 100))
            }
        case .fittingEntriesStay where promises.evictsOnlyWhenFull && !neverCaches:
            // Up to the limit: overwrites of every cost, of which some fit only because the old value goes.
            (profile.surveysAlways, profile.steps) = (true, 60)
            profile.weights = [.insert: 8, .load: 2, .remove: 1, .removeAll: 2, .lookUp: 1]
            profile.costs = [10, 20, 45, 70, 100].map { .size($0) }
            if bounds.contains(.entries) {
                let limit = max(3, rules.smallest)
                profile.setups.append(setup(limit, nil, keys: limit))
            }
            if bounds.contains(.cost) {
                profile.setups.append(setup(nil, max(170, costLimit(holding: 100)), keys: 3))
            }
        case .statisticsAgree:
            let limit = max(5, rules.smallest)
            profile.rules = [.counts]
            profile.costs = (10..<30).map { .size($0) }
            profile.setups = [setup(limit, max(30 * limit, costLimit(holding: 30)), keys: limit + 20)]
            profile.weights = [.insertFresh: 12, .lookUp: 2, .survey: 2]
        case .edgeCostsAreCounted where !neverCaches && promises.limit != .approximate:
            let usual = bytes(max(100, costLimit(holding: 100)))
            profile.rules = promises.admission == .always ? [.limits, .held, .newest, .counts] : [.limits, .counts]
            // Short scripts, because a sum that is permanently wrong hides every later fault.
            (profile.steps, profile.surveysAlways) = (50, true)
            // One entry shows whether the strategy counts the cost of the insert, or the size in a form of its own.
            profile.prefix = [.insert(0, .declared(7)), .survey]
            profile.costs = [
                0, 0, 1, .max, .max - 1, -1, .min, .max / 2 + 1, usual, usual, usual - 1, usual / 2, usual / 2 + 1,
                usual / 3, usual + 1,
            ].map { .declared($0) }
            profile.weights = [.insert: 9, .remove: 2, .removeAll: 1]
            var setups = [ContractSetup(keyCount: 5)]
            if bounds.contains(.cost) {
                setups = [usual, .max, nil].map { ContractSetup(costLimit: $0, keyCount: 5) }
            } else {
                profile.rules.remove(.limits)
            }
            profile.setups = setups
        default: break
        }
        return profile
    }

    private func times(_ check: ConformanceCheck) -> ContractProfile {
        let rules = promises.timeToLive
        var timed = roomy
        timed.hasLifetime = true
        timed.keyCount = 5
        var profile = ContractProfile(
            rules: [.held, .gone, .loads, .newest, .counts], setups: [], steps: 60,
            weights: [
                .insert: 5, .lookUp: 5, .load: 4, .advance: 3, .advanceToEnd: 5, .remove: 1, .setDate: 1, .survey: 1,
            ])
        profile.threads = Strategy.self is any SynchronousCacheStrategy.Type ? [false, true] : [false]
        if promises.durability != .none, rules.kind == .fixed { profile.weights[.reopen] = 2 }
        switch check {
        case .entriesExpire where rules.clock == .configured && !neverCaches:
            profile.setups = [timed]
            if rules.kind == .none { profile.rules = [.held, .newest] }
            if rules.perEntry, kit.makeMortal != nil {
                profile.costs += [.lifetime(0.25), .lifetime(2)]
                // A value that has expired already still replaces the older one.
                if kit.makesExpired {
                    profile.costs += [.lifetime(0), .lifetime(-0.5)]
                    profile.prefix = [0, -0.5].enumerated().flatMap { key, share in
                        [.insert(key, .size(20)), .insert(key, .lifetime(share)), .lookUp(key)]
                    }
                }
                profile.weights[.mortalLoad] = 2
            }
        case .everyWayInKeepsLifetimes where rules.clock == .configured && rules.kind == .fixed && !neverCaches:
            // Many uses between few inserts: none of them prolongs a lifetime.
            profile.setups = [timed]
            profile.weights = [
                .insert: 4, .lookUp: 5, .load: 5, .statistics: 2, .survey: 1, .advance: 4, .advanceToEnd: 5,
            ]
            if promises.durability != .none { profile.weights[.reopen] = 2 }
        case .reopenedFindsEntries where promises.durability != .none:
            profile.rules = [.held, .gone, .newest]
            profile.setups = [roomy]
            profile.weights = [.insert: 8, .load: 2, .remove: 2, .removeAll: 1, .lookUp: 3, .reopen: 3]
        default: break
        }
        return profile
    }
}
