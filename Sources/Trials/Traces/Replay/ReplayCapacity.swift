import EvictionPolicies
import TrialModel

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
        guard let decimal = DecimalText(text.filter { $0 != " " && $0 != "_" }) else { return nil }
        switch decimal.rest {
        case "":
            guard decimal.fraction.isEmpty, let entries = decimal.amount(times: 1),
                (1...4_000_000_000).contains(entries)
            else { return nil }
            self = .entries(Int(entries))
        case "%":
            guard let share = decimal.share, (0.0001...100).contains(decimal.number) else { return nil }
            self = .share(share)
        case let unit:
            guard let factor = Self.units[unit] else { return nil }
            let bytes = decimal.number * factor
            guard (1...1_125_899_906_842_624.0).contains(bytes) else { return nil }
            self = .bytes(UInt64(bytes))
        }
    }

    private static let units: [Substring: Double] = [
        "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824, "TiB": 1_099_511_627_776, "PiB": 1_125_899_906_842_624,
        "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
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
    package var needsWholeTrace: Bool { if case .share = self { true } else { false } }
}
