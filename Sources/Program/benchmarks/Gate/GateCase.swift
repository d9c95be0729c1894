import Foundation

/// How many rounds of spinning take a certain time.
struct SpinRounds: Sendable {
    /// The rounds that make throughput 10 % lower; `twentieth` makes it 5 % lower.
    var tenth: Int
    var twentieth: Int
    /// The time that 99 of 100 operations don't exceed.
    var p99: Int
}

/// A comparison whose verdict is known beforehand.
struct GateCase: MeasuredCase, Sendable {
    /// The expected verdicts.
    enum Expectation: Sendable {
        /// At most this share of the figures is called better or worse.
        case nothing(shareMax: Double)
        /// The metric is worse in at least this share of the comparisons, and the same in none.
        case worse(metric: String, share: Double)
    }

    var name: String
    var what: String
    var strategies: String
    var scenario: String
    /// The fault that the baseline has as well.
    var baseline = PlantedFault()
    /// The fault of the candidate.
    var fault: @Sendable (_ rounds: SpinRounds) -> PlantedFault
    var expectation: Expectation
    var metrics = "throughput,p50"
    /// Whether instructions are counted, one run a side, instead of turns.
    var isCounted = false
    /// How long a comparison may take, in seconds.
    var secondsMax: Int
    /// The longest allowed median time of a comparison, in seconds; `nil` for no limit.
    var medianSeconds: Double?

    /// This many entries fewer cost the LRU cache of the scenario one hit in a hundred lookups.
    private static let pointOfHits = 205

    /// In the order in which they take turns; the one that takes longest comes after the known faults.
    static let all: [GateCase] = [
        GateCase(
            name: "tenth", what: "throughput 10 % down: worse", strategies: "planted-lru", scenario: onePhase,
            fault: { PlantedFault(rounds: 400 + $0.tenth) },
            expectation: .worse(metric: "throughput", share: 0.98), secondsMax: 60, medianSeconds: 20),
        GateCase(
            name: "twentieth", what: "throughput 5 % down: worse", strategies: "planted-lru", scenario: onePhase,
            fault: { PlantedFault(rounds: 400 + $0.twentieth) },
            expectation: .worse(metric: "throughput", share: 0.95), secondsMax: 60),
        GateCase(
            name: "tail", what: "p99 doubled by one slow operation in fifty: worse", strategies: "planted-lru",
            scenario: onePhase, fault: { PlantedFault(slowEvery: 50, slowRounds: 400 + 2 * $0.p99) },
            expectation: .worse(metric: "p99", share: 0.95), metrics: "p99", secondsMax: 60),
        GateCase(
            name: "hits", what: "hit ratio 1 pp down: worse", strategies: "planted-lru", scenario: onePhase,
            fault: { _ in PlantedFault(entriesLess: pointOfHits) },
            expectation: .worse(metric: "hit_ratio", share: 1), metrics: "hit_ratio", secondsMax: 60),
        GateCase(
            name: "itself", what: "a build against itself, six strategies: values called better or worse",
            strategies: "lru,s3-fifo,sieve,lock-dual,sharded-lru,actor", scenario: onePhase,
            fault: { _ in PlantedFault() },
            expectation: .nothing(shareMax: 0.01), secondsMax: 120),
        GateCase(
            name: "counted", what: "instructions of a hit 1.4 % up, one counted run a side: worse",
            strategies: "planted-lru",
            scenario: hits, baseline: PlantedFault(rounds: 30), fault: { _ in PlantedFault(rounds: 31) },
            expectation: .worse(metric: "instructions_per_operation", share: 1), metrics: "instructions_per_operation",
            isCounted: true, secondsMax: 60),
        GateCase(
            name: "counted-itself",
            what: "a build against itself, counted, six strategies: values called better or worse",
            strategies: "lru,s3-fifo,sieve,lock-dual,sharded-lru,w-tinylfu",
            scenario: hits + """
                  - { name: writes, operations: 5000, clients: 1, mix: { write: 1 } }
                  - { name: loads, operations: 5000, clients: 1, mix: { load: 1 } }

                """,
            fault: { _ in PlantedFault() },
            expectation: .nothing(shareMax: 0), metrics: "instructions_per_operation", isCounted: true, secondsMax: 120),
    ]

    private static let hits = head + "  - { name: hits, operations: 20000, clients: 1, mix: { read: 1 } }\n"

    private static let head = """
        title: A known difference
        seed: 1
        keys: { kind: integer, count: 10000, popularity: { zipf: 1.1 } }
        values: { kind: bytes, size: 256 B }
        capacity: { entries: 2000 }
        origin: { kind: memory }
        phases:
          - { name: warm-up, warm-up: true, operations: 20000, clients: 1, mix: { load: 1 } }

        """

    private static let onePhase = head + "  - { name: one, operations: 100000, clients: 1, mix: { load: 1 } }\n"
}
