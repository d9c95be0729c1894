/// A row of `history.csv`: the value of one metric at one commit.
package struct HistoryRow: ResultRow {
    package static let file = "history.csv"

    /// The series that a row belongs to: values are comparable from commit to commit only when all of these agree.
    package struct Series: Codable, Hashable, Sendable {
        /// The kind of machine; times are compared only within one kind.
        package var machineKind: String
        /// Configuration, compiler and allocator.
        package var build: String
        /// A hash of scenario file, trace, seed and size; 16 hexadecimal digits.
        package var scenarioHash: String
        package var scenario: ScenarioPoint
        package var strategy: String
        package var phase: String
        package var metric: Metric

        package init(
            machineKind: String = "", build: String = "", scenarioHash: String = "", scenario: ScenarioPoint = "",
            strategy: String = "", phase: String = "", metric: Metric = .throughput
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

    /// In UTC, such as `2030-01-31T12:00:00Z`, so that texts sort like the times.
    package var time = ""
    /// 7 to 64 hexadecimal digits in lower case.
    package var commit = ""
    package var series = Series()
    /// The median of the repetitions, in the metric's unit.
    package var value = 0.0
    /// The lowest of the repetitions.
    package var low = 0.0
    /// The highest.
    package var high = 0.0
    package var repetitions: UInt64 = 0
    /// Why a change at this commit is accepted; empty when it was not acknowledged.
    package var acknowledged = ""

    package init() {}

    package static let columns: [Column<HistoryRow>] =
        [
            text("time", "When the commit was made or measured, in UTC.", \.time, isTime),
            text("commit", "The commit that was measured.", \.commit, isCommit),
            text("machine_kind", "Processor, cores, memory and system.", \.series.machineKind, isName),
            text(
                "build", "Configuration, compiler and allocator; for instructions also what counted them.",
                \.series.build, isName),
            text(
                "scenario_hash", "A hash of scenario file, trace, seed and size: other operations have another hash.",
                \.series.scenarioHash, isScenarioHash),
            text("scenario", "The scenario's name.", \.series.scenario.name, isName),
            text("strategy", "The strategy's name.", \.series.strategy, isName),
            text("phase", "The measured phase's name.", \.series.phase, isName),
            Column("metric", "The metric, as in `comparison.csv`.", \.series.metric),
            Column(
                "unit", type: .text, "The metric's unit; empty for a ratio.", cell: { $0.series.metric.unit },
                read: { $0 == $1.series.metric.unit }),
            number("value", "The median of the repetitions.", \.value) { _ in true },
            number("low", "The lowest of the repetitions.", \.low) { $0.low <= $0.value },
            number("high", "The highest of the repetitions.", \.high) { $0.high >= $0.value },
            Column(
                "repetitions", type: .integer, "How many repetitions the value comes from.",
                cell: { String($0.repetitions) },
                read: { text, row in
                    guard let count = UInt64(cellText: text), (1...1_000_000).contains(count) else { return false }
                    row.repetitions = count
                    return true
                }),
            text(
                "acknowledged", "Why a change at this commit is accepted; empty when it was not acknowledged.",
                \.acknowledged, isText),
        ] + Column.swept(\.series.scenario)

    /// Whether a text has the form `2030-01-31T12:00:00Z`. The first year is 1970; every month may have 31 days.
    package static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == form.count else { return false }
        for (byte, wanted) in zip(bytes, form) {
            guard wanted == UInt8(ascii: "0") ? isDigit(byte) : byte == wanted else { return false }
        }
        func number(_ start: Int) -> Int { Int(bytes[start] - 48) * 10 + Int(bytes[start + 1] - 48) }
        return number(0) * 100 + number(2) >= 1970 && (1...12).contains(number(5)) && (1...31).contains(number(8))
            && number(11) < 24 && number(14) < 60 && number(17) < 60
    }

    /// Whether a text is 7 to 64 hexadecimal digits in lower case.
    package static func isCommit(_ text: String) -> Bool { isHexadecimal(text, 7...64) }

    /// Whether a cell can hold the text: at most 1,000 bytes and no control character such as a line end.
    package static func isText(_ text: String) -> Bool {
        text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }

    private static func isName(_ text: String) -> Bool { !text.isEmpty && isText(text) }

    private static func isScenarioHash(_ text: String) -> Bool { isHexadecimal(text, 16...16) }

    private static func isHexadecimal(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func text(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<HistoryRow, String> & Sendable,
        _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Column<HistoryRow> {
        Column(name, type: .text, meaning) {
            $0[keyPath: path]
        } read: { text, row in
            guard isValid(text) else { return false }
            row[keyPath: path] = text
            return true
        }
    }

    /// A column for values of any metric; sizes of entries can be negative.
    private static func number(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<HistoryRow, Double> & Sendable,
        isInOrder: @escaping @Sendable (HistoryRow) -> Bool
    ) -> Column<HistoryRow> {
        Column(name, type: .decimal, meaning) {
            DecimalText.fixed($0[keyPath: path], places: 6)
        } read: { text, row in
            guard let value = DecimalText.parse(text), value.magnitude <= 1e18 else { return false }
            row[keyPath: path] = value
            return isInOrder(row)
        }
    }
}
