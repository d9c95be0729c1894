import ScenarioFiles
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct SweepTests {
    private static func text(
        sweep: String = "", mix: String = "{ read: 3, load: 1 }", more: String = "", origin: String = "{ kind: memory }"
    ) -> String {
        """
        title: A sweep
        keys: { kind: integer, count: 1000, popularity: { zipf: 0.9 } }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 100 }
        origin: \(origin)
        strategies: [lru]
        \(sweep)
        phases:
          - { name: fill, warm-up: true, operations: 100, clients: 3, mix: { write: 1 } }
          - { name: main, operations: 100, mix: \(mix)\(more) }

        """
    }

    private func points(_ text: String, _ sweep: String...) throws(ScenarioFileError) -> [Scenario] {
        try ShippedScenarios.reader.points(text: text, file: "swept.yaml", sweep: sweep)
    }

    private func mistake(_ text: String, _ sweep: String...) -> String {
        do {
            _ = try ShippedScenarios.reader.points(text: text, file: "swept.yaml", sweep: sweep)
            return ""
        } catch {
            return error.description
        }
    }

    private func main(_ scenario: Scenario) throws -> Phase { try #require(scenario.phases.last) }

    @Test func `without a sweep there is one scenario, by its name`() throws {
        #expect(try points(Self.text()).map(\.point) == ["swept"])
    }

    @Test func `several dimensions give their product, and the last one varies fastest`() throws {
        let all = try points(Self.text(sweep: "sweep: { clients: [1, 2], capacity: [10, 1%] }"), "zipf=1")
        let expected = [(1, 10), (1, 10), (2, 10), (2, 10)]
        #expect(all.count == 4)
        for (scenario, point) in zip(all, expected) {
            #expect(scenario.point[.clients] == Double(point.0))
            #expect(scenario.point[.capacity] == Double(point.1))
            #expect(scenario.point[.zipf] == 1)
            #expect(try main(scenario).clients == point.0)
            #expect(scenario.capacity == Capacity(entries: point.1))
        }
    }

    @Test func `clients are those of the measured phases`() throws {
        let scenario = try #require(try points(Self.text(), "clients=8").first)
        #expect(scenario.phases.map(\.clients) == [3, 8])
    }

    @Test func `a share of the capacity is a share of the keys, also when these are swept`() throws {
        let all = try points(Self.text(), "capacity=5%", "keys=1000,2000")
        #expect(all.map(\.capacity.entries) == [50, 100])
        #expect(all.map { $0.point[.capacity] } == [50, 100])
    }

    @Test func `bytes replace a limit of entries`() throws {
        #expect(try points(Self.text(), "capacity=1KiB").map(\.capacity) == [Capacity(bytes: 1024)])
    }

    @Test func `an exponent applies to all keys with a Zipf distribution`() throws {
        let text = Self.text(more: ", keys: { popularity: { zipf: 0.5 } }")
        let scenario = try #require(try points(text, "zipf=1.2").first)
        #expect(scenario.keys.popularity == .zipf(exponent: 1.2))
        #expect(try main(scenario).keys.popularity == .zipf(exponent: 1.2))
    }

    // A law of a warm-up stayed as it was, and the popular keys of the fill were others.
    @Test func `an exponent applies to the Zipf laws of warm-ups as well`() throws {
        let text = Self.text().replacing("clients: 3,", with: "clients: 3, keys: { popularity: { zipf: 0.5 } },")
        let scenario = try #require(try points(text, "zipf=1.2").first)
        #expect(scenario.phases.map(\.keys.popularity) == [.zipf(exponent: 1.2), scenario.phases[1].keys.popularity])
    }

    // Pools with a size of their own kept it, and the curve was flat.
    @Test func `a size applies to every pool`() throws {
        let text = Self.text().replacing(
            "keys: { kind: integer, count: 1000, popularity: { zipf: 0.9 } }",
            with: """
                keys: { kind: integer }
                pools:
                  - { name: own, count: 600, size: { uniform: { min: 1 KiB, max: 32 KiB } } }
                  - { name: usual, count: 400 }
                """)
        let scenario = try #require(try points(text, "value-size=128B").first)
        #expect(scenario.values.size == .fixed(128))
        #expect(scenario.values.pools?.map(\.size) == [.fixed(128), .fixed(128)])
    }

    @Test(arguments: [(0.0, 0.75, 0.25), (0.2, 0.6, 0.2), (1, 0, 0)])
    func `writes get their share, and the others keep their proportions`(write: Double, read: Double, load: Double)
        throws
    {
        let mix = try main(try #require(try points(Self.text(), "write-share=\(write)").first)).mix
        let total = mix.weights.values.reduce(0, +)
        #expect(abs(mix[.write] / total - write) < 1e-9)
        #expect(abs(mix[.read] / total - read) < 1e-9)
        #expect(abs(mix[.load] / total - load) < 1e-9)
    }

    @Test func `sizes, delays and rates are put into their places`() throws {
        let text = Self.text(more: ", arrival: { poisson: 10 }", origin: "{ kind: memory, delay: 1 ms }")
        let scenario = try #require(
            try points(text, "value-size=1KiB", "origin-delay=2ms", "rate=500").first)
        #expect(scenario.values.size == .fixed(1024))
        #expect(scenario.origin.delay == .fixed(2_000_000))
        #expect(try main(scenario).arrival == .open(.constant(500), .poisson))
        #expect(scenario.point.description == "swept value-size=1024 origin-delay=2000000 rate=500")
    }

    @Test(arguments: [
        ("sweep: {}", "7:8: sweep: found an empty mapping"),
        ("sweep: { clients: [] }", "7:19: sweep.clients: found an empty list, allowed: 1 to 100 elements"),
        ("sweep: { clients: 4 }", "7:19: sweep.clients: found 4, allowed: a list of values, such as [1, 2, 4]"),
        ("sweep: { clients: [1, 0] }", "7:23: sweep.clients[1]: found 0, allowed: a whole number from 1 to 512"),
        ("sweep: { clients: [2, 2] }", "7:23: sweep.clients[1]: found 2 a second time, allowed: each value once"),
        ("sweep: { client: [2] }", "7:10: sweep.client: found an unknown key"),
        ("sweep: { capacity: [10, 1 KiB] }", "7:25: sweep.capacity[1]: found 1 KiB, allowed: only entries"),
        ("sweep: { capacity: [2000] }", "7:21: capacity.entries: found 2000, allowed: at most 1000"),
        ("sweep: { rate: [5] }", "7:16: sweep.rate: found a closed loop, allowed: only where"),
        ("sweep: { keys: [50] }", "capacity.entries: found 100, allowed: at most 50"),
    ])
    func `a bad sweep is named with line and column`(sweep: String, message: String) {
        let found = mistake(Self.text(sweep: sweep))
        #expect(found.contains(message), "\(found)")
    }

    @Test(arguments: [
        ("clients", "one of clients, capacity, zipf"), ("clents=1", "did you mean clients?"),
        ("clients=", "found an empty list"), ("clients=1,,2", "clients"), ("clients=1e3", "clients[0]"),
        ("clients=99999999999999999999", "clients[0]"), ("capacity=0%", "capacity[0]"), ("=", "one of clients"),
        ("write-share=101%", "write-share[0]"), ("zipf=nan", "zipf[0]"), ("clients=[1]", "clients[0]"),
        ("clients=1]", "found"), ("clients={a: 1}", "clients[0]"),
    ])
    func `a bad argument is named`(argument: String, message: String) {
        let found = mistake(Self.text(), argument)
        #expect(found.hasPrefix("--sweep \(argument)") && found.contains(message), "\(found)")
    }

    @Test func `writes have no share when they are the only operation`() {
        #expect(mistake(Self.text(mix: "{ write: 1 }"), "write-share=0.5").contains("only writes"))
    }

    @Test func `one dimension twice on the command line is refused, and replaces that of the file`() throws {
        #expect(mistake(Self.text(), "clients=1,2", "clients=3").contains("a second sweep over clients"))
        let replaced = try points(Self.text(sweep: "sweep: { clients: [1, 2] }"), "clients=3")
        #expect(replaced.map { $0.point[.clients] } == [3])
    }

    @Test func `a sweep of too many points is refused`() {
        let values = (1...100).map(String.init).joined(separator: ",")
        let found = mistake(
            Self.text(), "clients=\(values)", "keys=" + (1...20).map { "\($0 * 1000)" }.joined(separator: ","))
        #expect(found.contains("more than 1000 points"), "\(found)")
    }

    @Test func `a mistake of a point names the point`() {
        let found = mistake(Self.text(), "keys=1000,50")
        #expect(found.contains("this is the point keys=50"), "\(found)")
    }
}
