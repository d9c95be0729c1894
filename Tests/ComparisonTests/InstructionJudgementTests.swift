import Testing
import TrialModel

@testable import Comparison

/// Counted instructions, compared.
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
            exactPhases: ["steady": ["main"]])
    }

    @Test func `one run a side is enough to see two in a hundred`() {
        let judged = rows(compared([counts(113)], [counts(115.26)]).pairs)
        #expect(judged.map(\.verdict) == [.worse])
        #expect(judged.first?.ratio.map { abs($0 - 1.02) < 1e-9 } == true)
        #expect(judged.first?.confidence == 1)
    }

    @Test func `fewer instructions are better`() {
        #expect(rows(compared([counts(113)], [counts(112)]).pairs).map(\.verdict) == [.better])
    }

    @Test func `a thousandth is the same`() {
        #expect(rows(compared([counts(113)], [counts(113.11)]).pairs).map(\.verdict) == [.same])
    }

    @Test func `what was counted of a whole process is judged by its scatter`() {
        let whole = { self.counts($0, .callgrindProcess) }
        let pairs = compared([whole(1_000)], [whole(1_100)]).pairs
        #expect(rows(pairs).map(\.verdict) == [.inconclusive])
    }

    @Test func `figures of two methods are not compared`() {
        let compared = compared([counts(113)], [counts(1_000, .callgrindProcess)])
        #expect(compared.pairs.isEmpty)
        #expect(compared.notes.contains { $0.contains("counted by two methods") }, "\(compared.notes)")
    }
}
