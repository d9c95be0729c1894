/// A latency distribution of a phase, whole: the row of `latency.csv` with the same names shows its figures.
package struct EncodedDistribution: Codable, Hashable, Sendable {
    /// A key pool's name, or `all`.
    package var pool: String
    /// An operation's name, or `all`.
    package var operation: String
    /// An outcome's name, or `all`.
    package var outcome: String
    /// `service`, or `response`.
    package var basis: String
    /// The longest latency in nanoseconds, as it was.
    package var longestNanoseconds: UInt64
    /// The counts in HdrHistogram's compressed format, version 2, in Base64.
    package var encoded: String

    package init(
        pool: String = "all", operation: String, outcome: String, basis: String = "service",
        longestNanoseconds: UInt64, encoded: String
    ) {
        self.pool = pool
        self.operation = operation
        self.outcome = outcome
        self.basis = basis
        self.longestNanoseconds = longestNanoseconds
        self.encoded = encoded
    }
}
