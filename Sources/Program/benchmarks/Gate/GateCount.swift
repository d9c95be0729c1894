import Foundation
import Reports
import TrialModel

/// The verdicts of one comparison.
struct GateCount {
    var name: String
    /// How many figures there were, and how many of each verdict.
    var figures: Int
    var worse: Int
    var better: Int
    var same: Int
    var seconds: Double
    /// The candidate's first figure relative to the baseline's, or their difference.
    var change: Double

    init(_ item: GateCase, _ rows: [ComparisonRow], seconds: Double) {
        name = item.name
        let judged =
            if case .worse(let metric, _) = item.expectation { rows.filter { $0.metric == metric } } else { rows }
        figures = judged.count
        worse = judged.count { $0.verdict == .worse }
        better = judged.count { $0.verdict == .better }
        same = judged.count { $0.verdict == .same }
        self.seconds = seconds
        change = judged.first.flatMap { $0.ratio ?? $0.difference } ?? .nan
    }

    /// Reads a line of the file; `nil` when it is not a count.
    init?(line: Substring) {
        let parts = line.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 7, let figures = Int(parts[1]), let worse = Int(parts[2]), let better = Int(parts[3]),
            let same = Int(parts[4]), let seconds = Double(parts[5]), let change = Double(parts[6]),
            [figures, worse, better, same].allSatisfy({ (0...1_000_000).contains($0) })
        else { return nil }
        name = String(parts[0])
        (self.figures, self.worse, self.better, self.same) = (figures, worse, better, same)
        (self.seconds, self.change) = (seconds, change)
    }

    var line: String {
        let (time, change) = (DecimalText.fixed(seconds, places: 1), DecimalText.fixed(change, places: 4))
        return "\(name),\(figures),\(worse),\(better),\(same),\(time),\(change.isEmpty ? "nan" : change)"
    }
}

/// The result of all comparisons of a case.
struct GateResult {
    let item: GateCase
    private let counts: [GateCount]

    init(_ item: GateCase, _ counts: [GateCount]) {
        self.item = item
        self.counts = counts.filter { $0.name == item.name }
    }

    func sum(_ part: KeyPath<GateCount, Int>) -> Int { counts.reduce(0) { $0 + $1[keyPath: part] } }

    var share: Double {
        let figures = sum(\.figures)
        guard figures > 0 else { return .nan }
        return switch item.expectation {
        case .nothing: Double(sum(\.worse) + sum(\.better)) / Double(figures)
        case .worse: Double(sum(\.worse)) / Double(figures)
        }
    }

    var seconds: Double { counts.map(\.seconds).median ?? .nan }

    /// A false verdict fails; a fault that is not decided in time only misses a goal.
    var holds: Bool {
        guard !counts.isEmpty else { return true }
        return switch item.expectation {
        // With few figures one false verdict is chance.
        case .nothing(let most): sum(\.worse) + sum(\.better) <= max(1, Int(most * Double(sum(\.figures))))
        case .worse: sum(\.same) + sum(\.better) == 0
        }
    }

    private var isMet: Bool {
        let isInTime = item.medianSeconds.map { seconds <= $0 } ?? true
        return switch item.expectation {
        case .nothing(let most): share <= most && seconds <= Double(item.secondsMax)
        case .worse(_, let least): share >= least && isInTime
        }
    }

    var goal: String {
        switch item.expectation {
        case .nothing(let most): "at most \(Quantity.percent(most)), in \(item.secondsMax) s"
        case .worse(_, let least):
            "at least \(Quantity.percent(least)), in \(item.secondsMax) s"
                + (item.medianSeconds.map { ", median \(Int($0)) s" } ?? "")
        }
    }

    var isMeasured: Bool { !counts.isEmpty }

    var verdict: String { !isMeasured ? "not measured" : !holds ? "FALSE" : isMet ? "met" : "missed" }
}
