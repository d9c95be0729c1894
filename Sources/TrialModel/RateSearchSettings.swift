/// What a search for the highest rate is to find, and how thoroughly.
package struct RateSearchSettings: Codable, Hashable, Sendable {
    /// What a rate must meet to count as sustained.
    package var objective: LatencyObjective
    /// The phase whose rate is searched; `nil` for the last one that is measured.
    package var phase: String?
    /// How long each trial sends at its rate, in nanoseconds.
    package var stepNanoseconds: UInt64
    /// How far apart the highest sustained rate and the next one may be, as a share.
    package var precision: Double
    /// How many trials decide about a rate, at most.
    package var repetitions: Int
    /// The most operations under way at once; `nil` for the phase's own number, and at least ``leastClients``.
    package var clients: Int?

    /// A phase that was written for a closed loop has a few clients. Under open arrival they would limit how much can be
    /// under way, and so the rate: with an origin of 5 ms, 4 clients can't load more than 800 values a second.
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
