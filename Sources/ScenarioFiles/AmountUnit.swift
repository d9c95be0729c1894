/// The units of sizes and times, in one place.
struct AmountUnit: Sendable {
    let name: String
    /// The number of bytes or nanoseconds in one unit.
    let scale: UInt64

    /// The units of a kind, in ascending order; empty for counts.
    static func units(of kind: AmountLimit.Kind) -> [AmountUnit] {
        switch kind {
        case .count: []
        case .size: sizes
        case .time: times
        }
    }

    private static let sizes = [
        AmountUnit(name: "B", scale: 1), AmountUnit(name: "kB", scale: 1000), AmountUnit(name: "KiB", scale: 1 << 10),
        AmountUnit(name: "MB", scale: 1_000_000), AmountUnit(name: "MiB", scale: 1 << 20),
        AmountUnit(name: "GB", scale: 1_000_000_000), AmountUnit(name: "GiB", scale: 1 << 30),
    ]

    private static let times = [
        AmountUnit(name: "ns", scale: 1), AmountUnit(name: "us", scale: 1000), AmountUnit(name: "ms", scale: 1_000_000),
        AmountUnit(name: "s", scale: 1_000_000_000), AmountUnit(name: "min", scale: 60_000_000_000),
        AmountUnit(name: "h", scale: 3_600_000_000_000),
    ]

    /// An amount in the largest unit that divides it; sizes use powers of 2, so that limits read as declared.
    static func text(_ amount: UInt64, kind: AmountLimit.Kind) -> String {
        let candidates = units(of: kind).filter { kind != .size || $0.scale.nonzeroBitCount == 1 }
        guard let unit = candidates.last(where: { amount % $0.scale == 0 && amount >= $0.scale }) ?? candidates.first
        else { return "\(amount)" }
        return "\(amount / unit.scale) \(unit.name)"
    }
}
