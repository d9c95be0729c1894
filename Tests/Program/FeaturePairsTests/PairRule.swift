/// Values that don't go together: any of one list with any of another.
struct PairRule: Sendable, CustomStringConvertible {
    /// Selectors of values, as ``Feature/choices(_:)`` reads them.
    let values: [String]
    let others: [String]
    /// What the program says, or how it fails.
    let says: String
    /// Why, in a sentence.
    let reason: String

    init(_ values: String..., with others: [String], says: String, because reason: String) {
        (self.values, self.others, self.says, self.reason) = (values, others, says, reason)
    }

    var description: String { "\(values.joined(separator: "; ")) with \(others.joined(separator: "; "))" }

    /// All pairs of the rule.
    var pairs: [(Feature.Choice, Feature.Choice)] {
        let right = others.flatMap(Feature.choices)
        return values.flatMap(Feature.choices).flatMap { left in
            right.filter { $0.feature != left.feature }.map { (left, $0) }
        }
    }

    /// A case that has one pair of the rule and no pair of any other; `nil` when each one brings others with it.
    static func alone(_ pair: (Feature.Choice, Feature.Choice), among array: inout CoveringArray) -> FeatureCase? {
        array.plainest(with: [pair.0, pair.1], permitting: pair).map(FeatureCase.init(values:))
    }
}
