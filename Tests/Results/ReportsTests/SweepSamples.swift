import TrialModel

@testable import Reports

/// Results of sweeps that tests of several files use.
enum SweepSamples {
    /// The point of a sweep over clients, or over the given dimensions.
    static func point(_ swept: [SweepDimension: Double]) -> ScenarioPoint { ScenarioPoint(named: "scaling", swept) }

    /// A strategy at one point, a repetition for each throughput.
    static func trials(
        _ strategy: String, _ swept: [SweepDimension: Double], _ throughput: [Double] = [1_000],
        p99: UInt64 = 20_000, hits: UInt64 = 900, origin: UInt64? = 100
    ) -> [PhaseResult] {
        throughput.enumerated().map { index, throughput in
            Samples.phase(
                Samples.key(point(swept), strategy, index + 1), hits: hits, origin: origin, p99: p99,
                elapsed: UInt64(1e12 / throughput))
        }
    }

    /// A strategy over clients: the repetitions of each number.
    static func overClients(_ strategy: String, _ throughput: [Double: [Double]]) -> [PhaseResult] {
        throughput.sorted { $0.key < $1.key }.flatMap { trials(strategy, [.clients: $0.key], $0.value) }
    }

    /// A strategy over capacities, with hits of 1,000 lookups.
    static func overCapacity(_ strategy: String, _ hits: [Double: UInt64]) -> [PhaseResult] {
        hits.sorted { $0.key < $1.key }.flatMap {
            trials(strategy, [.capacity: $0.key], hits: $0.value, origin: 1_000 - $0.value)
        }
    }
}
