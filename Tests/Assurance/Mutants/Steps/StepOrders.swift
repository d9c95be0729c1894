import TrialModel

/// All orders of the steps of a few actors, except those that differ only in the order of independent steps (steps
/// that don't touch the same place).
///
/// Depth first, each order from its beginning, with sleep sets (P. Godefroid: Partial-Order Methods for the
/// Verification of Concurrent Systems, 1996): an actor whose step was tried first sleeps until another actor touches
/// the same place.
final class StepOrders {
    private struct Choice {
        var enabled: [Int: Step]
        var sleeping: Set<Int>
        var tried: Set<Int> = []
        var current: Int
    }

    private var choices: [Choice] = []
    private var depth = 0
    /// Whether the current order continues as one that was tried before.
    private(set) var isRepeated = false
    private var random: RandomSource
    private(set) var isComplete = false

    init(seed: UInt64) { random = RandomSource(seed: seed) }

    func begin() {
        depth = 0
        isRepeated = false
    }

    /// The actor that takes the next step.
    func choose(_ pending: [Int: Step]) -> Int {
        let actors = pending.keys.sorted()
        if isRepeated { return actors[0] }
        defer { depth += 1 }
        if depth < choices.count { return choices[depth].current }
        var sleeping: Set<Int> = []
        if let last = choices.last, let taken = last.enabled[last.current] {
            sleeping = last.sleeping.union(last.tried).subtracting([last.current]).filter { actor in
                last.enabled[actor].map { $0.isIndependent(of: taken) } ?? false
            }
        }
        let awake = actors.filter { !sleeping.contains($0) }
        guard !awake.isEmpty else {
            isRepeated = true
            return actors[0]
        }
        let chosen = awake[Int(random.next(below: UInt64(awake.count)))]
        choices.append(Choice(enabled: pending, sleeping: sleeping, current: chosen))
        return chosen
    }

    /// Moves to the next order; false when there is none.
    func advance() -> Bool {
        while var last = choices.popLast() {
            last.tried.insert(last.current)
            let left = last.enabled.keys.filter { !last.sleeping.contains($0) && !last.tried.contains($0) }.sorted()
            if let next = left.first {
                last.current = next
                choices.append(last)
                return true
            }
        }
        isComplete = true
        return false
    }
}
