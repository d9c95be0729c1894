import Foundation
import TrialModel

/// Verdicts of a sequential comparison, which continues until it is decided.
extension Judgement {
    /// The row of a figure: the verdict of the first look that has one, so that a decision is final.
    ///
    /// - Parameter error: the error of this figure over all looks.
    func sequentialRow(_ item: Case, error: Double) -> ComparisonRow {
        var row = row(item, error: error, needed: 0)
        guard !item.pair.isOfAnotherSeed, item.pair.exact == nil else { return row }
        let looks = SequentialLooks.rounds(upTo: item.differences.count)
        guard let last = looks.last else {
            if item.pair.baseline.isEmpty || item.pair.candidate.isEmpty {
                row.goesOn = false
            } else {
                row.reason = "\(item.differences.count) rounds; \(SequentialLooks.fewest) are the fewest"
            }
            return row
        }
        for rounds in looks {
            row.reason = ""
            judge(&row, item, rounds: rounds, error: error)
            if row.verdict != .inconclusive { return row }
        }
        sayWhatDecides(&row, item, rounds: last, error: error)
        return row
    }

    /// Judges a figure by its first `rounds` rounds.
    private func judge(_ row: inout ComparisonRow, _ item: Case, rounds: Int, error: Double) {
        let spent = error / parts(item) * SequentialLooks.share(ofError: rounds)
        if parts(item) > 1, item.wholeDifferences.count >= rounds,
            let whole = MeanShift(differences: Array(item.wholeDifferences.prefix(rounds))),
            whole.interval(error: spent).upperBound < item.lower
        {
            row.show(whole.estimate, whole.interval(error: spent), on: item.scale)
            row.confidence = 1 - spent
            row.verdict = .worse
            row.reason = "by whole rounds"
            return
        }
        guard let mean = MeanShift(differences: Array(item.differences.prefix(rounds))) else { return }
        let interval = mean.interval(error: spent)
        row.show(mean.estimate, interval, on: item.scale)
        // A figure per round may jump between two ticks of the clock, and five equal jumps can be chance.
        guard !item.wholeDifferences.isEmpty || 2 * pow(0.25, Double(rounds)) <= spent else {
            row.confidence = 1 - spent
            row.reason = "too few rounds for so many figures"
            return
        }
        judge(&row, item, interval, error: spent, needed: 0)
    }

    /// The number of intervals that a figure is judged by. An effect on fewer than half of the slices shows only in
    /// entire rounds, so throughput is judged by both.
    private func parts(_ item: Case) -> Double {
        item.pair.metric == .throughput && !item.wholeDifferences.isEmpty ? 2 : 1
    }

    /// Explains what would decide an undecided figure.
    private func sayWhatDecides(_ row: inout ComparisonRow, _ item: Case, rounds: Int, error: Double) {
        guard let mean = MeanShift(differences: Array(item.differences.prefix(rounds))) else { return }
        let gap = (mean.estimate.magnitude - item.scale.margin).magnitude
        let needed = mean.rounds(forReach: gap) { error / parts(item) * SequentialLooks.share(ofError: $0) }
        guard let needed else {
            row.goesOn = rounds < Self.roundsOfPatience
            row.reason =
                "it is too close to the smallest difference, or scatters too much, to be decided in reasonable time"
            return
        }
        let more = max(1, needed - item.differences.count)
        let seconds = settings.secondsPerRound.map { " (\(Int(min(1e6, $0 * Double(more)).rounded(.up))) s)" } ?? ""
        row.reason = "about \(more) more rounds\(seconds) would decide it"
    }

    /// The number of rounds after which it is clear whether a figure can be decided.
    private static var roundsOfPatience: Int { 40 }
}
