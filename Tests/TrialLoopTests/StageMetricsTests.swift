import Foundation
import Measurement
import Origins
import Synchronization
import Testing
import TimedStrategies
import TrialModel

@testable import TrialLoop

/// The stages of a load.
@Suite(.timeLimit(.minutes(1)))
struct StageMetricsTests {
    private static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(4096)), seed: 5)

    /// A value that was decoded now.
    private static func decoded() throws -> Payload {
        Payload.noteDecoding()
        return try Payload(encoded: try payloads.encoded(key: 1, version: 1))
    }

    private static func total(_ metrics: StageMetrics, _ stage: Stage, _ outcome: Outcome = .miss) -> UInt64? {
        metrics.parts[.init(operation: .load, outcome: outcome, stage: stage)]?.totalNanoseconds
    }

    @Test func `a load that fetched has four stages, which add up to the nanosecond`() throws {
        let value = try Self.decoded()
        let (start, end) = (value.decodingStart - 1_000, value.decodingEnd + 77)
        var metrics = StageMetrics()
        metrics.record(
            .load, TimedAnswer(start, end, .loaded(value)), fetch: (start + 300, value.decodingStart - 5))
        #expect(value.decodingStart > 0 && value.decodingEnd >= value.decodingStart)
        #expect(Self.total(metrics, .beforeFetch) == 300 && Self.total(metrics, .fetch) == 695)
        #expect(Self.total(metrics, .decode) == value.decodingEnd - value.decodingStart)
        // Between fetch and decoding, and after it.
        #expect(Self.total(metrics, .afterDecode) == 5 + 77)
        let rows = metrics.rows(
            key: RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p"))
        #expect(rows.map(\.stage) == [.beforeFetch, .fetch, .decode, .afterDecode])
        #expect(rows.reduce(0) { $0 + $1.totalNanoseconds } == end - start)
    }

    @Test func `a fetch outside of the load's time is not its own`() throws {
        let value = try Self.decoded()
        let (start, end) = (value.decodingStart - 1_000, value.decodingEnd + 1)
        var metrics = StageMetrics()
        for fetch in [(0, 0), (start - 1, start + 5), (start + 1, end + 1), (start + 9, start + 2)]
            as [(UInt64, UInt64)]
        {
            metrics.record(.load, TimedAnswer(start, end, .loaded(value)), fetch: fetch)
        }
        #expect(metrics.parts.count == 1 && Self.total(metrics, .unknown) == 4 * (end - start))
    }

    @Test func `decoding before the fetch ended is not part of the load`() throws {
        let value = try Self.decoded()
        let end = value.decodingEnd + 500
        var metrics = StageMetrics()
        metrics.record(
            .load, TimedAnswer(value.decodingStart, end, .loaded(value)),
            fetch: (value.decodingEnd + 10, value.decodingEnd + 20))
        #expect(Self.total(metrics, .decode) == 0 && Self.total(metrics, .afterDecode) == 480)
    }

    @Test func `a joined load is waiting only, and hits and failures are not recorded`() throws {
        let value = try Self.decoded()
        var metrics = StageMetrics()
        metrics.record(.load, TimedAnswer(10, 60, .joined(value)), fetch: (0, 0))
        metrics.record(.load, TimedAnswer(10, 60, .hit(value)), fetch: (0, 0))
        metrics.record(.load, TimedAnswer(10, 60, .failed(CancellationError())), fetch: (11, 12))
        #expect(metrics.parts.count == 1 && Self.total(metrics, .wait, .joined) == 50)
    }

    @Test func `a note has the first beginning and the last end since it was taken`() {
        let note = LoadNote()
        #expect(note.take() == (0, 0))
        note.begin()
        let first = note.take().began
        note.begin()
        note.begin()
        note.end()
        let (began, ended) = note.take()
        #expect(first > 0 && began >= first && ended >= began)
    }
}
