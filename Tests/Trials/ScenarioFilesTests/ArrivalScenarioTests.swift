import Testing
import TrialModel

@testable import ScenarioFiles

@Suite(.timeLimit(.minutes(1)))
struct ArrivalScenarioTests {
    private func phase(_ lines: String) throws -> Phase {
        let text = """
            title: Open
            keys: { kind: integer, count: 100 }
            values: { kind: bytes, size: 100 B }
            capacity: { entries: 10 }
            origin: { kind: memory }
            phases:
              - name: open
                duration: 10 s
                mix: { load: 1, write: 1 }
            \(lines)

            """
        return try #require(ScenarioReader(knownStrategies: []).read(text: text, file: "open.yaml").phases.first)
    }

    private typealias Piece = ArrivalRate.Piece
    private static let second: UInt64 = 1_000_000_000

    @Test func `a phase has a closed loop by default`() throws {
        #expect(try phase("").arrival == .closed)
        #expect(try phase("    arrival: closed").arrival == .closed)
    }

    @Test func `every arrival course is read`() throws {
        #expect(try phase("    arrival: { constant: 250 }").arrival == .open(.constant(250), .even))
        #expect(try phase("    arrival: { poisson: 0.5 }").arrival == .open(.constant(0.5), .poisson))
        let ramp = ArrivalRate(pieces: [Piece(nanoseconds: 5 * Self.second, first: 1, last: 9)], repeats: false)
        #expect(try phase("    arrival: { ramp: { from: 1, to: 9, over: 5 s } }").arrival == .open(ramp, .even))
        let steps = ArrivalRate(
            pieces: [
                Piece(nanoseconds: Self.second, first: 1, last: 1),
                Piece(nanoseconds: 2 * Self.second, first: 9, last: 9),
            ], repeats: false)
        #expect(
            try phase("    arrival: { steps: [ { rate: 1, for: 1 s }, { rate: 9, for: 2 s } ], spacing: poisson }")
                .arrival
                == .open(steps, .poisson))
        let spikes = ArrivalRate(
            pieces: [
                Piece(nanoseconds: Self.second * 9 / 10, first: 1, last: 1),
                Piece(nanoseconds: Self.second / 10, first: 90, last: 90),
            ], repeats: true)
        #expect(
            try phase("    arrival: { spikes: { rate: 1, peak: 90, every: 1 s, width: 100 ms } }").arrival
                == .open(spikes, .even))
    }

    @Test func `every expectation is read`() throws {
        let phase = try phase(
            """
                arrival: { constant: 10 }
                expect:
                  hit-ratio: { min: 60% }
                  contended-misses: 3
                  duplicate-loads: 0
                  dropped-operations: 5
                  latency: [ p99 <= 5 ms, p50 of write <= 20 us ]
            """)
        #expect(
            phase.expectations == [
                .hitRatio(atLeast: 0.6, atMost: 1), .contendedMisses(atLeast: 3), .duplicateLoads(atMost: 0),
                .droppedOperations(atMost: 5), .latency(LatencyObjective(figure: .p99, limit: 5_000_000)),
                .latency(LatencyObjective(figure: .p50, operation: .write, limit: 20_000)),
            ])
    }

    @Test func `spaces in an objective are optional`() throws {
        #expect(
            try LatencyObjective(text: "  p99.9   of load<=1 s")
                == LatencyObjective(figure: .p99_9, operation: .load, limit: 1_000_000_000))
    }

    @Test(arguments: [
        "", "<=", "p99 <=", "p99 < 5 ms", "p99 of <= 5 ms", "p99 of reed <= 5 ms", "p99 <= 5 ms <= 6 ms", "p98 <= 5 ms",
        "p99 <= -5 ms", "p99 <= 99999999999999999999 h",
    ])
    func `an invalid objective is refused`(text: String) {
        #expect(throws: ObjectiveError.self) { try LatencyObjective(text: text) }
    }
}
