/// What stands behind a key.
package struct ValueSpecification: Codable, Hashable, Sendable {
    /// The form of a value on the wire and in memory.
    package var kind: ValueKind
    /// The size of a value in bytes, once decoded: what it costs in the cache.
    package var size: Distribution
    /// Whether each version of a value has a size of its own; `nil` means that a key has one size for good.
    package var changes: Bool?
    /// How long an entry lives, in nanoseconds, in strategies that know lifetimes; `nil` means for good.
    package var timeToLive: UInt64?
    /// What a trace says of each key's value; with sizes in it, `size` only says within which bounds. `nil` means nothing.
    package var traced: TracedValues?
    /// What each key pool says of its values, in the order of their keys, in place of `size`; `nil` means no pools.
    package var pools: [PooledValues]?

    package init(
        kind: ValueKind, size: Distribution, changes: Bool? = nil, timeToLive: UInt64? = nil,
        traced: TracedValues? = nil, pools: [PooledValues]? = nil
    ) {
        self.kind = kind
        self.size = size
        self.changes = changes
        self.timeToLive = timeToLive
        self.traced = traced
        self.pools = pools
    }

    /// The largest size that a value can have, in bytes.
    package var largestSize: UInt64 { pools?.map(\.size.largest).max() ?? size.largest }

    /// Whether an entry may end because its time is over, in strategies that know lifetimes.
    package var haveLifetimes: Bool {
        timeToLive != nil || traced?.lifetimes == true || pools?.contains { $0.timeToLive != nil } == true
    }
}

/// Sizes and lifetimes that are listed key by key, in a file that the processes of a run share.
package struct TracedValues: Codable, Hashable, Sendable {
    /// The file; `nil` before the run has written it.
    package var path: String?
    /// Whether values have the sizes that are listed.
    package var sizes: Bool
    /// Whether values live as long as is listed.
    package var lifetimes: Bool
    /// What every size is multiplied by, above 0 and up to 1.
    package var sizeScale: Double
    /// What every lifetime is divided by, above 0.
    package var speed: Double

    package init(path: String? = nil, sizes: Bool, lifetimes: Bool, sizeScale: Double = 1, speed: Double = 1) {
        self.path = path
        self.sizes = sizes
        self.lifetimes = lifetimes
        self.sizeScale = sizeScale
        self.speed = speed
    }
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

/// Where loads fetch from, and how long it takes.
package struct OriginSpecification: Codable, Hashable, Sendable {
    /// What plays the origin.
    package var kind: OriginKind
    /// From the arrival of a request to its answer, in nanoseconds.
    package var delay: Distribution
    /// What goes wrong, in the order in which shares are taken; `nil` means nothing.
    package var faults: [OriginFault]?
    /// How long a load waits for its answer, in nanoseconds; `nil` leaves it to the client, which waits half a minute
    /// beyond the delay.
    package var timeout: UInt64?
    /// How many requests are served at once, the most urgent first; `nil` for any number. The delay begins with the service.
    package var slots: Int?
    /// The phases, by their places, in which every request is refused; `nil` means none. A scenario's phases say it,
    /// and ``Scenario/originOfTrial`` brings it here.
    package var offlinePhases: Set<UInt16>?

    /// What befalls a request in an offline phase: it is refused at once.
    package static let offlineFault = OriginFault(.unavailable)

    package init(
        kind: OriginKind, delay: Distribution, faults: [OriginFault]? = nil, timeout: UInt64? = nil, slots: Int? = nil
    ) {
        self.kind = kind
        self.delay = delay
        self.faults = faults
        self.timeout = timeout
        self.slots = slots
    }

    /// The longest that an answer can take that comes at all, in nanoseconds.
    package var slowestNanoseconds: UInt64 {
        let extra = faults?.map(\.extraNanoseconds).max() ?? 0
        let (sum, overflows) = delay.largest.addingReportingOverflow(extra)
        return overflows ? .max : sum
    }

    /// Whether bodies may come that only decoding shows to be damaged.
    package var mayDamageBodies: Bool { faults?.contains { $0.kind.damagesBody } == true }

    /// Whether every request of a phase is refused.
    package func isOffline(inPhase phase: UInt16) -> Bool { offlinePhases?.contains(phase) == true }

    /// Whether loads are meant to fail.
    package var isExpectedToFail: Bool { timeout != nil || faults?.isEmpty == false }
}

/// What plays the origin.
package enum OriginKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The fixture server: HTTP over loopback, in a process of its own.
    case server
    /// A function in the trial's own process, for hit ratios without the cost of a request.
    case memory
}
