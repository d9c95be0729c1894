import Testing
import TrialModel

/// The instruction counts of a phase, in its rows.
@Suite(.timeLimit(.minutes(1)))
struct InstructionTallyTests {
    private static let key = RowKey(
        trial: TrialIdentity(scenario: "operations", strategy: "lru", repetition: 1), phase: "main")

    /// A phase of 4 reads and 2 writes.
    private func counted(_ tally: InstructionTally) -> PhaseResult {
        var result = PhaseResult(
            trial: TrialRow(key: Self.key, driver: .threads, status: .completed, operations: 6),
            latency: [.only(.read), .only(.write), .all].map {
                LatencyRow(
                    key: Self.key, labels: LatencyLabels(operation: $0), count: 1, throughputPerSecond: nil,
                    latency: nil)
            })
        result.count(tally)
        return result
    }

    private func instructions(_ result: PhaseResult) -> [Double?] { result.latency.map(\.counts?.instructions) }

    private static var tally: InstructionTally {
        var tally = InstructionTally(method: .callgrind)
        tally.operations = [.read: .init(calls: 4, instructions: 480), .write: .init(calls: 2, instructions: 500)]
        tally.bare = [.read: .init(calls: 4, instructions: 80), .write: .init(calls: 2, instructions: 40)]
        return tally
    }

    @Test func `each kind has its mean without the harness's share, and all of them the sum`() {
        let result = counted(Self.tally)
        #expect(instructions(result) == [100, 230, 860.0 / 6])
        #expect(result.latency.allSatisfy { $0.counts?.method == .callgrind && $0.counts?.firstLevelMisses == nil })
        #expect(result.trial.status == .completed)
    }

    @Test func `a share that is larger than the operations leaves nothing`() {
        var tally = Self.tally
        tally.bare[.read] = .init(calls: 4, instructions: 481)
        #expect(instructions(counted(tally)).first == 0)
    }

    @Test func `a whole process is counted for all operations alone`() {
        var tally = InstructionTally(method: .callgrindProcess)
        tally.process = .init(instructions: 6_000)
        let result = counted(tally)
        #expect(instructions(result) == [nil, nil, 1_000])
        #expect(result.trial.status == .completed)
    }

    @Test func `a phase is invalid when operations were not counted`() {
        var tally = Self.tally
        tally.operations[.write] = nil
        let trial = counted(tally).trial
        #expect(trial.status == .invalid)
        #expect(trial.reason == "callgrind counted 4 of 6 operations")
    }
}
