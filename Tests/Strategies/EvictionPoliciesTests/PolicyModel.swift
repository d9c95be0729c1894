@testable import EvictionPolicies

/// A model's state of an object.
struct ModelItem: Equatable {
    var object: ObjectID
    var charge: Int
    var uses = 0
    /// A number that grows with every use.
    var time = 0
}

/// A policy in its simplest form: arrays, searched from the start.
protocol PolicyModel {
    var limit: Int { get }
    /// All resident objects, in any order.
    var residents: [ModelItem] { get }
    /// The objects that are kept as history only.
    var ghosts: [ObjectID] { get }
    /// The evicted objects, in order.
    var evicted: [ObjectID] { get set }

    mutating func use(_ object: ObjectID)
    mutating func admit(_ object: ObjectID, charge: Int)
    mutating func reweigh(_ object: ObjectID, charge: Int)
    mutating func evictNext()
    mutating func discard(_ object: ObjectID)
}

extension PolicyModel {
    var used: Int { residents.map(\.charge).reduce(0, +) }
    var ghosts: [ObjectID] { [] }

    func contains(_ object: ObjectID) -> Bool { residents.contains { $0.object == object } }

    mutating func lookup(_ object: ObjectID) -> Bool {
        guard contains(object) else { return false }
        use(object)
        return true
    }

    mutating func insert(_ object: ObjectID, charge: Int) -> Bool {
        guard charge <= limit else {
            if contains(object) { evicted.append(object) }
            discard(object)
            return false
        }
        if contains(object) {
            use(object)
            reweigh(object, charge: charge)
            while used > limit { evictNext() }
        } else {
            admit(object, charge: charge)
        }
        return contains(object)
    }
}

extension [ModelItem] {
    var charge: Int { map(\.charge).reduce(0, +) }

    func index(of object: ObjectID) -> Int? { firstIndex { $0.object == object } }

    /// Removes an object, if it is there.
    mutating func take(_ object: ObjectID) -> ModelItem? {
        index(of: object).map { remove(at: $0) }
    }

    mutating func set(_ object: ObjectID, charge: Int) {
        if let index = index(of: object) { self[index].charge = charge }
    }
}

/// Collects a policy's evictions and forgotten objects.
struct RecordingSink: EvictionSink {
    var evictedObjects: [ObjectID] = []
    var forgottenObjects: [ObjectID] = []

    mutating func evicted(_ object: ObjectID) { evictedObjects.append(object) }
    mutating func forgotten(_ object: ObjectID) { forgottenObjects.append(object) }
}
