import Reports
import Testing
import TrialModel

@testable import ReportPage

/// The table of all scenarios.
@Suite(.timeLimit(.minutes(1)))
struct OverviewTests {
    /// Two strategies under three scenarios.
    private static func results(change: (inout PhaseResult) -> Void = { _ in }) -> [PhaseResult] {
        ["a", "b", "c"].flatMap { (scenario: ScenarioPoint) in
            ["lru", "disk"].map { strategy in
                var result = PageSamples.phase(strategy, scenario: scenario)
                change(&result)
                return result
            }
        }
    }

    private static func overview(_ results: [PhaseResult]) -> Table {
        let content = PageSamples.content(results)
        return VerdictTable(content: content, rankings: ScenarioRanking.all(results)).overview
    }

    private static func cell(_ table: Table, _ strategy: String, _ column: String) -> String? {
        guard let index = table.columns.firstIndex(where: { $0.name == column }) else { return nil }
        return table.rows.first { $0[0].text == strategy }?[index].text
    }

    @Test func `a figure that every scenario has is shown`() {
        let table = Self.overview(Self.results())
        #expect(Self.cell(table, "lru", "share_median") == "87.5%")
        #expect(table.caption?.hasPrefix("Every figure covers all 3 scenarios.") == true)
        #expect(table.notes == ["Every trial that ran completed. No answer was wrong."])
    }

    @Test func `contracts that differ have a column, and equal ones have none`() {
        var content = PageSamples.content(Self.results())
        content.contracts = ["disk": "soft limits"]
        let rankings = ScenarioRanking.all(content.results)
        let differing = VerdictTable(content: content, rankings: rankings).overview
        #expect(Self.cell(differing, "disk", "contract") == "soft limits")
        #expect(Self.cell(differing, "lru", "contract") == "")
        content.contracts["lru"] = "soft limits"
        #expect(Self.cell(VerdictTable(content: content, rankings: rankings).overview, "lru", "contract") == nil)
    }

    @Test func `a figure that one scenario has is left out, and the scenario is named`() {
        let table = Self.overview(
            Self.results { if $0.trial.key.trial.scenario != "b" { $0.hitRate?.optimalHitRatio = nil } })
        #expect(table.columns.allSatisfy { $0.name != "share_median" && $0.name != "share_worst" })
        #expect(
            table.notes.contains(
                "The column `of optimum` is left out: only b has it. The tables of the scenarios show it."))
    }

    @Test func `a figure that one scenario lacks is left out, and the scenario is named`() {
        let table = Self.overview(
            Self.results { if $0.trial.key.trial.scenario == "b" { $0.hitRate?.originLoads = nil } })
        #expect(Self.cell(table, "lru", "origin_median") == nil)
        #expect(
            table.notes.contains(
                "The column `to origin` is left out: there is no figure in b. The tables of the scenarios show it."))
    }

    @Test func `a figure that no scenario has is only called not measured`() {
        let table = Self.overview(Self.results { $0.memory = nil })
        #expect(Self.cell(table, "lru", "bytes_per_entry") == "")
        #expect(table.notes.allSatisfy { !$0.contains("bytes/entry") })
    }

    @Test func `a strategy that lacks a figure in one scenario has no overall figure`() {
        let table = Self.overview(
            Self.results {
                if $0.trial.key.trial == TrialIdentity(scenario: "b", strategy: "disk", repetition: 1) {
                    $0.memory = nil
                }
            })
        #expect(Self.cell(table, "lru", "bytes_per_entry") == "97 B")
        #expect(Self.cell(table, "disk", "bytes_per_entry") == "")
        #expect(table.notes.contains("A strategy without a figure lacks it in at least one of the scenarios."))
    }

    @Test func `a strategy that ran only in some scenarios has no overall figures`() {
        let table = Self.overview(Self.results() + [PageSamples.phase("redis", scenario: "a")])
        #expect(Self.cell(table, "redis", "origin_median") == "")
        #expect(Self.cell(table, "redis", "p99_factor") == "")
        #expect(Self.cell(table, "redis", "driver") == "threads")
    }

    @Test func `the page names the best strategy, unless it is of a smoke run`() {
        let results = Self.results()
        var content = PageSamples.content(results)
        #expect(ReportPage(content).html.contains("<p>a: disk and lru share rank 1, since one repetition"))
        content.sources[0].run?.smoke = true
        #expect(!ReportPage(content).html.contains("share rank 1"))
    }
}
