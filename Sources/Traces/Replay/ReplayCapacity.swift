import EvictionPolicies

/// The size of a cache as a user writes it: `1000`, `5%` or `64MiB`.
package enum ReplayCapacity: Sendable, Hashable {
    /// The number of entries.
    case entries(Int)
    /// The total size of the objects, in bytes.
    case bytes(UInt64)
    /// A share of the trace's different keys, above 0 and at most 1.
    case share(Double)

    /// Parses a capacity.
    ///
    /// - Returns: `nil` for anything but a whole number from 1 to 4,000,000,000 (entries), a number from 0.0001 % to
    ///   100 % (of the keys), and a number with a unit from 1 B to 1 PiB (B, KiB, MiB, GiB, TiB, PiB, kB, MB, GB, TB).
    package init?(_ text: String) {
        let text = text.filter { $0 != " " && $0 != "_" }
        if let entries = Self.number(text).flatMap({ _ in Int(text) }) {
            guard (1...4_000_000_000).contains(entries) else { return nil }
            self = .entries(entries)
            return
        }
        if text.hasSuffix("%") {
            guard let percent = Self.number(text.dropLast()), (0.0001...100).contains(percent) else { return nil }
            self = .share(percent / 100)
            return
        }
        for (unit, factor) in Self.units where text.hasSuffix(unit) {
            guard let number = Self.number(text.dropLast(unit.count)) else { return nil }
            let bytes = number * factor
            guard (1...1_125_899_906_842_624.0).contains(bytes) else { return nil }
            self = .bytes(UInt64(bytes))
            return
        }
        return nil
    }

    /// Digits, with or without a fraction: no sign, no exponent, no other base.
    private static func number(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Longer names first, because `64MiB` ends with a `B` too.
    private static let units: [(String, Double)] = [
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
        ("PiB", 1_125_899_906_842_624), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1),
    ]

    /// The capacity for a trace; a share of its keys gives at least one entry.
    func resolved(for trace: TraceSummary) -> PolicyCapacity {
        switch self {
        case .entries(let entries): .entries(entries)
        case .bytes(let bytes): .weight(bytes)
        case .share(let share): .entries(max(1, Int((Double(trace.keys) * share).rounded())))
        }
    }

    /// Whether objects' sizes must be known.
    package var isBytes: Bool { if case .bytes = self { true } else { false } }

    /// Whether the trace must be read before the capacity is known.
    var needsSummary: Bool { if case .share = self { true } else { false } }
}
