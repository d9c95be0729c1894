import Reports
import Testing
import TrialModel

/// The files and tables of a search for the highest rate.
@Suite(.timeLimit(.minutes(1)))
struct RateSearchReportsTests {
    private let temporary: TemporaryFolder
    private let path: String
    private let plan: [ScenarioPoint: [String]] = ["steady": ["main"]]
    private static let objective = LatencyObjective(figure: .p99, limit: 5_000_000)

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    private static func row(
        _ strategy: String, _ step: UInt64, _ rate: Double?, _ p99: UInt64, _ repetition: Int = 1,
        isSustained: Bool? = nil
    ) -> RateSearchRow {
        RateSearchRow(key: Samples.key("steady", strategy, repetition)).with {
            ($0.step, $0.status) = (step, .completed)
            ($0.ratePerSecond, $0.achievedPerSecond, $0.droppedOperations) = (rate, rate.map { $0 - 0.5 }, 0)
            $0.objectiveNanoseconds = p99
            $0.isSustained = rate == nil ? nil : isSustained ?? (p99 <= objective.limit)
            $0.reason = p99 > objective.limit ? "the objective was not met" : ""
        }
    }

    /// A search that found a rate of 1,000 a second.
    private static func search(_ strategy: String, rate: Double = 1000) -> [RateSearchRow] {
        [
            row(strategy, 0, nil, 900_000), row(strategy, 1, 2 * rate, 9_000_000),
            row(strategy, 1, 2 * rate, 8_000_000, 2), row(strategy, 2, rate, 3_000_000),
            row(strategy, 2, rate, 6_000_000, 2), row(strategy, 2, rate, 4_000_000, 3),
            row(strategy, 3, 1.04 * rate, 6_500_000), row(strategy, 3, 1.04 * rate, 7_500_000, 2),
        ]
    }

    private static func results(_ strategy: String, rate: Double? = 1000, reason: String = "") -> [PhaseResult] {
        [1, 3].map { repetition in
            var result = Samples.phase(Samples.key("steady", strategy, repetition))
            result.trial.maxRatePerSecond = rate
            result.trial.reason = reason
            return result
        }
    }

    @Test func `a folder of a search has the file of its trials, and rows with the rate`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.rateSearch])
        try folder.append(Self.results("lru"), search: Self.search("lru"))
        #expect(try temporary.names("results").contains("rate-search.csv"))
        #expect(try ResultFolder.readRateSearches(at: path) == Self.search("lru"))
        #expect(try ResultFolder.read(at: path).map(\.trial.maxRatePerSecond) == [1000, 1000])
    }

    @Test func `a finished search stays whole, and one without its mark is dropped`() throws {
        do {
            let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [.rateSearch])
            try folder.append(Self.results("lru"), search: Self.search("lru"))
        }
        let before = try temporary.text("results/rate-search.csv")
        let torn = CSVWriter.line(Self.row("actor", 1, 50, 1))
        try temporary.write(before + torn, to: "results/rate-search.csv")
        #expect(try ResultFolder.readRateSearches(at: path) == Self.search("lru"))
        let (_, finished) = try ResultFolder.reopen(at: path, phases: plan, files: ResultFile.ofRun + [.rateSearch])
        #expect(Set(finished.map(\.search)) == [TrialIdentity(scenario: "steady", strategy: "lru", repetition: 1)])
        #expect(try temporary.text("results/rate-search.csv") == before)
    }

    @Test func `the table has the rate, the figure there, and what failed next`() {
        let table = RateTable.tables(
            Self.results("lru") + Self.results("none", rate: 500) + Self.results("actor", rate: 3000),
            searches: Self.search("lru") + Self.search("none", rate: 500) + Self.search("actor", rate: 3000),
            objective: Self.objective, marks: ["none": "bound"])
        #expect(table.count == 1)
        #expect(table.first?.title == "steady")
        #expect(
            table.first?.rows.map { $0.map(\.text) } == [
                ["1", "actor", "3.00k", "4.00 ms", "3.12k", "7.00 ms", "3", "threads", "completed"],
                ["2", "lru", "1.00k", "4.00 ms", "1.04k", "7.00 ms", "3", "threads", "completed"],
                ["bound", "none", "500", "4.00 ms", "520", "7.00 ms", "3", "threads", "completed"],
            ])
    }

    @Test func `strategies whose rates are known to overlap share a rank`() {
        let table = RateTable.tables(
            Self.results("lru") + Self.results("disk", rate: 1010) + Self.results("actor", rate: 950),
            searches: Self.search("lru") + Self.search("disk", rate: 1010) + Self.search("actor", rate: 950),
            objective: Self.objective, marks: [:])
        #expect(table.first?.rows.map { "\($0[0].text) \($0[1].text)" } == ["1 disk", "1 lru", "3 actor"])
    }

    @Test func `a rate with a reservation has a note, and a rate that was not found has no rank`() throws {
        let failed = Samples.failure(Samples.key("steady", "actor"), .crashed, "at 70.0/s: boom")
        let table = try #require(
            RateTable.tables(
                Self.results("lru", reason: "at least: no higher rate is tried") + [failed],
                searches: [Self.row("actor", 0, nil, 1), Self.row("lru", 1, 1000, 4_000_000)],
                objective: Self.objective, marks: [:]
            ).first)
        #expect(table.rows.map { $0[0].text } == ["1", "–"])
        #expect(table.rows.map { $0[4].text } == ["", ""])
        #expect(table.rows.map { $0[8].text } == ["completed", "crashed"])
        #expect(table.notes == ["lru: at least: no higher rate is tried", "actor: at 70.0/s: boom"])
    }

    @Test func `a strategy without a sustained rate has 0, and the lowest rate is beside it`() throws {
        let table = try #require(
            RateTable.tables(
                Self.results("lru", rate: 0),
                searches: [Self.row("lru", 1, 40, 9_000_000), Self.row("lru", 2, 20, 7_000_000)],
                objective: Self.objective, marks: [:]
            ).first)
        #expect(table.rows.first?.map(\.text).prefix(6) == ["1", "lru", "0", "", "20.0", "7.00 ms"])
    }

    @Test func `the line of a trial says what was observed`() {
        #expect(
            RateSearchText.line(Self.row("lru", 3, 12_345, 4_210_000, 2), objective: Self.objective)
                == "  lru, step 3 #2, 12.3k/s: p99 4.21 ms, sustained")
        #expect(
            RateSearchText.line(Self.row("lru", 3, 12_345, 7_000_000), objective: Self.objective)
                == "  lru, step 3 #1, 12.3k/s: p99 7.00 ms, not sustained, the objective was not met")
    }
}
