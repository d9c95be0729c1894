/// What stands behind a key.
package struct ValueSpecification: Codable, Hashable, Sendable {
    /// The form of a value on the wire and in memory.
    package var kind: ValueKind
    /// The size of a value in bytes, once decoded: what it costs in the cache. A key has one size for good.
    package var size: Distribution
    /// How long an entry lives, in nanoseconds, in strategies that know lifetimes; `nil` means for good.
    package var timeToLive: UInt64?
    /// A size for each key, which a trace has; then `size` only says within which bounds. `nil` means none.
    package var keySizes: KeySizes?

    package init(kind: ValueKind, size: Distribution, timeToLive: UInt64? = nil, keySizes: KeySizes? = nil) {
        self.kind = kind
        self.size = size
        self.timeToLive = timeToLive
        self.keySizes = keySizes
    }
}

/// Sizes that are listed key by key, in a file that the processes of a run share.
package struct KeySizes: Codable, Hashable, Sendable {
    /// The file; `nil` before the run has written it.
    package var path: String?
    /// What every size is multiplied by, above 0.
    package var scale: Double

    package init(path: String? = nil, scale: Double = 1) {
        self.path = path
        self.scale = scale
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

    package init(kind: OriginKind, delay: Distribution) {
        self.kind = kind
        self.delay = delay
    }
}

/// What plays the origin.
package enum OriginKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The fixture server: HTTP over loopback, in a process of its own.
    case server
    /// A function in the trial's own process, for hit ratios without the cost of a request.
    case memory
}
