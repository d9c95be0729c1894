import Foundation
import Measurement
import Origins
import Testing
import WorkloadGeneration

@testable import TimedStrategies
@testable import TrialLoop
@testable import TrialModel

/// Every answer of every strategy is checked.
@Suite(.timeLimit(.minutes(1)))
struct ClientMetricsTests {
    static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 5)

    static func metrics(seed: UInt64 = 5, client: Int = 0) -> ClientMetrics {
        ClientMetrics(PhaseWork.inTests(.inTests(seed: seed)), client: client)
    }

    @Test func `an answer for another key is wrong, and names it`() {
        var metrics = Self.metrics()
        metrics.record(.read, 1, .hit(Self.payloads.payload(key: 1, version: 1)))
        #expect(metrics.wrongAnswers == 0)
        metrics.record(.read, 1, .hit(Self.payloads.payload(key: 0, version: 1)))
        #expect(metrics.wrongAnswers == 1)
        #expect(metrics.firstWrongAnswer == "key 1 was answered with the value of key 0")
    }

    @Test func `a damaged answer is found among sixty-four`() {
        // Made with another seed, so every byte except the header differs from the expected one.
        var metrics = Self.metrics(seed: 6)
        for _ in 0..<64 { metrics.record(.load, 1, .hit(Self.payloads.payload(key: 1, version: 1))) }
        #expect(metrics.wrongAnswers == 1)
        #expect(metrics.firstWrongAnswer == "key 1 was answered with a damaged value")
    }

    // A picture took two frames to check, and they were blamed on the cache.
    @Test func `in a list the key is checked at once, and the bytes after the last frame`() {
        let scenario = Scenario.inTests(seed: 6).with { $0.phases[0].frames = .defaults }
        var metrics = ClientMetrics(PhaseWork.inTests(scenario), client: 0)
        for _ in 0..<65 { metrics.record(.load, 1, .hit(Self.payloads.payload(key: 1, version: 1))) }
        #expect(metrics.wrongAnswers == 0)
        metrics.record(.load, 1, .hit(Self.payloads.payload(key: 0, version: 1)))
        #expect(metrics.firstWrongAnswer == "key 1 was answered with the value of key 0")
        metrics.checkKeptValues()
        #expect(metrics.wrongAnswers == 3)
        metrics.checkKeptValues()
        #expect(metrics.wrongAnswers == 3)
    }

    @Test func `in a checked list records say at once whether a value was right`() {
        let scenario = Scenario.inTests(seed: 6).with { $0.phases[0].frames = .defaults }
        var metrics = ClientMetrics(PhaseWork.inTests(scenario, recordCountMax: 10), client: 0)
        metrics.record(.load, 1, .hit(Self.payloads.payload(key: 1, version: 1)))
        #expect(metrics.wrongAnswers == 1)
    }

    @Test func `a list keeps few bytes to check, but at least one value`() {
        let size = ClientMetrics.uncheckedByteCountMax / 2 + 1
        let values = ValueSpecification(kind: .bytes, size: .fixed(UInt64(size)))
        let payloads = PayloadFactory(specification: values, seed: 5)
        let scenario = Scenario.inTests(seed: 6, values: values).with { $0.phases[0].frames = .defaults }
        var metrics = ClientMetrics(PhaseWork.inTests(scenario), client: 0)
        let value = payloads.payload(key: 1, version: 1)
        for _ in 0..<129 { metrics.record(.load, 1, .hit(value)) }
        metrics.checkKeptValues()
        #expect(metrics.wrongAnswers == 1)
    }

    @Test func `a caller that gave up is cancelled, and the origin's errors are its own`() {
        var metrics = Self.metrics()
        metrics.record(.load, 0, .failed(CancellationError()), cancelAfter: 1)
        #expect(metrics.wrongAnswers == 0 && metrics.originFailure == nil)
        metrics.record(.load, 0, .failed(OriginError.badAddress("x")))
        #expect(metrics.wrongAnswers == 0 && metrics.originFailure != nil)
        #expect(metrics.recorder.count(.load, .cancelled) == 1)
        #expect(metrics.recorder.count(.load, .failed) == 1)
    }

    @Test func `a cancellation that belongs to another caller is a wrong answer`() {
        var metrics = Self.metrics()
        metrics.record(.burst, 1, .failed(CancellationError()))
        #expect(metrics.firstWrongAnswer == "key 1: a caller that did not give up was cancelled")
        #expect(metrics.recorder.count(.burst, .failed) == 1)
    }

    @Test func `an error that is not the origin's is a wrong answer`() {
        struct Broken: Error {}
        var metrics = Self.metrics()
        metrics.record(.load, 0, .failed(Broken()))
        #expect(metrics.firstWrongAnswer == "key 0: the strategy threw Broken()")
    }

    @Test func `bytes are counted by the size of the key's value`() {
        var metrics = Self.metrics()
        metrics.record(.read, 0, .hit(Self.payloads.payload(key: 0, version: 1)))
        metrics.record(.read, 1, .miss)
        #expect(metrics.bytesLookedUp == 256)
        #expect(metrics.bytesHit == 128)
    }

    @Test func `when sizes change, a found value counts with its own size`() {
        let scenario = Scenario.inTests(
            values: ValueSpecification(kind: .bytes, size: .uniform(min: 100, max: 4_000), changes: true))
        let payloads = PayloadFactory(specification: scenario.values, seed: 5)
        let listed = payloads.size(ofKey: 1)
        let (found, loaded) = (payloads.payload(key: 1, version: 7), payloads.payload(key: 1, version: 8))
        #expect(Set([listed, found.cost, loaded.cost]).count == 3)
        var metrics = ClientMetrics(PhaseWork.inTests(scenario), client: 0)
        metrics.record(.read, 1, .hit(found))
        metrics.record(.load, 1, .loaded(loaded))
        metrics.record(.read, 1, .miss)
        metrics.record(.write, 1, .done, written: loaded)
        #expect(metrics.bytesHit == UInt64(found.cost))
        #expect(metrics.bytesLookedUp == UInt64(found.cost + loaded.cost + listed))
        #expect(metrics.wrongAnswers == 0)
    }

    @Test func `operations of a lead-in count, and are in no slice`() {
        let gate = TurnGate(TurnSettings(), channel: TrialChannel { _ in })
        var metrics = ClientMetrics(PhaseWork.inTests(turns: gate), client: 0)
        metrics.begin(at: 0)
        var slices: [ClientSlice] = []
        for (leadIn, measured) in [(2, 3), (1, 4)] {
            metrics.switchLeadIn()
            for _ in 0..<leadIn { metrics.record(.read, 0, .hit(Self.payloads.payload(key: 0, version: 1))) }
            metrics.switchLeadIn()
            for _ in 0..<measured { metrics.record(.read, 1, .miss) }
            slices.append(metrics.cutSlice(nanoseconds: 1_000))
        }
        #expect(slices.map(\.operations) == [3, 4])
        #expect(slices.map(\.nanoseconds) == [1_000, 1_000])
        #expect(metrics.sliceNanoseconds == 2_000)
        #expect(metrics.recorder.operations == 7 && metrics.recorder.count(.read, .miss) == 7)
        #expect(metrics.leadInRecorder.operations == 3 && metrics.leadInRecorder.count(.read, .hit) == 3)
        #expect(metrics.bytesLookedUp == 1_280 && metrics.bytesHit == 384)
    }

    @Test func `all writes have different versions, and none has a load's`() {
        var (one, two) = (Self.metrics(), Self.metrics(client: 1))
        let versions = (0..<1000).flatMap { _ in [one.nextVersion(), two.nextVersion()] }
        #expect(Set(versions).count == 2000)
        #expect(versions.allSatisfy { $0 > 1 << 40 })
    }
}

