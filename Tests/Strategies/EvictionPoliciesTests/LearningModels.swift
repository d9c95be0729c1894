import Foundation

@testable import EvictionPolicies

/// A history of evicted objects, the oldest first.
struct ModelHistory {
    let limit: Int
    var items: [ModelItem] = []

    mutating func remember(_ item: ModelItem) {
        guard item.charge <= limit else { return }
        while items.charge + item.charge > limit { items.removeFirst() }
        items.append(item)
    }
}

struct LeCaRModel: PolicyModel {
    let limit: Int
    /// Whether an object keeps its number of uses in a history.
    let keepsUses: Bool
    /// In order of use.
    var residents: [ModelItem] = []
    /// What LRU and LFU evicted; the time of an item is that of its eviction.
    var histories: [ModelHistory]
    var weights = [0.5, 0.5]
    var evicted: [ObjectID] = []
    var time = 0
    var random = RandomStream(seed: 0)

    init(limit: Int, keepsUses: Bool = false) {
        (self.limit, self.keepsUses) = (limit, keepsUses)
        histories = [ModelHistory(limit: limit / 2), ModelHistory(limit: limit / 2)]
    }

    var ghosts: [ObjectID] { histories.flatMap(\.items).map(\.object) }

    mutating func use(_ object: ObjectID) {
        if var item = residents.take(object) {
            item.uses += 1
            residents.append(item)
        }
        time += 1
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        var uses = 1
        for expert in 0...1 {
            guard let ghost = histories[expert].items.take(object) else { continue }
            weights[expert] *= exp(-0.45 * pow(0.005, Double(time - ghost.time) / Double(limit)))
            if keepsUses { uses = ghost.uses + 1 }
            let sum = weights[0] + weights[1]
            weights = weights.map { min(max($0 / sum, 0.01), 0.99) }
        }
        while used + charge > limit { evictNext() }
        residents.append(ModelItem(object: object, charge: charge, uses: uses))
        time += 1
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { residents.set(object, charge: charge) }

    mutating func evictNext() {
        // Among equal frequencies the first is the least recently used one.
        let leastUses = residents.map(\.uses).min() ?? 0
        let frequent = residents.firstIndex { $0.uses == leastUses } ?? 0
        guard frequent != 0 else {
            evicted.append(residents.removeFirst().object)
            return
        }
        let expert = random.fraction() < weights[0] ? 0 : 1
        var item = residents.remove(at: expert == 0 ? 0 : frequent)
        evicted.append(item.object)
        item.time = time
        histories[expert].remember(item)
    }

    mutating func discard(_ object: ObjectID) {
        _ = residents.take(object)
        for expert in 0...1 { _ = histories[expert].items.take(object) }
    }
}

struct CacheusModel: PolicyModel {
    let limit: Int
    let countsEntries: Bool
    /// SR and R in order of use; the time of an item is that of its last use.
    var single: [ModelItem] = []
    var reused: [ModelItem] = []
    var reusedLimit: Int
    /// What SR-LRU and CR-LFU evicted.
    var histories: [ModelHistory]
    var new: Set<ObjectID> = []
    var demoted: Set<ObjectID> = []
    var weight = 0.5
    var evicted: [ObjectID] = []
    var time = 0
    var random = RandomStream(seed: 0)
    /// The rates and hit ratios of all periods.
    var rates = [0.0]
    var ratios = [0.0]
    var firstRate = 0.0
    var counts = (empty: 0, worse: 0)
    var hits = 0
    var requests = 0

    init(limit: Int, countsEntries: Bool) {
        (self.limit, self.countsEntries) = (limit, countsEntries)
        reusedLimit = limit - min(max(Int((Double(limit) * 0.01).rounded()), 1), limit)
        histories = [ModelHistory(limit: limit / 2), ModelHistory(limit: limit / 2)]
    }

    var residents: [ModelItem] { single + reused }
    var ghosts: [ObjectID] { histories.flatMap(\.items).map(\.object) }
    private var newGhosts: Int { histories[0].items.count { new.contains($0.object) } }
    private var demotedCount: Int { single.count { demoted.contains($0.object) } }
    private var period: Int { countsEntries ? limit : max(residents.count, 1) }

    private func step(_ ratio: Double) -> Int { max(1, Int(ratio + 0.5)) }

