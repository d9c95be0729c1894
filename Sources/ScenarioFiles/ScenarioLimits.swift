import TrialModel

/// The range of every number in a scenario file. Messages, the JSON Schema and the decoder all read this table.
enum ScenarioLimits {
    // A file.
    static let fileBytes = 1 << 20
    static let nestingLevels = 20
    static let nodes = 20_000
    static let titleLength = 200

    // Up to 2^53 - 1, which every reader of JSON and CSV keeps exact.
    static let seed = AmountLimit(.count, 0...9_007_199_254_740_991, example: "42")
    static let repetitions = AmountLimit(.count, 1...1000, example: "3")
    static let phases = AmountLimit(.count, 1...100, example: "2")
    static let timeline = AmountLimit(.time, 50_000_000...AmountLimit.minute * 60, example: "500 ms")
    static let strategies = AmountLimit(.count, 1...100, example: "2")

    // Keys.
    static let keyCount = AmountLimit(.count, 1...10_000_000, example: "20000")
    static let firstKey = AmountLimit(.count, 0...9_999_999, example: "0")
    static let traceRequests = AmountLimit(
        .count, 1...UInt64(KeyTrace.requestCountMax), example: "100000")
    static let traceSpeed = FractionLimit(.plain, 0.001...1_000_000, example: "100")
    static let exponent = FractionLimit(.plain, 0...5, example: "0.99")
    static let share = FractionLimit(.share, 0.0001...1, example: "25%")
    static let shiftEvery = AmountLimit(.count, 1...1_000_000_000, example: "5000")
    static let shiftBy = AmountLimit(.count, 1...10_000_000, example: "500")

    static let pools = AmountLimit(.count, 1...UInt64(KeyPool.countMax), example: "2")

    // Values and capacity.
    static let valueSize = AmountLimit(.size, 1...256 << 20, example: "16 KiB")
    static let lifetime = AmountLimit(.time, 1_000_000...AmountLimit.day, example: "30 s")
    static let tableRows = AmountLimit(.count, 1...1000, example: "2")
    static let weight = FractionLimit(.plain, 0...1_000_000, example: "3")
    static let capacityEntries = AmountLimit(.count, 1...10_000_000, example: "2000")
    static let capacityBytes = AmountLimit(.size, 1...1 << 40, example: "64 MiB")

    // Origin.
    static let delay = AmountLimit(.time, 0...AmountLimit.minute, example: "5 ms")
    static let timeout = AmountLimit(.time, 1_000_000...AmountLimit.minute * 10, example: "200 ms")
    static let faults = AmountLimit(.count, 1...UInt64(OriginFault.countMax), example: "2")
    static let faultTime = AmountLimit(.time, 0...AmountLimit.minute, example: "100 ms")
    static let attempt = AmountLimit(.count, 1...1_000_000_000, example: "3")

    // Phases.
    static let duration = AmountLimit(.time, 1_000_000...AmountLimit.day, example: "2 s")
    static let operations = AmountLimit(.count, 1...1_000_000_000, example: "20000")
    static let scriptCallers = AmountLimit(.count, 1...UInt64(ScheduleScript.callersMax), example: "2")
    static let clients = AmountLimit(.count, 1...512, example: "4")
    static let ratio = FractionLimit(.share, 0...1, example: "60%")
    static let smallestDifference = FractionLimit(.share, 0...1, example: "10%")
    static let expectedCount = AmountLimit(.count, 0...1_000_000_000_000, example: "100")
    static let objective = AmountLimit(.time, 1...AmountLimit.minute * 60, example: "5 ms")
    static let objectives = AmountLimit(.count, 1...20, example: "2")
    static let rate = FractionLimit(.plain, 0.01...10_000_000, example: "1000")
    static let arrivalTime = AmountLimit(.time, 1_000_000...AmountLimit.day, example: "10 s")
    static let arrivalSteps = AmountLimit(.count, 1...1000, example: "3")
    static let thinkTime = AmountLimit(.time, 0...AmountLimit.minute, example: "1 ms")
    static let burstWidth = AmountLimit(.count, 2...512, example: "16")
    static let cancelAfter = AmountLimit(.time, 0...AmountLimit.minute, example: "2 ms")

    // Products and sums, which are bounded as well: no scenario is larger than a machine or longer than a day.
    static let dataSet = AmountLimit(.size, 1...1 << 40, example: "1 GiB")
    static let clientPools = AmountLimit(.count, 1...1024, example: "64")
    static let callers = AmountLimit(.count, 1...4096, example: "64")
    static let scenarioOperations = AmountLimit(.count, 1...1_000_000_000, example: "20000")
    static let scenarioTime = AmountLimit(.time, 0...AmountLimit.day, example: "2 s")
}

/// The range of a whole amount: a count, bytes or nanoseconds.
struct AmountLimit: Sendable {
    /// What is counted, which decides the units a file may use.
    enum Kind: Sendable {
        case count, size, time
    }

    static let minute: UInt64 = 60_000_000_000
    static let day: UInt64 = 86_400_000_000_000

    let kind: Kind
    let range: ClosedRange<UInt64>
    /// A value as a person would write it.
    let example: String

    init(_ kind: Kind, _ range: ClosedRange<UInt64>, example: String) {
        self.kind = kind
        self.range = range
        self.example = example
    }

    /// What is allowed, as messages say it.
    var allowed: String {
        let bounds = "from \(text(range.lowerBound)) to \(text(range.upperBound))"
        return switch kind {
        case .count: "a whole number \(bounds)"
        case .size: "a size \(bounds), such as \(example)"
        case .time: "a time \(bounds), such as \(example)"
        }
    }

    /// An amount as a file would write it.
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
    /// A value as a person would write it.
    let example: String

    init(_ kind: Kind, _ range: ClosedRange<Double>, example: String) {
        self.kind = kind
        self.range = range
        self.example = example
    }

    /// What is allowed, as messages say it.
    var allowed: String {
        switch kind {
        case .plain:
            "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .share:
            "a share from \(Self.text(range.lowerBound * 100))% to \(Self.text(range.upperBound * 100))%, "
                + "such as \(example) or 0.25"
        }
    }

    /// A number without a fraction of zero: `5`, not `5.0`.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
