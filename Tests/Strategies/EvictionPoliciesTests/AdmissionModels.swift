import Foundation

@testable import EvictionPolicies

/// What an admission decides, in its simplest form.
protocol AdmissionRule {
    var refusesBySize: Bool { get }
    mutating func use(_ object: ObjectID)
    mutating func admits(_ object: ObjectID, charge: Int, over victim: ObjectID?, residents: Int) -> Bool
}

/// A model whose new objects ask a rule. The victim is found by evicting from a copy.
struct AdmittedModel<Model: PolicyModel, Rule: AdmissionRule>: PolicyModel {
    var model: Model
    var rule: Rule

    init(_ model: Model, _ rule: Rule) { (self.model, self.rule) = (model, rule) }

    var limit: Int { model.limit }
    var residents: [ModelItem] { model.residents }
    var ghosts: [ObjectID] { model.ghosts }
    var evicted: [ObjectID] {
        get { model.evicted }
        set { model.evicted = newValue }
    }

    mutating func use(_ object: ObjectID) {
        rule.use(object)
        model.use(object)
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        let hasRoom = used + charge <= limit
        var copy = model
        if !hasRoom { copy.evictNext() }
        let victim = hasRoom ? nil : copy.evicted.last
        let isWanted = rule.admits(object, charge: charge, over: victim, residents: residents.count)
        if isWanted || (hasRoom && !rule.refusesBySize) { model.admit(object, charge: charge) }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) { model.reweigh(object, charge: charge) }
    mutating func evictNext() { model.evictNext() }
    mutating func discard(_ object: ObjectID) { model.discard(object) }
}

/// TinyLFU. The sketch is the policy's own, which has separate tests.
struct FrequencyRule: AdmissionRule {
    let frequencies = Frequencies()
    /// The number of entries; where bytes are limited, that of the last time when the rule was asked.
    var entries: Int
    let countsEntries: Bool
    var refusesBySize: Bool { false }

    init(_ test: ModelCase) {
        countsEntries = test.countsEntries
        entries = countsEntries ? test.limit : 0
    }

    mutating func use(_ object: ObjectID) {
        frequencies.sketch.record(object, period: 10 * max(entries, 32))
    }

    mutating func admits(_ object: ObjectID, charge: Int, over victim: ObjectID?, residents: Int) -> Bool {
        if !countsEntries { entries = residents }
        frequencies.sketch.reserve(residents)
        use(object)
        return victim.map { frequencies.sketch.frequency(object) > frequencies.sketch.frequency($0) } ?? true
    }
}

/// The second request, by a list of the first ones in two generations.
struct MemoryRule: AdmissionRule {
    let memory: Int
    var younger: [ObjectID] = []
    var older: [ObjectID] = []
    var refusesBySize: Bool { false }

    init(memory: Int) { self.memory = memory }

    mutating func use(_ object: ObjectID) {}

    mutating func admits(_ object: ObjectID, charge: Int, over victim: ObjectID?, residents: Int) -> Bool {
        if younger.contains(object) { return true }
        let isKnown = older.contains(object)
        if younger.count == memory { (older, younger) = (younger, []) }
        younger.append(object)
        return isKnown
    }
}

struct SizeRule: AdmissionRule {
    let scale: Double
    let limit: Int
    var random = RandomStream(seed: 0)
    var refusesBySize: Bool { true }

    init(scale: Double, limit: Int) { (self.scale, self.limit) = (scale, limit) }

    mutating func use(_ object: ObjectID) {}

    mutating func admits(_ object: ObjectID, charge: Int, over victim: ObjectID?, residents: Int) -> Bool {
        charge < limit && random.fraction() < exp(-Double(charge) / scale)
    }
}
