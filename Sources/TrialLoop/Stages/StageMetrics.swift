import Measurement
import Origins
import TimedStrategies
import TrialModel

/// The time of one client's loads by stage.
///
/// A load that fetched is cut into four stages: until its fetch began, the fetch, the decoding of the value that it
/// answers with, and the rest. If the harness did not see the fetch within the load's own time (a fetch on behalf of
/// another caller), the load counts as ``Stage/unknown``. The stages of a load add up to its time, to the nanosecond.
struct StageMetrics: Sendable {
    /// The key of a distribution.
    struct Place: Hashable, Sendable {
        var operation: OperationKind
        var outcome: Outcome
        var stage: Stage
    }

    private(set) var parts: [Place: LatencyHistogram] = [:]

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 { parts.values.reduce(0) { $0 + $1.footprintBytes } }

    /// Records a load, or the load of a caller of a burst, whose value was not in the cache.
    ///
    /// - Parameter fetch: when the caller's own fetch began and ended; 0 if it did not.
    mutating func record(_ operation: OperationKind, _ answer: TimedAnswer, fetch: (began: UInt64, ended: UInt64)) {
        let span = answer.span
        switch answer.answer {
        case .joined: record(operation, .joined, .wait, span.nanoseconds)
        case .loaded(let value):
            guard span.start <= fetch.began, fetch.began <= fetch.ended, fetch.ended <= span.end else {
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

    /// Adds the metrics of another client.
    mutating func merge(_ other: StageMetrics) {
        for (place, histogram) in other.parts { parts[place, default: LatencyHistogram()].add(histogram) }
    }

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
