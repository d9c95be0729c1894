import Testing

@testable import Comparison
@testable import TrialModel

/// Comparisons of counted instructions.
@Suite(.timeLimit(.minutes(1))) struct InstructionJudgementTests {
    private func rows(_ pairs: [SamplePair]) -> [ComparisonRow] { Judgement(ComparisonSettings()).rows(pairs) }

    private func result(_ repetition: Int, _ counts: InstructionCounts) -> PhaseResult {
        var result = Made.phase("lru", repetition)
        result.latency[0].latency = nil
        result.latency[0].throughputPerSecond = nil
        result.latency[0].counts = counts
        return result
    }

    private func counts(_ instructions: Double, _ method: InstructionCounts.Method = .callgrind) -> InstructionCounts {
        InstructionCounts(method: method, instructions: instructions)
    }

    private func compared(_ before: [InstructionCounts], _ after: [InstructionCounts]) -> ComparedRuns {
        func results(_ counts: [InstructionCounts]) -> [PhaseResult] {
            counts.enumerated().map { result($0.offset + 1, $0.element) }
        }
        return ComparedRuns(
            baseline: results(before), candidate: results(after), metrics: [.instructions],
            exactPhases: [RowKey(scenario: "steady", strategy: "lru", phase: "main")])
    }

    @Test(arguments: [(1.02, ComparisonVerdict.worse), (0.98, .better), (1.001, .same)])
    func `one run per side is enough, without a confidence`(ratio: Double, verdict: ComparisonVerdict) {
        let judged = rows(compared([counts(113)], [counts(113 * ratio)]).pairs)
        #expect(judged.map(\.verdict) == [verdict])
        #expect(judged.first?.ratio.map { abs($0 - ratio) < 1e-9 } == true)
        #expect(judged.first?.confidence == nil)
    }

    @Test(arguments: [InstructionCounts.Method.callgrindProcess, .hardware, .hardwareProcess])
    func `counts of a whole process, or by hardware, are judged by their scatter`(
        method: InstructionCounts.Method
    ) {
        let scattered = { self.counts($0, method) }
        let pairs = compared([scattered(1_000)], [scattered(1_100)]).pairs
        #expect(rows(pairs).map(\.verdict) == [.inconclusive])
        let many = compared(
            (0..<6).map { scattered(1_000 + Double($0)) }, (0..<6).map { scattered(1_100 + Double($0)) }
        ).pairs
        #expect(rows(many).map(\.verdict) == [.worse])
    }

    @Test(arguments: [InstructionCounts.Method.callgrindProcess, .hardware])
    func `figures of two methods are not compared`(method: InstructionCounts.Method) {
        let compared = compared([counts(113)], [counts(1_000, method)])
        #expect(compared.pairs.isEmpty)
        #expect(compared.notes.contains { $0.contains("counted by two methods") }, "\(compared.notes)")
    }
}
