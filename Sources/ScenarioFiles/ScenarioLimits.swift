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
    static let exponent = FractionLimit(.plain, 0...5)
    static let share = FractionLimit(.share, 0.0001...1, example: "25%")
    static let weight = FractionLimit(.plain, 0...1_000_000)

    // Values and origin.
    static let valueSize = AmountLimit(.size, 1...256 << 20, example: "16 KiB")
    static let lifetime = AmountLimit(.time, 1_000_000...AmountLimit.day, example: "30 s")
    static let attempts: ClosedRange<UInt64> = 1...1_000_000_000

    // Phases.
    static let operations: ClosedRange<UInt64> = 1...1_000_000_000
    static let ratio = FractionLimit(.share, 0...1, example: "60%")
    static let expectedCount: ClosedRange<UInt64> = 0...1_000_000_000_000
    static let objective = AmountLimit(.time, 1...AmountLimit.minute * 60, example: "5 ms")
    static let rate = FractionLimit(.plain, 0.01...10_000_000)
    static let arrivalTime = AmountLimit(.time, 1_000_000...AmountLimit.day, example: "10 s")

    // Limits of products and sums: no scenario needs more than a machine holds, or takes longer than a day.
    static let dataSet = AmountLimit(.size, 1...1 << 40)
    static let clientPools = 1024
    static let callers = 4096
    static let scenarioOperations: UInt64 = 1_000_000_000
    static let scenarioTime = AmountLimit(.time, 0...AmountLimit.day)
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

    init(_ kind: Kind, _ range: ClosedRange<UInt64>, example: String = "") {
        self.kind = kind
        self.range = range
        self.example = example
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

    init(_ kind: Kind, _ range: ClosedRange<Double>, example: String = "") {
        self.kind = kind
        self.range = range
        self.example = example
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
