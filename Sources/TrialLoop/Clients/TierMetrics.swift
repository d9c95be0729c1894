import Measurement
import TrialModel

/// The hits of one client by tier.
struct TierMetrics: Sendable {
    /// The hits of one tier.
    struct Part: Sendable {
        var recorder: ClientRecorder
        /// Bytes of the values.
        var bytes: UInt64 = 0
    }

    private(set) var parts: [Tier: Part] = [:]
    private let measured: Bool

    init(measured: Bool) {
        self.measured = measured
    }

    /// The memory of its distributions, in bytes.
    var footprintBytes: UInt64 { parts.values.reduce(0) { $0 + $1.recorder.footprintBytes } }

    mutating func record(_ operation: OperationKind, _ tier: Tier, nanoseconds: UInt64, bytes: UInt64) {
        parts[tier, default: Part(recorder: ClientRecorder(measured: measured))].recorder.record(
            operation, .hit, nanoseconds: nanoseconds)
        parts[tier]?.bytes &+= bytes
    }

    /// Adds the metrics of another client.
    mutating func merge(_ other: TierMetrics) {
        for (tier, part) in other.parts {
            parts[tier, default: Part(recorder: ClientRecorder(measured: measured))].recorder.merge(part.recorder)
            parts[tier]?.bytes &+= part.bytes
        }
    }
}
