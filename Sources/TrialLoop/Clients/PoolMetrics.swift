import Measurement
import TrialModel

/// What one client recorded for the keys of one pool, in addition to its metrics over all keys.
struct PoolMetrics: Sendable {
    /// Service times, measured from sending.
    private(set) var recorder: ClientRecorder
    /// Response times, measured from the due time; empty in a closed loop.
    private(set) var responseRecorder: ClientRecorder
    /// Bytes of the values that were looked up, and of the hits among them.
    private(set) var bytesLookedUp: UInt64 = 0
    private(set) var bytesHit: UInt64 = 0

    init(measured: Bool) {
        recorder = ClientRecorder(measured: measured)
        responseRecorder = ClientRecorder(measured: measured)
    }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 { recorder.footprintBytes + responseRecorder.footprintBytes }

    /// - Parameters:
    ///   - response: the response time; `nil` in a closed loop.
    ///   - bytes: the size of the value that was looked up; 0 for other operations.
    mutating func record(
        _ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64, response: UInt64?, bytes: UInt64
    ) {
        recorder.record(operation, outcome, nanoseconds: nanoseconds)
        if let response { responseRecorder.record(operation, outcome, nanoseconds: response) }
        bytesLookedUp &+= bytes
        if outcome == .hit { bytesHit &+= bytes }
    }
}