extension ClientMetrics {
    /// Records an operation from 0 to 10 ns.
    mutating func record(
        _ kind: OperationKind, _ key: UInt32, _ answer: TimedAnswer.Answer, _ start: UInt64 = 0, _ end: UInt64 = 10,
        cancelAfter: UInt64 = 0, written: Payload? = nil, caller: Int = 0
    ) {
        record(
            WorkloadGeneration.Operation(kind: kind, key: key, cancelAfter: cancelAfter),
            TimedAnswer(start, end, answer),
            written: written, caller: caller)
    }
}

extension Scenario {
    /// A scenario with two values, and with two phases of one client that looks them up.
    static func inTests(
        seed: UInt64 = 5, values: ValueSpecification = ValueSpecification(kind: .bytes, size: .fixed(128))
    ) -> Scenario {
        Scenario(
            name: "s", title: "", seed: seed, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 2, popularity: .uniform), values: values, capacity: Capacity(),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil,
            phases: ["one", "two"].map {
                Phase(name: $0, length: .operations(10), clients: 1, mix: OperationMix([.read: 1]))
            })
    }
}

extension PhaseWork {
    /// The work of a scenario's phase, with an origin in memory, and by default with a strategy that does nothing.
    static func inTests(
        _ scenario: Scenario = .inTests(), phase: Int = 0,
        strategy: OpenStrategy = OpenStrategy { _, _, _, _ in TimedAnswer(0, 0, .done) },
        recordCountMax: Int? = nil, turns: TurnGate? = nil, clock: TrialClock = .machine
    ) -> PhaseWork {
        let payloads = PayloadFactory(specification: scenario.values, seed: scenario.seed)
        return PhaseWork(
            strategy: strategy,
            sizes: (0..<scenario.keys.count).map { UInt32(clamping: payloads.size(ofKey: UInt64($0))) },
            origin: MemoryOrigin(
                scenarioSeed: scenario.seed, values: scenario.values, origin: scenario.origin, payloads: payloads),
            payloads: payloads, trace: nil,
            arrivals: ArrivalQueue(scenario: scenario, phaseIndex: phase, trace: nil), scenario: scenario,
            phaseIndex: phase, recordCountMax: recordCountMax, turns: turns, clock: clock)
    }
}

extension EndedOperation {
    /// An operation as instruments see it that only look at its outcome and its time.
    init(_ kind: OperationKind, _ outcome: Outcome, _ span: TimeSpan, key: UInt32) {
        self.init(
            operation: WorkloadGeneration.Operation(kind: kind, key: key),
            answer: TimedAnswer(span.start, span.end, .done), outcome: outcome)
    }
}
