import Foundation
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ScenarioPointTests {
    private static let points: [ScenarioPoint] = [
        "steady", ScenarioPoint(named: "scan", [.clients: 4]),
        ScenarioPoint(named: "a b=c", [.capacity: 1000, .zipf: 0.99, .rate: 12.5]),
        ScenarioPoint(named: "x", [.writeShare: 0.000001, .originDelay: 60_000_000_000]),
    ]

    @Test(arguments: points) func `a point is read from its text`(point: ScenarioPoint) {
        #expect(ScenarioPoint(point.description) == point)
    }

    @Test(arguments: points) func `a point goes through JSON as a text`(point: ScenarioPoint) throws {
        let data = try JSONEncoder().encode([point])
        #expect(try JSONDecoder().decode([String].self, from: data) == [point.description])
        #expect(try JSONDecoder().decode([ScenarioPoint].self, from: data) == [point])
    }

    @Test(arguments: points) func `cells name the point of their row`(point: ScenarioPoint) {
        let row = RaceRow().with { ($0.scenario, $0.strategy, $0.verdict) = (point, "lru", .clean) }
        var read = RaceRow()
        for column in RaceRow.columns { #expect(column.read(column.cell(row), &read), "\(column.name)") }
        #expect(read.scenario == point)
    }

    @Test(arguments: ["-1", "nan", "1e99", "0x1", "four"])
    func `a cell that is not a number of a sweep is refused`(text: String) throws {
        var row = RaceRow()
        let column = try #require(RaceRow.columns.first { $0.name == "sweep_clients" })
        #expect(!column.read(text, &row))
    }

    @Test func `points are in the order of their numbers, not of their texts`() {
        let points = [10, 9, 100].map { ScenarioPoint(named: "s", [.clients: $0]) }
        #expect(points.sorted().map { $0[.clients] } == [9, 10, 100])
        #expect(ScenarioPoint(named: "s") < points[1])
    }

    @Test func `numbers finer than a cell are rounded, so that a point is found again`() {
        let point = ScenarioPoint(named: "s", [.zipf: 0.1234567])
        #expect(point[.zipf] == 0.123457)
    }
}
