import Testing

@testable import Schedules

/// The orders that a walk visits.
@Suite(.timeLimit(.minutes(1)))
struct PreemptionWalkTests {
    /// Threads with these numbers of steps; each may be preempted before every step but its first.
    private static func run(_ steps: [Int], _ choices: [UInt8]) -> (
        order: [Int], decisions: [PreemptionWalk.Decision]
    ) {
        var left = steps
        var order: [Int] = []
        var decisions: [PreemptionWalk.Decision] = []
        var running: Int?
        while left.contains(where: { $0 > 0 }) {
            let ready = left.indices.filter { left[$0] > 0 }
            let canContinue = running.map { left[$0] > 0 } ?? false
            let options = canContinue ? [running ?? 0] + ready.filter { $0 != running } : ready
            var place = 0
            if options.count > 1 {
                if decisions.count < choices.count { place = Int(choices[decisions.count]) }
                decisions.append(
                    PreemptionWalk.Decision(
                        chosen: UInt8(place), count: UInt8(options.count), canContinue: canContinue))
            }
            running = options[place]
            left[options[place]] -= 1
            order.append(options[place])
        }
        return (order, decisions)
    }

    private static func walked(_ steps: [Int]) -> (orders: [[Int]], preemptions: [Int], share: Double) {
        var walk = PreemptionWalk()
        var orders: [[Int]] = []
        var preemptions: [Int] = []
        while let choices = walk.choices {
            let run = run(steps, choices)
            guard walk.advance(run.decisions) else { continue }
            orders.append(run.order)
            preemptions.append(run.decisions.count { $0.isPreemption })
        }
        return (orders, preemptions, walk.share)
    }

    /// All orders of the steps, and how often each preempts a thread.
    private static func all(_ left: [Int], _ order: [Int] = []) -> [[Int]] {
        guard left.contains(where: { $0 > 0 }) else { return [order] }
        return left.indices.filter { left[$0] > 0 }.flatMap { thread in
            var rest = left
            rest[thread] -= 1
            return all(rest, order + [thread])
        }
    }

    private static func interruptions(_ order: [Int], _ steps: [Int]) -> Int {
        var left = steps
        var count = 0
        for (index, thread) in order.enumerated() {
            if index > 0, order[index - 1] != thread, left[order[index - 1]] > 0 { count += 1 }
            left[thread] -= 1
        }
        return count
    }

    @Test(arguments: [[1, 1], [2, 2], [3, 2], [4, 4], [2, 2, 2], [3, 2, 1]])
    func `every order with at most two preemptions is visited once, those with fewer first`(steps: [Int]) {
        let expected = Self.all(steps).filter { Self.interruptions($0, steps) <= PreemptionWalk.preemptionsMax }
        let walked = Self.walked(steps)
        #expect(walked.orders.count == expected.count)
        #expect(Set(walked.orders) == Set(expected))
        #expect(walked.preemptions == walked.preemptions.sorted())
        #expect(abs(walked.share - 1) < 1e-9)
    }
}
