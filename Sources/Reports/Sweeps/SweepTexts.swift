package import TrialModel

/// Formats the values of a sweep exactly, so that no two values look alike.
package struct SweepTexts: Hashable, Sendable {
    /// Whether capacities are in bytes instead of entries.
    package var isCapacityInBytes = false

    package init(isCapacityInBytes: Bool = false) { self.isCapacityInBytes = isCapacityInBytes }

    /// A value by itself: `4`, `5%`, `64 KiB`.
    package func value(_ number: Double, of dimension: SweepDimension) -> String {
        switch dimension {
        case .clients, .keys: Self.count(number)
        case .capacity: isCapacityInBytes ? Self.bytes(number) : Self.count(number)
        case .zipf: Self.shortest(number)
        case .writeShare: Self.shortest(number * 100) + "%"
        case .valueSize: Self.bytes(number)
        case .originDelay: Quantity.trimmed(Quantity.duration(nanoseconds: Self.whole(number)))
        case .rate: Self.count(number)
        }
    }

    /// A value in a sentence: `4 clients`, `a capacity of 5000`.
    package func phrase(_ number: Double, of dimension: SweepDimension) -> String {
        let text = value(number, of: dimension)
        return switch dimension {
        case .clients: number == 1 ? "1 client" : "\(text) clients"
        case .capacity: "a capacity of \(text)"
        case .zipf: "a Zipf exponent of \(text)"
        case .writeShare: "\(text) writes"
        case .valueSize: "values of \(text)"
        case .originDelay: "an origin delay of \(text)"
        case .rate: "\(text) arrivals a second"
        case .keys: "\(text) keys"
        }
    }

    /// The values of a point, for a title: `clients 4, write share 5%`; empty for a point without any.
    package func label(_ point: ScenarioPoint) -> String {
        point.dimensions.map { "\(Self.name($0)) \(value(point[$0] ?? 0, of: $0))" }.joined(separator: ", ")
    }

    /// A dimension in words.
    package static func name(_ dimension: SweepDimension) -> String {
        dimension == .zipf ? "Zipf exponent" : dimension.rawValue.replacing("-", with: " ")
    }

    /// A dimension with its unit, for an axis.
    package func axisTitle(_ dimension: SweepDimension) -> String {
        switch dimension {
        case .capacity: isCapacityInBytes ? "capacity in bytes" : "capacity in entries"
        case .writeShare: "share of writes"
        case .valueSize: "size of a value"
        case .originDelay: "delay of the origin"
        case .rate: "arrivals a second"
        case .clients, .zipf, .keys: Self.name(dimension)
        }
    }

    private static func whole(_ number: Double) -> UInt64 { UInt64(max(0, min(number.rounded(), 1e18))) }

    /// All digits. From 10,000 on, thousands or millions if one decimal is enough: `17.5k`.
    private static func count(_ number: Double) -> String {
        guard let count = UInt64(exactly: number) else { return shortest(number) }
        if count >= 1_000_000, count % 100_000 == 0 { return shortest(number / 1e6) + "M" }
        return count >= 10_000 && count % 100 == 0 ? shortest(number / 1e3) + "k" : "\(count)"
    }

    private static func bytes(_ number: Double) -> String {
        let count = whole(number)
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where count > 0 && count % (1 << shift) == 0 {
            return "\(count >> shift) \(unit)"
        }
        return "\(count) B"
    }

    /// The number without trailing zeros.
    private static func shortest(_ number: Double) -> String {
        var text = DecimalText.fixed(number, places: 6)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
