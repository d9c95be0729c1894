/// A figure of a scenario that a sweep changes from trial to trial.
package enum SweepDimension: String, Codable, Hashable, Sendable, CaseIterable {
    /// Clients of the measured phases.
    case clients
    /// The limit that every strategy is given.
    case capacity
    /// The exponent of the keys' Zipf law.
    case zipf
    /// The share of writes among the operations of the measured phases.
    case writeShare = "write-share"
    /// The size of a value.
    case valueSize = "value-size"
    /// How long the origin waits before it answers.
    case originDelay = "origin-delay"
    /// Arrivals a second in the measured phases of an open loop.
    case rate
    /// How many keys there are.
    case keys

    /// The name of its column in every result file.
    package var columnName: String {
        switch self {
        case .originDelay: "sweep_origin_delay_ns"
        default: "sweep_" + rawValue.replacing("-", with: "_")
        }
    }

    /// The unit of its numbers; empty for a count and for a share.
    package var unit: String {
        switch self {
        case .clients, .capacity, .zipf, .writeShare, .keys: ""
        case .valueSize: "bytes"
        case .originDelay: "ns"
        case .rate: "1/s"
        }
    }

    /// What its column says.
    var meaning: String {
        switch self {
        case .clients: "Clients of the measured phases, where a sweep set them."
        case .capacity: "The limit that a sweep set: entries, or bytes where `capacity_bytes` is there."
        case .zipf: "The exponent of the keys' Zipf law, where a sweep set it."
        case .writeShare: "The share of writes in the measured phases, where a sweep set it."
        case .valueSize: "The size of a value, where a sweep set it."
        case .originDelay: "How long the origin waits, where a sweep set it."
        case .rate: "Arrivals a second in the measured phases, where a sweep set them."
        case .keys: "How many keys there are, where a sweep set it."
        }
    }

    /// Whether its numbers are whole.
    package var isWhole: Bool { self != .zipf && self != .writeShare && self != .rate }

    /// The decimals of numbers that are not whole; finer ones are rounded, so that a cell names its point.
    static let places = 6
}

/// A scenario, or one point of its sweep: what a row is about.
package struct ScenarioPoint: Hashable, Sendable {
    /// The scenario's name.
    package var name: String
    /// What the sweep set; empty where there is none.
    package private(set) var swept: [SweepDimension: Double] = [:]

    package init(named name: String, _ swept: [SweepDimension: Double] = [:]) {
        self.name = name
        for (dimension, number) in swept { self[dimension] = number }
    }

    /// What the sweep set of a dimension, rounded to what a cell can say.
    package subscript(dimension: SweepDimension) -> Double? {
        get { swept[dimension] }
        set {
            let scale = dimension.isWhole ? 1 : 1e6
            swept[dimension] = newValue.map { ($0 * scale).rounded() / scale }
        }
    }

    /// The dimensions of the sweep, in their order.
    package var dimensions: [SweepDimension] { SweepDimension.allCases.filter { swept[$0] != nil } }

    /// The point without its scenario, such as `clients=4 capacity=1000`; empty without a sweep.
    package var pointText: String {
        dimensions.map { "\($0.rawValue)=\(Self.shortest(swept[$0] ?? 0))" }.joined(separator: " ")
    }

    /// A number without decimals that say nothing.
    private static func shortest(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }

    /// A number as a cell has it.
    static func text(_ dimension: SweepDimension, _ number: Double?) -> String {
        number.map { DecimalText.fixed($0, places: dimension.isWhole ? 0 : SweepDimension.places) } ?? ""
    }
}

/// As text, `scaling clients=4 capacity=1000`.
extension ScenarioPoint: LosslessStringConvertible {
    package var description: String { swept.isEmpty ? name : "\(name) \(pointText)" }

    /// Reads the text. What comes before the last values of dimensions is the name, blanks and all.
    package init(_ description: String) {
        self.init(named: description)
        while let blank = name.lastIndex(of: " ") {
            let sides = name[blank...].dropFirst().split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let dimension = SweepDimension(rawValue: String(sides[0])),
                self[dimension] == nil, let number = DecimalText.parse(String(sides[1])), number >= 0
            else { return }
            self[dimension] = number
            name = String(name[..<blank])
        }
    }
}

extension ScenarioPoint: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) { self.init(named: name) }
}

extension ScenarioPoint: Comparable {
    /// By name, then by what the sweep set, dimension after dimension.
    package static func < (first: ScenarioPoint, second: ScenarioPoint) -> Bool {
        guard first.name == second.name else { return first.name < second.name }
        for dimension in SweepDimension.allCases where first[dimension] != second[dimension] {
            return first[dimension] ?? -1 < second[dimension] ?? -1
        }
        return false
    }
}

extension ScenarioPoint: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension ScenarioPoint {
    /// The point that a row is about, by the names of its columns; cells that are no numbers say nothing.
    package init(cells: [String: String]) {
        self.init(named: cells["scenario"] ?? "")
        for dimension in SweepDimension.allCases {
            self[dimension] = cells[dimension.columnName].flatMap(DecimalText.parse)
        }
    }
}

extension Column {
    /// The columns of what a sweep set, at the end of every file.
    package static func swept(_ path: Property<ScenarioPoint>) -> [Column] {
        SweepDimension.allCases.map { dimension in
            Column(
                dimension.columnName, unit: dimension.unit, type: dimension.isWhole ? .integer : .decimal,
                dimension.meaning
            ) {
                ScenarioPoint.text(dimension, $0[keyPath: path][dimension])
            } read: { text, row in
                guard !text.isEmpty else { return true }
                guard let number = DecimalText.parse(text), (0...1e18).contains(number) else { return false }
                row[keyPath: path][dimension] = number
                return true
            }
        }
    }
}
