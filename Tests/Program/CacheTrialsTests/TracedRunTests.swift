import Foundation
import Testing

/// Scenarios that take their keys from a trace, as a user runs them.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct TracedRunTests {
    private let folder: TemporaryFolder
    private var output: String { "\(folder.path)/out" }

    init() throws { folder = try TemporaryFolder() }

    private static let scenario = """
        title: A trace with sizes
        repetitions: 1
        keys: { kind: string, trace: traffic.csv }
        values: { kind: bytes }
        capacity: { entries: 2 }
        origin: { kind: server }
        strategies: [lru, disk]
        phases: [ { name: replay, operations: 6, mix: trace } ]

        """

    @Test func `values have the sizes of the trace, at the server as well`() async throws {
        let file = try folder.write(Self.scenario, to: "traced.yaml")
        _ = try folder.write("key,size\na,100\nb,2000\na,100\nc,5\na,100\nb,9\n", to: "traffic.csv")
        let ending = await Program.here("run", file, "--quiet", "--output", output)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try records(of: "\(output)/hit-rate.csv").filter { $0["tier"] == "all" }
        #expect(rows.count == 2)
        for row in rows {
            #expect(row["lookups"] == "6" && row["hits"] == "2", "\(row)")
            // b keeps the size of its first request, and 5 bytes are raised to the smallest payload.
            // Two hits of 100 bytes among 3 × 100 + 2 × 2000 + 64.
            #expect(row["byte_hit_ratio"] == "0.045830", "\(row)")
        }
        #expect(Set(try records(of: "\(output)/trials.csv").map { $0["wrong_answers"] }) == ["0"])
    }

    @Test(arguments: ["memory", "server"])
    func `values live as long as the trace says, divided by its speed`(origin: String) async throws {
        // A millionth of a second is over before a request is answered; a thousand years are not over in this test.
        let text = Self.scenario.replacingOccurrences(of: "traffic.csv", with: "traffic.csv, speed: 1000000")
            .replacingOccurrences(of: "[lru, disk]", with: "[lru, expiring]")
            .replacingOccurrences(of: "{ entries: 2 }", with: "{ entries: 3 }")
            .replacingOccurrences(of: "kind: server", with: "kind: \(origin)")
        let file = try folder.write(text, to: "traced.yaml")
        _ = try folder.write(
            "key,lifetime,size\na,1,100\na,0,100\nb,4000000000,100\nb,1,100\na,1,100\nc,0,100\n", to: "traffic.csv")
        let ending = await Program.here("run", file, "--quiet", "--output", output)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try records(of: "\(output)/hit-rate.csv")
        #expect(rows.map { $0["strategy"] } == ["lru", "expiring"])
        #expect(rows.map { $0["hits"] } == ["3", "1"])
    }

    @Test func `a run is resumed with the same trace, and refused with another one`() async throws {
        let file = try folder.write(Self.scenario.replacingOccurrences(of: "server", with: "memory"), to: "traced.yaml")
        let trace = "key,size\na,100\nb,2000\na,100\nc,5\na,100\nb,9\n"
        _ = try folder.write(trace, to: "traffic.csv")
        let first = await Program.here("run", file, "--quiet", "--strategies", "lru", "--output", output)
        #expect(first.exitCode == 0, "\(first.errors)")
        let second = await Program.here("run", file, "--quiet", "--output", output, "--resume")
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try records(of: "\(output)/trials.csv").map { $0["strategy"] } == ["lru", "disk"])
        _ = try folder.write(trace.replacingOccurrences(of: "2000", with: "2001"), to: "traffic.csv")
        let third = await Program.here("run", file, "--quiet", "--output", output, "--resume")
        #expect(third.exitCode != 0)
        #expect(third.errors.contains("the trace of \(file) has changed"), "\(third.errors)")
    }

    @Test(arguments: ["validate", "run"])
    func `a bad trace is found before anything runs`(verb: String) async throws {
        let file = try folder.write(Self.scenario, to: "traced.yaml")
        _ = try folder.write("key,size\na,100\nb\n", to: "traffic.csv")
        let ending = await Program.here(verb, file)
        #expect(ending.exitCode == 65)
        #expect(ending.errors.contains("traced.yaml:3:30: keys.trace: "), "\(ending.errors)")
        #expect(ending.errors.contains("traffic.csv:3:"), "\(ending.errors)")
    }
}
