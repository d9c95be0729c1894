import TrialModel

@testable import HistoryChecking

/// Tries all orders of a few operations on one key. Slow and simple, and written independently of the fast check.
struct OrderOracle {
    private enum Effect { case insert(UInt64), empty, hit(UInt64) }

    private struct Step {
        var start: UInt64
        var end: UInt64
        var effect: Effect
        var isOptional: Bool
    }

    private var steps: [Step] = []
    private var visited: Set<[UInt64]> = []
    private var hasImpossibleLoad = false

    /// Whether some order of a history's operations on one key, each within its time, explains every answer.
    static func explains(_ history: History) -> Bool {
        var oracle = OrderOracle(history)
        guard !oracle.hasImpossibleLoad else { return false }
        let all = (UInt64(1) << UInt64(oracle.steps.count)) - 1
        return oracle.search(remaining: all, current: 0)
    }

    private init(_ history: History) {
        var sent: [UInt64: UInt64] = [:]
        for request in history.requests { sent[request.version] = request.isAnswered ? request.end : request.start }
        var fetched: Set<UInt64> = []
        for operation in history.callers.joined() {
            let isSure = operation.outcome == .done
            switch (operation.kind, operation.outcome) {
            case (.write, _):
                add(operation.call, isSure ? operation.answer : .max, .insert(operation.version), isOptional: !isSure)
            case (.remove, .done), (.clear, .done), (.read, .miss):
                add(operation.call, operation.answer, .empty)
            case (.read, .hit), (.load, .hit):
                add(operation.call, operation.answer, .hit(operation.version))
            case (.load, .miss):
                add(operation.call, operation.answer, .empty)
                guard let end = sent[operation.version], end <= operation.answer else {
                    hasImpossibleLoad = true
                    continue
                }
                fetched.insert(operation.version)
                add(end, operation.answer, .insert(operation.version), isOptional: true)
            case (.load, .joined):
                if sent[operation.version] ?? .max > operation.answer { hasImpossibleLoad = true }
            default: break
            }
        }
        for (version, end) in sent where !fetched.contains(version) {
            add(end, .max, .insert(version), isOptional: true)
        }
    }

    private mutating func add(_ start: UInt64, _ end: UInt64, _ effect: Effect, isOptional: Bool = false) {
        steps.append(Step(start: start, end: end, effect: effect, isOptional: isOptional))
    }

    /// - Parameter current: the version that the cache holds; 0 for none.
    private mutating func search(remaining: UInt64, current: UInt64) -> Bool {
        let left = steps.indices.filter { remaining & (1 << UInt64($0)) != 0 }
        let sure = left.filter { !steps[$0].isOptional }
        if sure.isEmpty { return true }
        guard visited.insert([remaining, current]).inserted else { return false }
        let firstEnd = sure.map { steps[$0].end }.min() ?? .max
        for number in left where steps[number].start <= firstEnd {
            let step = steps[number]
            var next = current
            switch step.effect {
            case .insert(let version): next = version
            case .empty: next = 0
            case .hit(let version): if version != current { continue }
            }
            // An optional step that was due before this one, and was not taken, never happened.
            let missed = left.filter { steps[$0].isOptional && steps[$0].end < step.start }
            let gone = ([number] + missed).reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
            if search(remaining: remaining & ~gone, current: next) { return true }
        }
        return false
    }
}
