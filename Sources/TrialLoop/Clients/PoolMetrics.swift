import Measurement
import TrialModel

/// What one client booked for the keys of one pool, beside what it booked for all of them.
struct PoolMetrics: Sendable {
    /// The times that operations took from being sent.
    private(set) var recorder: ClientRecorder
    /// The times from the moment they were due; empty in a closed loop.
    private(set) var responseRecorder: ClientRecorder
    /// Bytes of the values that were asked for, and of those that were hits.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0

    init(measured: Bool) {
        recorder = ClientRecorder(measured: measured)
        responseRecorder = ClientRecorder(measured: measured)
    }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 { recorder.footprintBytes + responseRecorder.footprintBytes }

    /// - Parameters:
    ///   - response: the time from the moment the operation was due; `nil` in a closed loop.
    ///   - bytes: what was asked for; 0 where nothing was.
    mutating func record(
        _ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64, response: UInt64?, bytes: UInt64
    ) {
        recorder.record(operation, outcome, nanoseconds: nanoseconds)
        if let response { responseRecorder.record(operation, outcome, nanoseconds: response) }
        bytesLookedUp &+= bytes
        if outcome == .hit { bytesHit &+= bytes }
    }
}
