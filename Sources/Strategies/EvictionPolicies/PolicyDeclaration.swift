/// What a policy is: its name, where it comes from, and what of it can be chosen. Replays, strategies, lists and the table
/// of policies all take it from here.
@usableFromInline
package struct PolicyDeclaration: Sendable {
    /// The name that users write, such as `s3-fifo`.
    package var name: String
    /// What it does, in a few words, without a capital letter and a full stop.
    package var summary: String
    /// The paper or system that describes it.
    package var source: String
    /// What it agrees with, such as "libcachesim 0.3.5, to the last miss", and where it differs from its source.
    package var agreement: String
    /// When to take it and what it costs, in a few sentences.
    package var advice: String
    package var parameters: [PolicyParameter]

    package init(
        name: String, summary: String, source: String, agreement: String, advice: String,
        parameters: [PolicyParameter] = []
    ) {
        (self.name, self.summary, self.source, self.agreement, self.advice) = (name, summary, source, agreement, advice)
        self.parameters = parameters
    }
}

/// A number that a policy reads once, when it is created.
@usableFromInline
package struct PolicyParameter: Sendable, Hashable {
    /// How the number is written.
    @usableFromInline
    package enum Kind: Sendable, Hashable {
        /// A share of something, from 0 to 1, written as `5%` or `0.05`.
        case share
        /// A whole number.
        case count
        /// Any number.
        case number
    }

    package var name: String
    package var kind: Kind
    package var range: ClosedRange<Double>
    /// The value where none is chosen: that of the source.
    package var standard: Double
    /// What it sets, in a few words.
    package var summary: String

    @usableFromInline
    package init(_ name: String, _ kind: Kind, _ range: ClosedRange<Double>, standard: Double, _ summary: String) {
        (self.name, self.kind, self.range, self.standard, self.summary) = (name, kind, range, standard, summary)
    }
}

/// The numbers that are chosen for a policy, each within the range of its parameter; others have their standard.
@usableFromInline
package struct PolicySettings: Sendable, Hashable {
    private var values: [String: Double] = [:]

    @usableFromInline
    package init() {}

    @usableFromInline
    package subscript(parameter: PolicyParameter) -> Double {
        get { values[parameter.name] ?? parameter.standard }
        set { values[parameter.name] = min(max(newValue, parameter.range.lowerBound), parameter.range.upperBound) }
    }

    /// A whole number.
    @usableFromInline
    package func count(_ parameter: PolicyParameter) -> Int { Int(self[parameter].rounded()) }
}
