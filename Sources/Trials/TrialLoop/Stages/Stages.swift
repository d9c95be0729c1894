import Foundation
import Measurement
import Origins
import Platform
import Synchronization
import TimedStrategies
import TrialModel

/// When the fetch of a caller's load began and ended.
///
/// Each caller has its own note. The fetch may run on any thread, and may continue after its caller has given up. So
/// the times are atomic, and a caller only takes times that lie within its load.
final class LoadNote: Sendable {
    private let began = Atomic<UInt64>(0)
    private let lastBegan = Atomic<UInt64>(0)
    private let ended = Atomic<UInt64>(0)

    /// A fetch begins; if a load has several fetches, its stage begins with the first one.
    func begin() {
        let now = Nanoclock.now()
        _ = began.compareExchange(expected: 0, desired: now, ordering: .relaxed)
        lastBegan.store(now, ordering: .relaxed)
    }

    /// A fetch ended; if a load has several fetches, the last one counts.
    func end() { ended.store(Nanoclock.now(), ordering: .relaxed) }

    /// The times since the last call.
    func take() -> FetchTimes {
        FetchTimes(
            began: began.exchange(0, ordering: .relaxed), ended: ended.exchange(0, ordering: .relaxed),
            lastBegan: lastBegan.exchange(0, ordering: .relaxed))
    }
}

/// When a fetch began and ended, in nanoseconds on the trial's clock; 0 for what did not happen or was not noted.
struct FetchTimes: Sendable {
    var began: UInt64 = 0
    var ended: UInt64 = 0
    /// When the last of several fetches began.
    var lastBegan: UInt64 = 0

    /// Whether it is the fetch of a load, and not one on behalf of another caller.
    func isWithin(_ load: TimeSpan) -> Bool { load.start <= began && began <= ended && ended <= load.end }
}

/// An origin that records when fetches begin and end.
struct NotedSource: PayloadSource {
    let source: any PayloadSource
    let note: LoadNote

    func fetch(_ key: UInt64) async throws -> Data {
        note.begin()
        defer { note.end() }
        return try await source.fetch(key)
    }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        note.begin()
        defer { note.end() }
        return try source.fetchBlocking(key, deadline: deadline)
    }
}

/// The time of one client's loads by stage.
///
/// A load that fetched is cut into four stages: until its fetch began, the fetch, the decoding of the value that it
/// answers with, and the rest. If the harness did not see the fetch within the load's own time (a fetch on behalf of
/// another caller), the load counts as ``Stage/unknown``. The stages of a load add up to its time, to the nanosecond.
struct StageMetrics: Instrument {
    /// The key of a distribution.
    struct Place: Hashable, Sendable {
        var operation: OperationKind
        var outcome: Outcome
        var stage: Stage
    }

    private(set) var parts: [Place: LatencyHistogram] = [:]

    var seesHits: Bool { false }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 { parts.values.reduce(0) { $0 + $1.footprintBytes } }

    mutating func record(_ ended: EndedOperation) {
        if ended.isLoadThatMissed { record(ended.kind, ended.answer, fetch: ended.fetch) }
    }

    /// Records a load, or the load of a caller of a burst, whose value was not in the cache.
    ///
    /// - Parameter fetch: when the caller's own fetch began and ended; 0 if it did not.
    mutating func record(_ operation: OperationKind, _ answer: TimedAnswer, fetch: FetchTimes) {
        let span = answer.span
        switch answer.answer {
        case .joined: record(operation, .joined, .wait, span.nanoseconds)
        case .loaded(let value):
            guard fetch.isWithin(span) else {
                return record(operation, .miss, .unknown, span.nanoseconds)
            }
            let (before, fetching) = (fetch.began &- span.start, fetch.ended &- fetch.began)
            let isWithin = fetch.ended <= value.decodingStart && value.decodingEnd <= span.end
            let decoding = isWithin ? value.decodingEnd &- value.decodingStart : 0
            record(operation, .miss, .beforeFetch, before)
            record(operation, .miss, .fetch, fetching)
            record(operation, .miss, .decode, decoding)
            record(operation, .miss, .afterDecode, span.nanoseconds &- before &- fetching &- decoding)
        default: break
        }
    }

    private mutating func record(_ operation: OperationKind, _ outcome: Outcome, _ stage: Stage, _ time: UInt64) {
        parts[Place(operation: operation, outcome: outcome, stage: stage), default: LatencyHistogram()].record(time)
    }

    mutating func merge(_ other: StageMetrics) {
        for (place, histogram) in other.parts { parts[place, default: LatencyHistogram()].add(histogram) }
    }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) { result.stages = rows(key: phase.key) }

    /// The rows, in the order of the stages.
    func rows(key: RowKey) -> [StageRow] {
        var rows: [StageRow] = []
        for operation in OperationKind.allCases {
            for outcome in Outcome.allCases {
                for stage in Stage.allCases {
                    guard let part = parts[Place(operation: operation, outcome: outcome, stage: stage)],
                        let summary = part.summary()
                    else { continue }
                    rows.append(
                        StageRow(key: key).with {
                            ($0.operation, $0.outcome, $0.stage) = (operation, outcome, stage)
                            ($0.count, $0.totalNanoseconds) = (part.count, part.totalNanoseconds)
                            $0.latency = summary
                        })
                }
            }
        }
        return rows
    }
}
