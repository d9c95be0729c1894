@testable import EvictionPolicies

/// S3-FIFO with a window, for S4-FIFO and Clock2Q+, and without one for the S3-FIFO that fills its main queue first. An
/// item's time is the number of misses on its ghost.
struct WindowedFIFOModel: PolicyModel {
    let limit: Int
    var usesToMove = 2
    var roundsMax = 3
    var retriesMax = 0
    /// The weight that must have entered after an object, so that its uses count.
    var window: (Double) -> Double = { _ in 0 }
    var small: [ModelItem] = []
    var main: [ModelItem] = []
    var ghost: [ModelItem] = []
    /// The objects of the small queue that have left the window.
    var counting: Set<ObjectID> = []
    var isFilling = true
    var evicted: [ObjectID] = []

    var residents: [ModelItem] { small + main }
    var ghosts: [ObjectID] { ghost.map(\.object) }
    private var smallLimit: Int { max(Int(Double(limit) * 0.1), 1) }

    mutating func use(_ object: ObjectID) {
        if let index = small.index(of: object), counting.contains(object) { small[index].uses += 1 }
        if let index = main.index(of: object) { main[index].uses += 1 }
    }

    mutating func admit(_ object: ObjectID, charge: Int) {
        var item = ModelItem(object: object, charge: charge)
        if let old = ghost.take(object) { item.time = old.time + 1 }
        while used + charge > limit { evictNext() }
        if item.time > retriesMax || (isFilling && small.charge >= smallLimit) {
            item.time = 0
            main.append(item)
        } else {
            small.append(item)
            updateWindow()
        }
    }

    private mutating func updateWindow() {
        while true {
            let inside = small.filter { !counting.contains($0.object) }
            guard let oldest = inside.first else { return }
            guard Double(inside.dropFirst().map(\.charge).reduce(0, +)) >= window(Double(smallLimit)) else { return }
            counting.insert(oldest.object)
        }
    }

    mutating func reweigh(_ object: ObjectID, charge: Int) {
        small.set(object, charge: charge)
        main.set(object, charge: charge)
    }

    mutating func evictNext() {
        isFilling = false
        if main.charge > limit - smallLimit || small.isEmpty { evictFromMain() } else { evictFromSmall() }
    }

    private mutating func evictFromSmall() {
        while !small.isEmpty {
            var item = small.removeFirst()
            counting.remove(item.object)
            let isMoved = item.uses >= usesToMove
            item.uses = 0
            if isMoved {
                main.append(item)
                continue
            }
            evicted.append(item.object)
            let ghostLimit = Int(Double(limit) * 0.9)
            if item.charge <= ghostLimit {
                while ghost.charge + item.charge > ghostLimit { ghost.removeFirst() }
                ghost.append(item)
            }
            return
        }
    }

    private mutating func evictFromMain() {
        while main[0].uses > 0 {
            var item = main.removeFirst()
            item.uses = min(item.uses, roundsMax) - 1
            main.append(item)
        }
        evicted.append(main.removeFirst().object)
    }

    mutating func discard(_ object: ObjectID) {
        counting.remove(object)
        for path in [\Self.small, \Self.main, \Self.ghost] { _ = self[keyPath: path].take(object) }
    }
}

extension WindowedFIFOModel {
    static func clock2QPlus(limit: Int) -> Self {
        Self(limit: limit, usesToMove: 1, roundsMax: 1, window: { ($0 * 0.5).rounded(.up) })
    }

    /// With the window of three quarters of the small queue, and a second probation.
    static func s4FIFO(limit: Int) -> Self {
        Self(limit: limit, usesToMove: 1, retriesMax: 1, window: { ($0 * 0.75).rounded(.down) })
    }
}

extension PolicySettings {
    /// Chosen numbers.
    init(choosing values: (PolicyParameter, Double)...) {
        self.init()
        for (parameter, value) in values { self[parameter] = value }
    }
}
