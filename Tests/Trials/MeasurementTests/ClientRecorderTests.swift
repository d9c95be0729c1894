import Testing
import TrialModel

@testable import Measurement

@Suite(.timeLimit(.minutes(1)))
struct ClientRecorderTests {
    private let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "lru", repetition: 1), phase: "steady")

    private func recorder(seed: UInt64, measured: Bool = true) -> ClientRecorder {
        var recorder = ClientRecorder(measured: measured)
        record(seed: seed, into: &recorder)
        return recorder
    }

    /// Records 3,000 operations of all valid combinations of kind and outcome.
    private func record(seed: UInt64, into recorder: inout ClientRecorder) {
        var random = RandomSource(seed: seed)
        let outcomes = Outcome.allCases.filter { $0 != .done }
        for _ in 0..<3_000 {
            let kind = OperationKind.allCases[Int(random.next(below: UInt64(OperationKind.allCases.count)))]
            let outcome =
                switch kind {
                case .write, .remove, .clear, .prefetch: Outcome.done
                case .read, .load, .burst: outcomes[Int(random.next(below: 5))]
                }
            recorder.record(kind, outcome, nanoseconds: random.next(below: 1_000_000))
        }
    }

    @Test
    func `an operation counts once, in its place`() {
        var recorder = ClientRecorder(measured: true)
        recorder.record(.load, .miss, nanoseconds: 5)
        recorder.record(.load, .miss, nanoseconds: 6)
        recorder.record(.write, .done, nanoseconds: 7)
        for kind in OperationKind.allCases {
            for outcome in Outcome.allCases {
                let expected: UInt64 =
                    kind == .load && outcome == .miss ? 2 : kind == .write && outcome == .done ? 1 : 0
                #expect(recorder.count(kind, outcome) == expected)
            }
        }
        #expect(recorder.operations == 3)
    }

    @Test
    func `every kind and outcome has a separate slot`() {
        let slots = OperationKind.allCases.flatMap { kind in
            Outcome.allCases.map { ClientRecorder.slot(kind, $0) }
        }
        #expect(slots.sorted() == Array(0..<ClientRecorder.slotCount))
    }

    @Test
    func `a client with one kind of operation holds one distribution`() {
        var recorder = ClientRecorder(measured: true)
        #expect(recorder.footprintBytes == 0)
        for latency in 0..<1_000 { recorder.record(.read, .hit, nanoseconds: UInt64(latency)) }
        #expect(recorder.footprintBytes == LatencyHistogram().footprintBytes)
    }

    @Test
    func `a warm-up counts, and has no rows`() {
        let warmUp = recorder(seed: 1, measured: false)
        #expect(warmUp.operations == 3_000)
        #expect(warmUp.count(.write, .done) == recorder(seed: 1).count(.write, .done))
        #expect(warmUp.latencyRows(key: key, elapsedNanoseconds: 1).isEmpty)
        #expect(warmUp.footprintBytes == 0)
    }

    @Test(arguments: [true, false])
    func `merging equals recording all in one`(measured: Bool) {
        var merged = ClientRecorder(measured: measured)
        var single = ClientRecorder(measured: measured)
        for seed in 1...5 as ClosedRange<UInt64> {
            merged.merge(recorder(seed: seed, measured: measured))
            record(seed: seed, into: &single)
        }
        #expect(merged.operations == 15_000)
        for kind in OperationKind.allCases {
            for outcome in Outcome.allCases { #expect(merged.count(kind, outcome) == single.count(kind, outcome)) }
        }
        #expect(
            merged.latencyRows(key: key, elapsedNanoseconds: 9) == single.latencyRows(key: key, elapsedNanoseconds: 9))
    }

    @Test(arguments: [true, false])
    func `adding others' counts adds up, measured or not`(measured: Bool) {
        let parts = (1...3).map { recorder(seed: UInt64($0), measured: measured) }
        var counts = ClientRecorder(measured: false)
        for part in parts { counts.count(part) }
        #expect(counts.operations == 9_000)
        for kind in OperationKind.allCases {
            for outcome in Outcome.allCases {
                #expect(counts.count(kind, outcome) == parts.reduce(0) { $0 + $1.count(kind, outcome) })
            }
        }
    }

    @Test
    func `rows are in the order of the declarations, with the totals last`() {
        let rows = recorder(seed: 3).latencyRows(key: key, elapsedNanoseconds: 1_000_000_000)
        let outcomes = ["hit", "miss", "joined", "failed", "cancelled", "all"]
        let expected =
            outcomes.map { "read \($0)" } + outcomes.map { "load \($0)" } + ["write all", "remove all", "clear all"]
            + outcomes.map { "burst \($0)" } + ["prefetch all", "all all"]
        #expect(rows.map { "\($0.labels.operation) \($0.labels.outcome)" } == expected)
        #expect(rows.allSatisfy { $0.key == key && $0.labels.pool == .all && $0.labels.basis == .service })
    }

    @Test
    func `the counts of rows add up, and cancelled loads are in no sum`() {
        let rows = recorder(seed: 4).latencyRows(key: key, elapsedNanoseconds: 1_000_000_000)
        func sum(_ chosen: [LatencyRow]) -> UInt64 { chosen.reduce(0) { $0 + $1.count } }
        for kind in [OperationKind.read, .load, .burst] {
            let ofKind = rows.filter { $0.labels.operation == .only(kind) }
            let counted = ofKind.filter { $0.labels.outcome != .all && $0.labels.outcome != .only(.cancelled) }
            #expect(sum(counted) == sum(ofKind.filter { $0.labels.outcome == .all }))
        }
        let kinds = rows.filter { $0.labels.operation != .all && $0.labels.outcome == .all }
        let cancelled = sum(rows.filter { $0.labels.outcome == .only(.cancelled) })
        #expect(cancelled > 0 && sum(kinds) + cancelled == 3_000)
        #expect(rows.last?.count == sum(kinds))
    }

    @Test
    func `throughput is the count divided by the elapsed time`() {
        var recorder = ClientRecorder(measured: true)
        for _ in 0..<50 { recorder.record(.read, .hit, nanoseconds: 5) }
        let rows = recorder.latencyRows(key: key, elapsedNanoseconds: 250_000_000)
        #expect(rows.map(\.throughputPerSecond) == [200, 200, 200])
        #expect(recorder.latencyRows(key: key, elapsedNanoseconds: 0).map(\.throughputPerSecond) == [0, 0, 0])
    }

    @Test
    func `an operation of a single kind has one row`() {
        var recorder = ClientRecorder(measured: true)
        recorder.record(.remove, .done, nanoseconds: .max)
        let rows = recorder.latencyRows(key: key, elapsedNanoseconds: 1)
        #expect(rows.map { "\($0.labels.operation) \($0.labels.outcome)" } == ["remove all", "all all"])
    }
}

extension ClientRecorder {
    fileprivate func latencyRows(key: RowKey, elapsedNanoseconds: UInt64) -> [LatencyRow] {
        latencies().map { $0.row(key: key, elapsedNanoseconds: elapsedNanoseconds) }
    }
}
