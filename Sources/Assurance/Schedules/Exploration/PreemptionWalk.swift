/// Enumerates all orders of a script with at most a few preemptions: a depth-first walk of the choices, first without
/// preemptions, then with one more (Musuvathi and Qadeer, PLDI 2007).
///
/// It knows the tree only from the choices of the orders that were run. Each order is visited once.
struct PreemptionWalk {
    /// A point at which several threads could continue, and the choice that was made.
    struct Decision: Hashable {
        /// 0 continues the running thread, if it could continue.
        var chosen: UInt8
        var count: UInt8
        /// Whether the running thread could continue, so that every other choice is a preemption.
        var canContinue: Bool

        var isPreemption: Bool { canContinue && chosen > 0 }
    }

    /// The most preemptions of an order.
    static let preemptionsMax = 2

    /// The number of preemptions of the orders that are being enumerated.
    private(set) var preemptions = 0
    /// The share of the orders with this number of preemptions that was enumerated, from 0 to 1.
    private(set) var share = 0.0
    /// The choices of the next order; `nil` when there is none.
    private(set) var choices: [UInt8]? = []

    /// Records the order that was run with ``choices``, and advances to the next.
    ///
    /// - Returns: whether the order is one that has not been run before. O(decisions).
    mutating func advance(_ decisions: [Decision]) -> Bool {
        var taken = 0
        var takenBefore: [Int] = []
        var weight = 1.0
        for decision in decisions {
            takenBefore.append(taken)
            weight /= Double(allows(decision, after: taken) ? decision.count : 1)
            if decision.isPreemption { taken += 1 }
        }
        share += weight
        // Orders with fewer preemptions were visited before.
        let isNew = taken == preemptions
        for index in decisions.indices.reversed() {
            let decision = decisions[index]
            guard decision.chosen + 1 < decision.count, allows(decision, after: takenBefore[index]) else { continue }
            choices = decisions[..<index].map(\.chosen) + [decision.chosen + 1]
            return isNew
        }
        if preemptions < Self.preemptionsMax {
            preemptions += 1
            (choices, share) = ([], 0)
        } else {
            choices = nil
        }
        return isNew
    }

    /// Whether another choice is allowed at a point, after this many preemptions.
    private func allows(_ decision: Decision, after taken: Int) -> Bool {
        decision.count > 1 && (!decision.canContinue || taken < preemptions)
    }
}
