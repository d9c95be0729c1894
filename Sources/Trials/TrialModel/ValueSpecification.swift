/// The values of a scenario.
package struct ValueSpecification: HasDefaults, Codable, Hashable, Sendable {
    /// The form of a value on the wire and in memory.
    package var kind = ValueKind.bytes
    /// The size of a decoded value in bytes, which is its cost in the cache.
    package var size = Distribution.fixed(1)
    /// Whether each version of a value has its own size; `nil` means that a key's size never changes.
    package var changes: Bool?
    /// The lifetime of an entry, in nanoseconds, for strategies with lifetimes; `nil` means unlimited.
    package var timeToLive: UInt64?
    /// Properties of each key's value from a trace; if it has sizes, `size` only gives their bounds. `nil` means none.
    package var traced: TracedValues?
    /// The value properties of each key pool, in key order, in place of `size`; `nil` means no pools.
    package var pools: [PooledValues]?

    package static var defaults: Self { Self() }

    /// The largest size that a value can have, in bytes.
    package var largestSize: UInt64 { pools?.map(\.size.largest).max() ?? size.largest }

    /// Whether entries can expire, in strategies with lifetimes.
    package var haveLifetimes: Bool {
        timeToLive != nil || traced?.lifetimes == true || pools?.contains { $0.timeToLive != nil } == true
    }
}

extension ValueSpecification {
    package init(kind: ValueKind, size: Distribution) {
        self = .defaults
        (self.kind, self.size) = (kind, size)
    }
}

/// Sizes and lifetimes listed per key, in a file that the processes of a run share.
package struct TracedValues: HasDefaults, Codable, Hashable, Sendable {
    /// The file; `nil` before the run has written it.
    package var path: String?
    /// Whether values have the listed sizes.
    package var sizes = false
    /// Whether values have the listed lifetimes.
    package var lifetimes = false
    /// The factor of all sizes, above 0 and up to 1.
    package var sizeScale = 1.0
    /// The divisor of all lifetimes, above 0.
    package var speed = 1.0

    package static var defaults: Self { Self() }
}

/// The form of a value.
package enum ValueKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A PNG on the wire, pixels in memory (4 bytes each), decoded with libpng.
    case image
    /// A JSON document on the wire, a structure in memory, decoded with Codable.
    case article
    /// Plain bytes, the same on the wire and in memory.
    case bytes
}

/// The origin of loads, and how long it takes to answer.
package struct OriginSpecification: HasDefaults, Codable, Hashable, Sendable {
    /// The implementation of the origin.
    package var kind = OriginKind.server
    /// The time from the arrival of a request to its answer, in nanoseconds.
    package var delay = Distribution.fixed(0)
    /// The faults, in the order in which they take their shares; `nil` means none.
    package var faults: [OriginFault]?
    /// How long a load waits for its answer, in nanoseconds; `nil` means the client's default, which is half a minute
    /// beyond the delay.
    package var timeout: UInt64?
    /// The indices of the phases in which every request is refused; `nil` means none. The scenario's phases declare it,
    /// and ``Scenario/originOfTrial`` copies it here.
    package var offlinePhases: Set<UInt16>?

    /// The fault of every request in an offline phase: it is refused at once.
    package static let offlineFault = OriginFault(.unavailable)

    package static var defaults: Self { Self() }

    /// The longest time of any answer that comes at all, in nanoseconds.
    package var slowestNanoseconds: UInt64 {
        let extra = faults?.map(\.extraNanoseconds).max() ?? 0
        let (sum, overflows) = delay.largest.addingReportingOverflow(extra)
        return overflows ? .max : sum
    }

    /// The longest time until a load ends, in nanoseconds: with an answer, or because it waits for none any more.
    package var longestLoadNanoseconds: UInt64 {
        guard faults?.contains(where: { $0.kind == .noAnswer }) == true else { return slowestNanoseconds }
        let patience = timeout ?? Self.patienceNanoseconds
        let (sum, overflows) = slowestNanoseconds.addingReportingOverflow(patience)
        return overflows ? .max : sum
    }

    /// How long a load may be in flight after the last caller has its answer: callers give up, and loads that they began
    /// go on.
    package var settlingTime: Duration {
        max(.seconds(5), .nanoseconds(Int64(clamping: longestLoadNanoseconds)) + .seconds(1))
    }

    /// How long a load waits beyond the delay where the scenario sets no time.
    package static let patienceNanoseconds: UInt64 = 30_000_000_000

    /// Whether bodies may be damaged in a way that only decoding detects.
    package var mayDamageBodies: Bool { faults?.contains { $0.kind.damagesBody } == true }

    /// Whether every request of a phase is refused.
    package func isOffline(inPhase phase: UInt16) -> Bool { offlinePhases?.contains(phase) == true }

    /// Whether loads are meant to fail.
    package var isExpectedToFail: Bool { timeout != nil || faults?.isEmpty == false }
}

extension OriginSpecification {
    package init(kind: OriginKind, delay: Distribution) {
        self = .defaults
        (self.kind, self.delay) = (kind, delay)
    }
}

/// The implementation of the origin.
package enum OriginKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The fixture server: HTTP over loopback, in a separate process.
    case server
    /// A function in the trial's own process, for hit ratios without the cost of a request.
    case memory
}
