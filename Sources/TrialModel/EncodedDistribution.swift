/// A complete latency distribution of a phase; the row of `latency.csv` with the same labels shows its percentiles.
package struct EncodedDistribution: Codable, Hashable, Sendable {
    package var labels: LatencyLabels
    /// The exact longest latency, in nanoseconds.
    package var longestNanoseconds: UInt64
    /// The counts in HdrHistogram's compressed format, version 2, in Base64.
    package var encoded: String

    package init(labels: LatencyLabels = LatencyLabels(), longestNanoseconds: UInt64, encoded: String) {
        self.labels = labels
        self.longestNanoseconds = longestNanoseconds
        self.encoded = encoded
    }
}
