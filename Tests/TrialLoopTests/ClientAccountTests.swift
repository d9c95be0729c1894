import Foundation
import Measurement
import Origins
import Testing
import TrialModel
import WorkloadGeneration

@testable import TimedStrategies
@testable import TrialLoop

/// Every answer is checked, whatever the strategy did.
@Suite(.timeLimit(.minutes(1)))
struct ClientAccountTests {
    static let payloads = PayloadFactory(
        specification: ValueSpecification(kind: .bytes, size: .fixed(128)), seed: 5)

    static func account(seed: UInt64 = 5) -> ClientAccount {
        ClientAccount(seed: seed, sizes: [128, 128], client: 0, measured: true)
    }

    @Test func `an answer for another key is wrong, and says which`() {
        var account = Self.account()
        account.book(.read, 1, .hit(Self.payloads.payload(key: 1, version: 1)))
        #expect(account.wrongAnswers == 0)
        account.book(.read, 1, .hit(Self.payloads.payload(key: 0, version: 1)))
        #expect(account.wrongAnswers == 1)
        #expect(account.firstWrongAnswer == "key 1 was answered with the value of key 0")
    }

    @Test func `a damaged answer is found among sixty-four`() {
        // Made with another seed, every byte but the header differs from what it should be.
        var account = Self.account(seed: 6)
        for _ in 0..<64 { account.book(.load, 1, .hit(Self.payloads.payload(key: 1, version: 1))) }
        #expect(account.wrongAnswers == 1)
        #expect(account.firstWrongAnswer == "key 1 was answered with a damaged value")
    }

    @Test func `a caller that gave up is cancelled, and the origin's errors are its own`() {
        var account = Self.account()
        account.book(.load, 0, .failed(CancellationError()), cancelAfter: 1)
        #expect(account.wrongAnswers == 0 && account.originFailure == nil)
        account.book(.load, 0, .failed(OriginError.badAddress("x")))
        #expect(account.wrongAnswers == 0 && account.originFailure != nil)
        #expect(account.recorder.count(.load, .cancelled) == 1)
        #expect(account.recorder.count(.load, .failed) == 1)
    }

    @Test func `a cancellation that belongs to somebody else is a wrong answer`() {
        var account = Self.account()
        account.book(.burst, 1, .failed(CancellationError()))
        #expect(account.firstWrongAnswer == "key 1: a caller that did not give up was cancelled")
        #expect(account.recorder.count(.burst, .failed) == 1)
    }

    @Test func `an error that is not the origin's is a wrong answer`() {
        struct Broken: Error {}
        var account = Self.account()
        account.book(.load, 0, .failed(Broken()))
        #expect(account.firstWrongAnswer == "key 0: the strategy threw Broken()")
    }

    @Test func `bytes are counted by the size of the key's value`() {
        var account = Self.account()
        account.book(.read, 0, .hit(Self.payloads.payload(key: 0, version: 1)))
        account.book(.read, 1, .miss)
        #expect(account.bytesLookedUp == 256)
        #expect(account.bytesHit == 128)
    }

    @Test func `where sizes change, what is found counts with its own size`() {
        let payloads = PayloadFactory(
            specification: ValueSpecification(kind: .bytes, size: .uniform(min: 100, max: 4_000), changes: true),
            seed: 5)
        let listed = payloads.size(ofKey: 1)
        let (found, loaded) = (payloads.payload(key: 1, version: 7), payloads.payload(key: 1, version: 8))
        #expect(Set([listed, found.cost, loaded.cost]).count == 3)
        var account = ClientAccount(
            seed: 5, sizes: [128, UInt32(listed)], client: 0, measured: true, sizesChange: true)
        account.book(.read, 1, .hit(found))
        account.book(.load, 1, .loaded(loaded))
        account.book(.read, 1, .miss)
        account.book(.write, 1, .done, written: loaded)
        #expect(account.bytesHit == UInt64(found.cost))
        #expect(account.bytesLookedUp == UInt64(found.cost + loaded.cost + listed))
        #expect(account.wrongAnswers == 0)
    }

    @Test func `operations of a lead-in count, and are in no slice`() {
        var account = ClientAccount(seed: 5, sizes: [128, 128], client: 0, measured: true, takesTurns: true)
        account.begin(at: 0)
        var slices: [SliceFigures] = []
        for (leadIn, measured) in [(2, 3), (1, 4)] {
            account.switchLeadIn()
            for _ in 0..<leadIn { account.book(.read, 0, .hit(Self.payloads.payload(key: 0, version: 1))) }
            account.switchLeadIn()
            for _ in 0..<measured { account.book(.read, 1, .miss) }
            slices.append(account.cutSlice(nanoseconds: 1_000))
        }
        #expect(slices.map(\.operations) == [3, 4])
        #expect(slices.map(\.operationsPerSecond) == [3_000_000, 4_000_000])
        #expect(account.sliceNanoseconds == 2_000)
        #expect(account.recorder.operations == 7 && account.recorder.count(.read, .miss) == 7)
        #expect(account.leadInRecorder.operations == 3 && account.leadInRecorder.count(.read, .hit) == 3)
        #expect(account.bytesLookedUp == 1_280 && account.bytesHit == 384)
    }

    @Test func `no two writes have one version, nor any write that of a load`() {
        var one = ClientAccount(seed: 1, sizes: [], client: 0, measured: true)
        var two = ClientAccount(seed: 1, sizes: [], client: 1, measured: true)
        let versions = (0..<1000).flatMap { _ in [one.nextVersion(), two.nextVersion()] }
        #expect(Set(versions).count == 2000)
        #expect(versions.allSatisfy { $0 > 1 << 40 })
    }
}

extension ClientAccount {
    /// Books an operation from 0 to 10 ns.
    mutating func book(
        _ kind: OperationKind, _ key: UInt32, _ answer: TimedAnswer.Answer, _ start: UInt64 = 0, _ end: UInt64 = 10,
        cancelAfter: UInt64 = 0, written: Payload? = nil, caller: Int = 0
    ) {
        book(
            WorkloadGeneration.Operation(kind: kind, key: key, cancelAfter: cancelAfter),
            TimedAnswer(start, end, answer),
            written: written, caller: caller)
    }
}
