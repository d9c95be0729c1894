/// A row of `rate-search.csv`: one trial of a search for the highest rate.
package struct RateSearchRow: Codable, Hashable, Sendable {
    /// The search's scenario and strategy, the trial's repetition, and the searched phase.
    package var key: RowKey
    /// From 1; 0 is the closed loop that says where to start.
    package var step: UInt64
    /// The rate that was tried; `nil` in the closed loop.
    package var ratePerSecond: Double?
    /// The figure that the objective limits; `nil` when nothing was measured.
    package var objectiveNanoseconds: UInt64?
    package var achievedPerSecond: Double?
    package var droppedOperations: UInt64?
    package var status: TrialStatus
    /// Whether the trial met the objective; `nil` in the closed loop.
    package var isSustained: Bool?
    /// Why it did not; or empty.
    package var reason: String

    package init(
        key: RowKey, step: UInt64, ratePerSecond: Double? = nil, objectiveNanoseconds: UInt64? = nil,
        achievedPerSecond: Double? = nil, droppedOperations: UInt64? = nil, status: TrialStatus,
        isSustained: Bool? = nil, reason: String = ""
    ) {
        self.key = key
        self.step = step
        self.ratePerSecond = ratePerSecond
        self.objectiveNanoseconds = objectiveNanoseconds
        self.achievedPerSecond = achievedPerSecond
        self.droppedOperations = droppedOperations
        self.status = status
        self.isSustained = isSustained
        self.reason = reason
    }
}
