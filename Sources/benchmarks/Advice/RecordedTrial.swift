import EvictionPolicies
import Foundation
import Traces

/// Advice from a part of each recorded trace: the first half, judged on the second; all of it, which should not be
/// refused; and a hundredth, which should be where it differs from that of all.
enum RecordedTrial {
    private static let sizeCount = 10

    private struct Count {
        var all = 0
        var right = 0
        var refused = 0
        /// Advice that was given and is wrong, advice that would be wrong, and how much of that is refused.
        var wrong = 0
        var wouldBeWrong = 0
        var wouldBeWrongRefused = 0
        var loss = 0.0

        mutating func note(_ name: String, _ loss: Double, _ isRight: Bool, _ advice: TraceAdvice) {
            all += 1
            self.loss += loss
            let isRefused = advice.refusal != nil
            refused += isRefused ? 1 : 0
            right += isRight && !isRefused ? 1 : 0
            wrong += !isRight && !isRefused ? 1 : 0
            wouldBeWrong += isRight ? 0 : 1
            wouldBeWrongRefused += !isRight && isRefused ? 1 : 0
            let exercise = advice.exercise
            let size = "\(advice.size.low.units)...\(advice.size.high.units)"
            print(
                name, advice.size.capacity.units, size, advice.policy.name, AdviceTrials.text(loss),
                isRight ? "right" : "wrong", advice.refusal.map { "\($0.reason)" } ?? "given",
                AdviceTrials.text(advice.regretMax), AdviceTrials.text(exercise.warmUp), Int(exercise.judgedRequests),
                AdviceTrials.text(exercise.turnovers), AdviceTrials.text(advice.hitRatio.value),
                AdviceTrials.text(advice.character.drift.value))
        }

        func report(_ name: String) {
            print(
                "# \(name): \(all) cases, \(right) right, \(wrong) wrong, \(refused) refused;",
                "\(wouldBeWrong) would be wrong, \(wouldBeWrongRefused) of them are refused;",
                "mean loss \(AdviceTrials.text(loss / Double(max(1, all))))")
        }
    }

    private static var counts: [String] { ["half", "full", "full-size", "cut", "cut-size"] }

    static func run(_ paths: [String]) throws {
        var counts: [String: Count] = [:]
        var fixed: [String: Int] = [:]
        for path in paths {
            try judge(path, &counts, &fixed)
            for name in Self.counts { counts[name]?.report(name) }
        }
        print("# always one policy:", fixed.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" })
    }

    private static func judge(_ path: String, _ counts: inout [String: Count], _ fixed: inout [String: Int]) throws {
        let trace = try NumberedTrace(path: path, options: TraceReadingOptions(columns: .keyOnly))
        let ids = trace.ids
        let name = (path as NSString).lastPathComponent
        let entries = (0..<sizeCount).map { step in
            max(1, Int((0.002 * pow(100, Double(step) / Double(sizeCount - 1)) * Double(trace.keys.count)).rounded()))
        }
        let full = try TemporaryTrace(ids)
        let half = try TemporaryTrace(ids[..<(ids.count / 2)])
        let policies = AdviceTrials.candidates
        let all = try AdviceTrials.hits(full.path, policies, entries)
        let first = try AdviceTrials.hits(half.path, policies, entries)
        let share = ids.count / 100
        let cuts = try [0, ids.count / 2].map { try TemporaryTrace(ids[$0..<($0 + share)]) }
        let loss = { (hits: [Double], chosen: Int?, requests: Int) in
            ((hits.max() ?? 0) - (chosen.map { hits[$0] } ?? 0)) / Double(requests)
        }
        for (index, size) in entries.enumerated() {
            let second = policies.indices.map { all[$0][index] - first[$0][index] }
            for (policy, hits) in zip(policies, second)
            where (second.max() ?? 0) - hits <= AdviceTrials.toleratedLoss * Double(ids.count - ids.count / 2) {
                fixed[policy.name, default: 0] += 1
            }
            for (file, kind) in [(half, "half"), (full, "full")] + cuts.map({ ($0, "cut") }) {
                var request = AdviceRequest()
                request.budget = .entries(size)
                request.wantsCurve = false
                let advice = try TraceAdvice(path: file.path, request: request)
                let chosen = policies.firstIndex(of: advice.policy)
                let lost =
                    kind == "half"
                    ? loss(second, chosen, ids.count - ids.count / 2)
                    : loss(policies.indices.map { all[$0][index] }, chosen, ids.count)
                counts[kind, default: Count()].note("\(name) \(kind)", lost, lost <= AdviceTrials.toleratedLoss, advice)
            }
        }
        let whole = try TraceAdvice(path: full.path)
        counts["full-size", default: Count()].note("\(name) full-size", 0, true, whole)
        for cut in cuts {
            let advice = try TraceAdvice(path: cut.path)
            let isInside =
                advice.size.low.units <= whole.size.capacity.units
                && (advice.size.isOpenAbove || whole.size.capacity.units <= advice.size.high.units)
            counts["cut-size", default: Count()].note("\(name) cut-size", 0, isInside, advice)
        }
    }
}