    mutating func use(_ object: ObjectID) {
        time += 1
        if var item = reused.take(object) {
            (item.uses, item.time) = (item.uses + 1, time)
            reused.append(item)
        } else if var item = single.first(where: { $0.object == object }) {
            if demoted.contains(object) {
                reusedLimit += step(Double(newGhosts) / Double(max(demotedCount, 1))) * item.charge
                reusedLimit = min(reusedLimit, limit - 1)
                demoted.remove(object)
            }
            _ = single.take(object)
            (item.uses, item.time) = (item.uses + 1, time)
            reused.append(item)
            demote()
        }
        hits += 1
        endRequest()
    }

    private mutating func demote() {
        while reused.charge > reusedLimit {
            demoted.insert(reused[0].object)
            single.append(reused.removeFirst())
        }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        time += 1
        var item = ModelItem(object: object, charge: charge, uses: 1, time: time)
        if let expert = (0...1).first(where: { histories[$0].items.index(of: object) != nil }),
            let ghost = histories[expert].items.take(object)
        {
            if expert == 0, new.contains(object) {
                let more = step(Double(demotedCount) / Double(max(newGhosts, 1))) * ghost.charge
                reusedLimit = limit - min(limit - reusedLimit + more, limit - 1)
            }
            new.remove(object)
            lowerWeight(of: expert)
            item.uses = ghost.uses + 1
            while used + charge > limit { evictNext() }
            reused.append(item)
        } else if single.isEmpty, reused.charge + charge <= reusedLimit {
            reused.append(item)
        } else {
            let isFilling = used + charge <= limit && single.charge + charge <= limit - reusedLimit
            while used + charge > limit { evictNext() }
            single.append(item)
            if !isFilling { new.insert(object) }
        }
        demote()
        endRequest()
    }

    private mutating func lowerWeight(of expert: Int) {
        if rates.count == 1, rates[0] == 0 { startRate() }
        let factor = exp(-(rates.last ?? 0))
        let (recent, frequent) = expert == 0 ? (weight * factor, 1 - weight) : (weight, (1 - weight) * factor)
        weight = min(max(recent / (recent + frequent), 0.01), 0.99)
    }

    private mutating func startRate() {
        rates = [(2 * log(2) / Double(max(period, 1))).squareRoot()]
        firstRate = min(max(rates[0], 0.001), 1)
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        single.set(object, charge: charge)
        reused.set(object, charge: charge)
        demote()
    }

    mutating func evictNext() {
        let recent = single.first ?? reused[0]
        let frequent = residents.min { ($0.uses, -$0.time) < ($1.uses, -$1.time) } ?? recent
        let isSame = recent == frequent
        let expert = isSame || random.fraction() < weight ? 0 : 1
        let item = expert == 0 ? recent : frequent
        _ = single.take(item.object) ?? reused.take(item.object)
        demoted.remove(item.object)
        evicted.append(item.object)
        if !isSame { histories[expert].remember(item) }
        let remembered = Set(ghosts)
        new = new.filter { remembered.contains($0) || contains($0) }
    }

    private mutating func endRequest() {
        requests += 1
        guard requests >= period else { return }
        func round(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
        if rates.count == 1, rates[0] == 0 { startRate() }
        let rate = rates[rates.count - 1]
        let before = rates.count > 1 ? rates[rates.count - 2] : 0
        ratios.append(round(Double(hits) / Double(requests)))
        (hits, requests) = (0, 0)
        let ratioChange = round(ratios[ratios.count - 1] - ratios[ratios.count - 2])
        let rateChange = round(rate) - round(before)
        var next = rate
        if rateChange * ratioChange > 0 {
            next = min(rate + rate * abs(rateChange), 1)
            counts = (0, 0)
        } else if rateChange * ratioChange < 0 {
            next = max(rate - rate * abs(rateChange), 0.001)
            counts = (0, 0)
        } else if ratioChange <= 0 {
            counts.worse += ratioChange < 0 ? 1 : 0
            counts.empty += ratioChange < 0 || ratios.last == 0 ? 1 : 0
            if counts.empty >= 10 {
                counts.empty = 0
                next = firstRate
            } else if counts.worse >= 10 && ratioChange < 0 {
                counts.worse = 0
                next = firstRate
            } else if ratioChange < 0 {
                next = changedAtRandom(rate)
            }
        }
        rates.append(next)
    }

    private mutating func changedAtRandom(_ rate: Double) -> Double {
        if rate >= 1 { return 0.9 }
        if rate <= 0.001 { return 0.005 }
        return random.fraction() < 0.5 ? min(rate * 1.25, 1) : max(rate * 0.75, 0.001)
    }

    mutating func discard(_ object: ObjectID) {
        _ = single.take(object)
        _ = reused.take(object)
        for expert in 0...1 { _ = histories[expert].items.take(object) }
        new.remove(object)
        demoted.remove(object)
    }
}
