import WorkloadGeneration

@testable import TrialModel

/// A scenario of one phase, or of enough equal phases for `phaseIndex`.
func makeScenario(
    _ popularity: Popularity, keyCount: Int = 1_000, shift: PopularityShift? = nil, mix: [OperationKind: Double],
    clients: Int = 1, length: PhaseLength = .operations(1_000_000), selection: KeySelection = KeySelection(),
    cancel: Cancellation? = nil, thinkTime: Distribution = .fixed(0), seed: UInt64 = 42, phaseIndex: Int = 0
) -> Scenario {
    let phase = Phase(
        name: "steady", length: length, clients: clients, thinkTime: thinkTime, mix: OperationMix(mix), cancel: cancel,
        keys: selection)
    return Scenario(
        name: "example", title: "", seed: seed, repetitions: 1,
        keys: KeySpace(kind: .integer, count: keyCount, popularity: popularity, shift: shift),
        values: ValueSpecification(kind: .bytes, size: .fixed(8)), capacity: Capacity(entries: 4),
        origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
        phases: Array(repeating: phase, count: phaseIndex + 1))
}

extension OperationStream {
    /// The next operations, fewer when the stream ends.
    mutating func prefix(_ count: Int) -> [Operation] {
        var operations: [Operation] = []
        while operations.count < count, let operation = next() { operations.append(operation) }
        return operations
    }
}

/// The first operations of a client of a scenario's last phase.
func operations(of scenario: Scenario, client: Int = 0, count: Int) -> [Operation] {
    var stream = OperationStream(scenario: scenario, phaseIndex: scenario.phases.count - 1, client: client)
    return stream.prefix(count)
}

/// The first operations of each client of a phase, while the clients take turns and count together.
func operationsInTurns(of scenario: Scenario, count: Int) -> [[Operation]] {
    let progress = KeyProgress(scenario)
    var streams = (0..<scenario.phases[0].clients).map {
        OperationStream(scenario: scenario, phaseIndex: 0, client: $0, progress: progress)
    }
    var all = streams.map { _ in [Operation]() }
    for _ in 0..<count { for client in streams.indices { all[client] += streams[client].prefix(1) } }
    return all
}

/// Pearson's statistic of observed counts against expected chances.
func chiSquare(_ observed: [Int], chances: [Double]) -> Double {
    let total = Double(observed.reduce(0, +))
    return zip(observed, chances).reduce(0) { sum, pair in
        let expected = pair.1 * total
        let difference = Double(pair.0) - expected
        return sum + difference * difference / expected
    }
}
