/// The goal and the thoroughness of a search for the highest rate.
package struct RateSearchSettings: Codable, Hashable, Sendable {
    /// The objective that a rate must meet to count as sustained.
    package var objective: LatencyObjective
    /// The phase whose rate is searched; `nil` for the last measured phase.
    package var phase: String?
    /// How long each trial sends at its rate, in nanoseconds.
    package var stepNanoseconds: UInt64
    /// The largest gap between the highest sustained rate and the lowest unsustained one, as a share.
    package var precision: Double
    /// The maximum number of trials that decide about one rate.
    package var repetitions: Int
    /// The maximum number of operations in flight; `nil` for the phase's own number, but at least ``leastClients``.
    package var clients: Int?

    /// A phase written for a closed loop has only a few clients. Under open arrival they would limit the operations in
    /// flight, and so the rate: with an origin delay of 5 ms, 4 clients cannot load more than 800 values per second.
    package static let leastClients = 64

    package init(
        objective: LatencyObjective, phase: String? = nil, stepNanoseconds: UInt64 = 5_000_000_000,
        precision: Double = 0.05, repetitions: Int = 3, clients: Int? = nil
    ) {
        self.objective = objective
        self.phase = phase
        self.stepNanoseconds = stepNanoseconds
        self.precision = precision
        self.repetitions = repetitions
        self.clients = clients
    }
}
