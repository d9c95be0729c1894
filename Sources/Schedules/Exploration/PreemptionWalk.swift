/// Goes through all orders of a script in which threads are interrupted at most a few times: a depth-first walk of the
/// choices, first without interruptions, then with one more (Musuvathi and Qadeer, PLDI 2007).
///
/// It knows the tree only by the choices of the orders that were run. Each order is gone through once.
struct PreemptionWalk {
    /// A point at which several threads could go on, and the way that was taken.
    struct Decision: Hashable {
        /// 0 goes on with the thread that was running, if it could go on.
        var chosen: UInt8
        var count: UInt8
        /// Whether every other way interrupts a thread.
        var canContinue: Bool

        var isPreemption: Bool { canContinue && chosen > 0 }
    }

    /// The most interruptions of an order.
    static let preemptionsMax = 2

    /// How many interruptions the orders have that are gone through now.
    private(set) var preemptions = 0
    /// What share of the orders with as many interruptions has been gone through, from 0 to 1.
    private(set) var share = 0.0
    /// The choices of the next order; `nil` when there is none.
    private(set) var choices: [UInt8]? = []

    /// Notes the order that was run with ``choices``, and goes on to the next.
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
        // Those with fewer have had their turn.
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

    /// Whether there is another way at a point, after so many interruptions.
    private func allows(_ decision: Decision, after taken: Int) -> Bool {
        decision.count > 1 && (!decision.canContinue || taken < preemptions)
    }
}
