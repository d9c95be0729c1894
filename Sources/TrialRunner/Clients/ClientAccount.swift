import Measurement
import Origins
import Payloads
import TrialModel

/// The books of one client: latencies, sizes, wrong answers. Nothing in it is shared while the client runs.
struct ClientAccount: Sendable {
    private(set) var recorder: ClientRecorder
    /// Bytes of the values that were asked for, and of those that were hits.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0
    /// Answers that belonged to another key or were damaged, and errors that the origin did not cause.
    private(set) var wrongAnswers: UInt64 = 0
    private(set) var firstWrongAnswer: String?
    /// The first load that failed because the origin did.
    private(set) var originFailure: String?
    /// Operations sent, counted apart from the recorder; each caller of a burst counts.
    var issued: UInt64 = 0

    private let seed: UInt64
    private let sizes: [UInt32]
    private var answers: UInt64 = 0
    private var versions: UInt64

    /// How many answers pass between two that are checked byte by byte; the key of every answer is checked.
    private static let answersPerFullCheck: UInt64 = 64

    init(seed: UInt64, sizes: [UInt32], client: Int, measured: Bool) {
        recorder = ClientRecorder(measured: measured)
        self.seed = seed
        self.sizes = sizes
        // The origin counts versions from 1, so that no write of a client has the version of a load.
        versions = UInt64(client + 1) << 40
    }

    /// The version of the client's next write; no other client and no load has it.
    mutating func nextVersion() -> UInt64 {
        versions &+= 1
        return versions
    }

    /// Books a lookup, a load or a caller of a burst that ended with a value or a plain miss.
    @inline(__always)
    mutating func lookedUp(
        _ operation: OperationKind, _ key: UInt32, _ value: Payload?, _ outcome: Outcome, _ nanoseconds: UInt64
    ) {
        recorder.record(operation, outcome, nanoseconds: nanoseconds)
        let size = UInt64(sizes[Int(key)])
        bytesLookedUp &+= size
        if outcome == .hit { bytesHit &+= size }
        if let value { check(value, key: key) }
    }

    /// Books a load that threw.
    ///
    /// What the origin threw is the origin's fault. Anything else is an answer that the strategy owes its caller,
    /// and so is a cancellation that belongs to somebody else.
    ///
    /// - Parameter gaveUp: whether the caller was to give up, so that a cancellation is its own.
    mutating func failed(
        _ operation: OperationKind, _ key: UInt32, _ error: any Error, _ nanoseconds: UInt64, gaveUp: Bool = false
    ) {
        let isOwnCancellation = gaveUp && error is CancellationError
        recorder.record(operation, isOwnCancellation ? .cancelled : .failed, nanoseconds: nanoseconds)
        bytesLookedUp &+= UInt64(sizes[Int(key)])
        if error is OriginError {
            if originFailure == nil { originFailure = "key \(key): \(error)" }
        } else if error is CancellationError, !gaveUp {
            wrong("key \(key): a caller that did not give up was cancelled")
        } else if !isOwnCancellation {
            wrong("key \(key): the strategy threw \(error)")
        }
    }

    /// Books a write, a removal or a clear.
    @inline(__always)
    mutating func changed(_ operation: OperationKind, _ nanoseconds: UInt64) {
        recorder.record(operation, .done, nanoseconds: nanoseconds)
    }

    private mutating func check(_ value: Payload, key: UInt32) {
        answers &+= 1
        if value.identity.key != UInt64(key) {
            wrong("key \(key) was answered with the value of key \(value.identity.key)")
        } else if answers % Self.answersPerFullCheck == 1, !value.isIntact(seed: seed) {
            wrong("key \(key) was answered with a damaged value")
        }
    }

    private mutating func wrong(_ what: String) {
        wrongAnswers &+= 1
        if firstWrongAnswer == nil { firstWrongAnswer = what }
    }
}
