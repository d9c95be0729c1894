/// A row of `history.csv`: what one figure came to at one commit.
package struct HistoryRow: Hashable, Sendable {
    /// Which line of figures a row belongs to: only what agrees in all of this can be compared from commit to commit.
    package struct Series: Hashable, Sendable {
        /// What machines have in common whose times may be compared.
        package var machineKind: String
        /// Configuration, compiler and allocator.
        package var build: String
        /// Sixteen hexadecimal digits over scenario file, trace, seed and size.
        package var scenarioHash: String
        package var scenario: String
        package var strategy: String
        package var phase: String
        package var metric: ComparisonMetric

        package init(
            machineKind: String, build: String, scenarioHash: String, scenario: String, strategy: String, phase: String,
            metric: ComparisonMetric
        ) {
            self.machineKind = machineKind
            self.build = build
            self.scenarioHash = scenarioHash
            self.scenario = scenario
            self.strategy = strategy
            self.phase = phase
            self.metric = metric
        }
    }

    /// In UTC, as `2030-01-31T12:00:00Z`, so that the order of the texts is that of the times.
    package var time: String
    /// Seven to sixty-four hexadecimal digits, in lower case.
    package var commit: String
    package var series: Series
    /// The median of the repetitions, in the metric's unit.
    package var value: Double
    /// The lowest of the repetitions.
    package var low: Double
    /// The highest.
    package var high: Double
    package var repetitions: UInt64
    /// Why a change at this commit is no news any more; empty where nobody said so.
    package var acknowledged: String

    package init(
        time: String, commit: String, series: Series, value: Double, low: Double, high: Double, repetitions: UInt64,
        acknowledged: String = ""
    ) {
        self.time = time
        self.commit = commit
        self.series = series
        self.value = value
        self.low = low
        self.high = high
        self.repetitions = repetitions
        self.acknowledged = acknowledged
    }
}
