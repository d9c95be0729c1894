@testable import EvictionPolicies

/// A model whose residents are numbered from 0: the last takes the place of one that leaves, unless a new object does.
/// It draws the same random numbers as the policy.
protocol NumberedModel: ArrayModel {
    /// The place of the object that is evicted next.
    mutating func drawVictim() -> Int
    /// Sets what is known about a new object.
    mutating func enter(_ object: ObjectID, charge: Int) -> ModelItem
    /// Receives an object that is evicted or removed.
    mutating func leaves(_ item: ModelItem)
}

extension NumberedModel {
    mutating func leaves(_ item: ModelItem) {}

    mutating func admit(_ object: ObjectID, charge: Int) {
        while used + charge > limit {
            let place = drawVictim()
            let victim = residents[place]
            if used - victim.charge + charge > limit {
                take(at: place)
                evicted.append(victim.object)
            } else {
                leaves(victim)
                // The new object is evaluated with the others around it, in the place of the victim.
                residents[place] = ModelItem(object: object, charge: charge)
                residents[place] = enter(object, charge: charge)
                evicted.append(victim.object)
                return
            }
        }
        residents.append(ModelItem(object: object, charge: charge))
        residents[residents.count - 1] = enter(object, charge: charge)
    }

    mutating func evictNext() {
        let place = drawVictim()
        evicted.append(residents[place].object)
        take(at: place)
    }

    mutating func discard(_ object: ObjectID) {
        if let place = residents.index(of: object) { take(at: place) }
    }

    private mutating func take(at place: Int) {
        leaves(residents[place])
        residents.swapAt(place, residents.count - 1)
        residents.removeLast()
    }
}

/// Some of a number of places, two for each draw.
private func drawPlaces(_ count: Int, of places: Int, _ random: inout RandomStream) -> [Int] {
    var drawn: [Int] = []
    while drawn.count < count {
        let bits = random.next()
        drawn += [bits % (1 << 32), bits / (1 << 32)].map { Int($0 * UInt64(places) / (1 << 32)) }
    }
    return Array(drawn.prefix(count))
}

struct HyperbolicModel: NumberedModel {
    let limit: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []
    var time = 0
    var random = RandomStream(seed: 0)

    init(limit: Int) { self.limit = limit }

    mutating func use(_ object: ObjectID) {
        if let place = residents.index(of: object) { residents[place].uses += 1 }
        time += 1
    }

    mutating func enter(_ object: ObjectID, charge: Int) -> ModelItem {
        time += 1
        return ModelItem(object: object, charge: charge, uses: 1, time: time - 1)
    }

    mutating func drawVictim() -> Int {
        let places = drawPlaces(64, of: residents.count, &random)
        let priorities = places.map { Double(residents[$0].uses) / Double(max(time - residents[$0].time, 1)) }
        let lowest = priorities.min() ?? 0
        return zip(places, priorities).first { $0.1 == lowest }?.0 ?? 0
    }
}

struct LHDModel: NumberedModel {
    struct Life {
        var used = 0
        var ages = [20_000, 0]
        var isProtected = false

        /// The smallest class in which the sum of the ages, doubled as often, is too old.
        var group: Int {
            let sum = ages[0] + ages[1]
            return sum == 0 ? 15 : (0..<15).first { sum << $0 >= 20_000 } ?? 15
        }
    }

    static let ages = 20_000
    let limit: Int
    let interval: Int
    var residents: [ModelItem] = []
    var evicted: [ObjectID] = []
    var lives: [ObjectID: Life] = [:]
    /// Hits and evictions by class and age, and the densities once they were computed.
    var hits: [Int: [Float]] = [:]
    var evictions: [Int: [Float]] = [:]
    var densities: [Int: [Float]]?
    var shift = 10
    var time = 0
    var updates = 0
    var smoothed: (Float, Float) = (0, 0)
    var protectable: Int
    var victimDensity: Float = 0
    var suspects: [ObjectID] = Array(repeating: .max, count: 8)
    var suspectCount = 0
    var random = RandomStream(seed: 0)

    init(limit: Int, interval: Int) {
        (self.limit, self.interval) = (limit, interval)
        protectable = Int(Double(limit) * 0.01)
    }

    private func age(_ life: Life) -> Int { min((time - life.used) >> shift, Self.ages - 1) }

