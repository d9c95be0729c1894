@testable import EvictionPolicies

final class Frequencies {
    var sketch = FrequencySketch()
}

/// The three queues as arrays. Sketch and climber are the policy's own, which have separate tests.
struct WTinyLFUModel: PolicyModel {
    let limit: Int
    let countsEntries: Bool
    var window: [ModelItem] = []
    var probation: [ModelItem] = []
    var protected: [ModelItem] = []
    let frequencies = Frequencies()
    var evicted: [ObjectID] = []
    var windowLimit: Int
    var protectedLimit: Int
    var climber: WindowClimber
    var wasFull = false

    init(limit: Int, countsEntries: Bool, windowShare: Double = 0.01) {
        self.limit = limit
        self.countsEntries = countsEntries
        let main = Int(Double(limit) * (1 - windowShare))
        windowLimit = limit - main
        protectedLimit = Int(Double(main) * 0.8)
        climber = WindowClimber(isSmall: countsEntries && limit <= 512)
    }

    var residents: [ModelItem] { window + probation + protected }

    private var entries: Int { max(countsEntries ? limit : residents.count, 32) }

    private func count(_ object: ObjectID) {
        frequencies.sketch.record(object, period: 10 * entries)
    }

    private mutating func sample() {
        climber.requests += 1
        guard climber.requests >= climber.sampleSize(entries: entries) else { return }
        let change = Int(climber.climb(limit: UInt64(limit), window: UInt64(windowLimit), entries: entries))
        let amount = change > 0 ? min(change, protectedLimit) : -min(-change, windowLimit)
        windowLimit += amount
        protectedLimit -= amount
        demote()
        while change > 0, let first = probation.first, window.charge + first.charge <= windowLimit {
            window.append(probation.removeFirst())
        }
        while window.charge > windowLimit { probation.insert(window.removeFirst(), at: 0) }
    }

    private mutating func demote() {
        while protected.charge > protectedLimit { probation.append(protected.removeFirst()) }
    }

    mutating func use(_ object: ObjectID) {
        count(object)
        if let item = window.take(object) {
            window.append(item)
            climber.windowHits += 1
        } else if let item = probation.take(object) ?? protected.take(object) {
            protected.append(item)
            demote()
        }
        if wasFull {
            climber.hits += 1
            sample()
        }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        count(object)
        if wasFull { sample() }
        window.append(ModelItem(object: object, charge: charge))
        frequencies.sketch.reserve(residents.count)
        evictNext()
    }

    mutating func evictNext() {
        while window.charge > windowLimit {
            let candidate = window.removeFirst()
            probation.append(candidate)
            while used > limit {
                wasFull = true
                let victim = probation[0]
                let sketch = (
                    frequencies.sketch.frequency(candidate.object), frequencies.sketch.frequency(victim.object)
                )
                if victim == candidate || sketch.0 <= sketch.1 {
                    evicted.append(candidate.object)
                    discard(candidate.object)
                    break
                }
                evicted.append(victim.object)
                discard(victim.object)
            }
        }
        while used > limit {
            wasFull = true
            guard let victim = probation.first ?? protected.first ?? window.first else { return }
            evicted.append(victim.object)
            discard(victim.object)
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        for path in [\Self.window, \Self.probation, \Self.protected] { self[keyPath: path].set(object, charge: charge) }
        demote()
        if used <= limit { while window.charge > windowLimit { probation.append(window.removeFirst()) } }
    }

    mutating func discard(_ object: ObjectID) {
        for path in [\Self.window, \Self.probation, \Self.protected] { _ = self[keyPath: path].take(object) }
    }
}
