import TrialModel

/// The ranges that several keys share, and the limits of files, sums and products. Other ranges are declared with their
/// keys.
enum ScenarioLimits {
    // Limits of a file.
    static let fileBytes = 1 << 20
    static let nestingLevels = 20
    static let nodes = 20_000
    static let titleLength = 200

    // Keys.
    static let keyCount: ClosedRange<UInt64> = 1...10_000_000
    static let firstKey: ClosedRange<UInt64> = 0...9_999_999
    static let pools: ClosedRange<UInt64> = 1...UInt64(KeyPool.countMax)
    static let exponent = FractionLimit.plain(0...5)
    static let share = FractionLimit.share(0.0001...1, "25%")
    static let weight = FractionLimit.plain(0...1_000_000)

    // Values and origin.
    static let valueSize = AmountLimit.size(1...256 << 20, "16 KiB")
    static let lifetime = AmountLimit.time(1_000_000...AmountLimit.day, "30 s")
    static let attempts: ClosedRange<UInt64> = 1...1_000_000_000

    // Phases.
    static let operations: ClosedRange<UInt64> = 1...1_000_000_000
    static let ratio = FractionLimit.share(0...1, "60%")
    static let expectedCount: ClosedRange<UInt64> = 0...1_000_000_000_000
    static let objective = AmountLimit.time(1...AmountLimit.minute * 60, "5 ms")
    static let rate = FractionLimit.plain(0.01...10_000_000)
    static let arrivalTime = AmountLimit.time(1_000_000...AmountLimit.day, "10 s")

    // Limits of products and sums: no scenario needs more than a machine holds, or takes longer than a day.
    static let dataSet = AmountLimit.size(1...1 << 40)
    static let clientPools = 1024
    static let callers = 4096
    static let scenarioOperations: UInt64 = 1_000_000_000
    static let scenarioTime = AmountLimit.time(0...AmountLimit.day)
}

/// The range of a whole amount: a count, bytes or nanoseconds.
struct AmountLimit: Sendable {
    /// The kind of amount, which determines the units that a file may use.
    enum Kind: Sendable {
        case count, size, time
    }

    static let minute: UInt64 = 60_000_000_000
    static let day: UInt64 = 86_400_000_000_000

    let kind: Kind
    let range: ClosedRange<UInt64>
    /// An example value for messages; empty when no message shows one.
    let example: String

    /// A range of counts.
    static func count(_ range: ClosedRange<UInt64>) -> Self { Self(kind: .count, range: range, example: "") }

    /// A range of bytes.
    static func size(_ range: ClosedRange<UInt64>, _ example: String = "") -> Self {
        Self(kind: .size, range: range, example: example)
    }

    /// A range of nanoseconds.
    static func time(_ range: ClosedRange<UInt64>, _ example: String = "") -> Self {
        Self(kind: .time, range: range, example: example)
    }

    /// The allowed range, as text for messages.
    var allowed: String {
        let bounds = "from \(text(range.lowerBound)) to \(text(range.upperBound))"
        return switch kind {
        case .count: "a whole number \(bounds)"
        case .size: "a size \(bounds), such as \(example)"
        case .time: "a time \(bounds), such as \(example)"
        }
    }

    /// An amount in the form of a file.
    func text(_ amount: UInt64) -> String {
        AmountUnit.text(amount, kind: kind)
    }
}

/// The range of a fraction: a plain decimal number, or a share that may be written in percent.
struct FractionLimit: Sendable {
    enum Kind: Sendable {
        case plain, share
    }

    let kind: Kind
    let range: ClosedRange<Double>
    /// An example value for messages; empty when no message shows one.
    let example: String

    /// A range of numbers.
    static func plain(_ range: ClosedRange<Double>) -> Self { Self(kind: .plain, range: range, example: "") }

    /// A range of shares.
    static func share(_ range: ClosedRange<Double>, _ example: String) -> Self {
        Self(kind: .share, range: range, example: example)
    }

    /// The allowed range, as text for messages.
    var allowed: String {
        let bounds = "from \(written(range.lowerBound)) to \(written(range.upperBound))"
        return switch kind {
        case .plain: "a number \(bounds)"
        case .share: "a share \(bounds), such as \(example) or 0.25"
        }
    }

    /// A number in the form of a file.
    func written(_ number: Double) -> String {
        kind == .plain ? Self.text(number) : "\(Self.text(number * 100))%"
    }

    /// A number without a fraction of zero: `5`, not `5.0`.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

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

extension DecimalText {
    /// The time, such as `5 ms`, in nanoseconds; `nil` without a unit, or when it is not a whole number of them.
    package var nanoseconds: UInt64? { amount(.time) }

    /// The number with its unit in bytes or nanoseconds, or a count, which has no unit; `nil` when the unit is another
    /// one, or the product is not a whole number.
    func amount(_ kind: AmountLimit.Kind) -> UInt64? { scale(kind).flatMap { amount(times: $0) } }

    /// The bytes or nanoseconds in the unit that follows the number; `nil` when it is no unit of this kind.
    func scale(_ kind: AmountLimit.Kind) -> UInt64? {
        kind == .count ? (rest.isEmpty ? 1 : nil) : AmountUnit.units(of: kind).first { $0.name == rest }?.scale
    }
}
