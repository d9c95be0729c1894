package import TrialModel

/// The progress text for one trial of a search for the highest rate.
package enum RateSearchText {
    /// A line such as `lru, step 3 #2, 12.3k/s: p99 4.21 ms, sustained`.
    package static func line(_ row: RateSearchRow, objective: LatencyObjective) -> String {
        let place = "  \(row.key.trial.strategy), step \(row.step) #\(row.key.trial.repetition)"
        let seen = row.objectiveNanoseconds.map { "\(objective.name) \(Quantity.duration(nanoseconds: $0))" }
        guard let rate = row.ratePerSecond else {
            let achieved = row.achievedPerSecond.map { "\(Quantity.rate($0))/s" } ?? row.status.rawValue
            return "\(place), closed loop: \(([achieved] + [seen].compactMap { $0 }).joined(separator: ", "))"
        }
        let judgement = row.isSustained == true ? "sustained" : "not sustained"
        let reason = row.reason.isEmpty ? [] : [row.reason]
        return "\(place), \(Quantity.rate(rate))/s: "
            + ([seen].compactMap { $0 } + [judgement] + reason).joined(separator: ", ")
    }
}