    private func density(_ item: ModelItem) -> Float {
        let life = lives[item.object] ?? Life()
        let age = age(life)
        if age == Self.ages - 1 { return -.greatestFiniteMagnitude }
        let plain = densities.map { $0[life.group]?[age] ?? 0 } ?? Float(life.group + 17) / Float(age + 1)
        return plain / Float(item.charge) + (life.isProtected ? 1 : 0)
    }

    mutating func use(_ object: ObjectID) {
        guard var life = lives[object], let place = residents.index(of: object) else { return }
        let age = age(life)
        hits[life.group, default: Array(repeating: 0, count: Self.ages)][age] += 1
        if life.isProtected { protectable += residents[place].charge }
        life.ages = [life.ages[1], age]
        lives[object] = life
        _ = touch(residents[place])
        endRequest()
    }

    private mutating func touch(_ item: ModelItem) -> Bool {
        let isDrawn = random.next() < 1 << 59
        let isProtected = isDrawn && protectable > 0 && updates < 50
        lives[item.object]?.used = time
        lives[item.object]?.isProtected = isProtected
        if isProtected { protectable -= item.charge }
        return isDrawn
    }

    mutating func enter(_ object: ObjectID, charge: Int) -> ModelItem {
        let item = ModelItem(object: object, charge: charge)
        lives[object] = Life()
        if !touch(item), density(item) < victimDensity {
            suspects[suspectCount % 8] = object
            suspectCount += 1
        }
        endRequest()
        return item
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        guard let place = residents.index(of: object) else { return }
        if lives[object]?.isProtected == true { protectable += residents[place].charge - charge }
        residents[place].charge = charge
    }

    mutating func leaves(_ item: ModelItem) {
        if lives[item.object]?.isProtected == true { protectable += item.charge }
        lives[item.object] = nil
    }

    mutating func drawVictim() -> Int {
        var places = drawPlaces(updates > 50 ? 32 : 8, of: residents.count, &random)
        places += suspects.compactMap { residents.index(of: $0) }
        let found = places.map { density(residents[$0]) }
        let lowest = found.min() ?? 0
        let place = zip(places, found).first { $0.1 == lowest }?.0 ?? 0
        victimDensity = 0.9 * victimDensity + 0.1 * lowest
        let life = lives[residents[place].object] ?? Life()
        evictions[life.group, default: Array(repeating: 0, count: Self.ages)][age(life)] += 1
        return place
    }

    private mutating func endRequest() {
        time += 1
        guard time % interval == 0 else { return }
        for group in 0..<16 {
            hits[group] = hits[group]?.map { $0 * 0.9 }
            evictions[group] = evictions[group]?.map { $0 * 0.9 }
        }
        smoothed = (smoothed.0 * 0.9 + Float(residents.count), smoothed.1 * 0.9 + 1)
        if updates == 5 || updates == 25 { adaptShift() }
        let none = [Float](repeating: 0, count: Self.ages)
        densities = [:]
        for group in Set(hits.keys).union(evictions.keys) {
            let (hit, evict) = (hits[group] ?? none, evictions[group] ?? none)
            var (sumOfHits, events, lifetime): (Float, Float, Float) = (0, 0, 0)
            densities?[group] = Array(
                zip(hit, evict).reversed().map { pair in
                    sumOfHits += pair.0
                    events += pair.0 + pair.1
                    lifetime += events
                    return events > 1e-5 ? sumOfHits / lifetime : 0
                }.reversed())
        }
        updates += 1
    }

    /// The caches of the tests hold few objects, so that time only becomes finer.
    private mutating func adaptShift() {
        let wanted = smoothed.0 / smoothed.1 / 200
        let next = (1...20).first { Float(1 << $0) >= wanted } ?? 1
        smoothed = (smoothed.0 * 8, smoothed.1 * 8)
        if next < shift {
            let factor = 1 << (shift - next)
            for path in [\Self.hits, \Self.evictions] {
                for (group, counts) in self[keyPath: path] {
                    var spread = (0..<Self.ages - 1).map { counts[$0 / factor] / Float(factor) }
                    spread.append(counts[(Self.ages / factor)..<Self.ages - 1].reduce(counts[Self.ages - 1], +))
                    self[keyPath: path][group] = spread
                }
            }
        }
        shift = next
    }
}
