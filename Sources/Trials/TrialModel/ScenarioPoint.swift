/// A parameter of a scenario that a sweep varies from trial to trial.
package enum SweepDimension: String, Codable, Hashable, Sendable, CaseIterable {
    /// Clients of the measured phases.
    case clients
    /// The capacity of every strategy.
    case capacity
    /// The exponent of the keys' Zipf law.
    case zipf
    /// The share of writes among the operations of the measured phases.
    case writeShare = "write-share"
    /// The size of a value.
    case valueSize = "value-size"
    /// The origin's delay before it answers.
    case originDelay = "origin-delay"
    /// Arrivals per second in the measured open-loop phases.
    case rate
    /// The number of keys.
    case keys

    /// The name of its column in every result file.
    package var columnName: String {
        switch self {
        case .originDelay: "sweep_origin_delay_ns"
        default: "sweep_" + rawValue.replacing("-", with: "_")
        }
    }

    /// The unit of the values; empty for a count and for a share.
    package var unit: String {
        switch self {
        case .clients, .capacity, .zipf, .writeShare, .keys: ""
        case .valueSize: "bytes"
        case .originDelay: "ns"
        case .rate: "1/s"
        }
    }

    /// The meaning of the dimension's column.
    var meaning: String {
        switch self {
        case .clients: "Clients of the measured phases, if a sweep sets them."
        case .capacity: "The capacity, if a sweep sets it: entries, or bytes with a column `capacity_bytes`."
        case .zipf: "The exponent of the keys' Zipf law, if a sweep sets it."
        case .writeShare: "The share of writes in the measured phases, if a sweep sets it."
        case .valueSize: "The size of a value, if a sweep sets it."
        case .originDelay: "The origin's delay, if a sweep sets it."
        case .rate: "Arrivals per second in the measured phases, if a sweep sets them."
        case .keys: "The number of keys, if a sweep sets it."
        }
    }

    /// Whether the values are whole numbers.
    package var isWhole: Bool { self != .zipf && self != .writeShare && self != .rate }

    /// The decimals of fractional values; finer values are rounded, so that a cell identifies its point.
    static let places = 6
}

/// A scenario, or one point of its sweep; rows refer to it.
package struct ScenarioPoint: Hashable, Sendable {
    /// The scenario's name.
    package var name: String
    /// The values that the sweep sets; empty without a sweep.
    package private(set) var swept: [SweepDimension: Double] = [:]

    package init(named name: String, _ swept: [SweepDimension: Double] = [:]) {
        self.name = name
        for (dimension, number) in swept { self[dimension] = number }
    }

    /// The swept value of a dimension, rounded to the decimals of a cell.
    package subscript(dimension: SweepDimension) -> Double? {
        get { swept[dimension] }
        set {
            let scale = dimension.isWhole ? 1 : 1e6
            swept[dimension] = newValue.map { ($0 * scale).rounded() / scale }
        }
    }

    /// The dimensions of the sweep, in the order of ``SweepDimension``.
    package var dimensions: [SweepDimension] { SweepDimension.allCases.filter { swept[$0] != nil } }

    /// The point without its scenario, such as `clients=4 capacity=1000`; empty without a sweep.
    package var pointText: String {
        dimensions.map { "\($0.rawValue)=\(Self.shortest(swept[$0] ?? 0))" }.joined(separator: " ")
    }

    /// A number without trailing zeros.
    private static func shortest(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }

    /// A value in the form of a cell.
    static func text(_ dimension: SweepDimension, _ number: Double?) -> String {
        number.map { DecimalText.fixed($0, places: dimension.isWhole ? 0 : SweepDimension.places) } ?? ""
    }
}

/// As text, `scaling clients=4 capacity=1000`.
extension ScenarioPoint: LosslessStringConvertible {
    package var description: String { swept.isEmpty ? name : "\(name) \(pointText)" }

    /// Parses the text. Everything before the trailing values of dimensions is the name, including blanks.
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
    /// Orders by name, then by the swept values, dimension by dimension.
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

extension Column {
    /// The columns of the swept values, at the end of every file.
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
