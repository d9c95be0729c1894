import Foundation
import Testing

@testable import ScenarioFiles
@testable import TrialModel

/// Scenarios whose keys come from a trace.
@Suite(.timeLimit(.minutes(1)))
struct TracedScenarioTests {
    @Test func `keys, sizes and operations come from the trace`() throws {
        let text = Self.text(keys: "trace: t.csv, format: csv, requests: 50", size: "", mix: "trace")
        let scenario = try Self.reader(sizes: true).read(text: text, file: "/some/folder/traced.yaml")
        #expect(
            scenario.keys
                == KeySpace(
                    kind: .string, count: 20, popularity: .uniform,
                    trace: KeyTrace(path: "/some/folder/t.csv", format: .csv, requestLimit: 50, requestCount: 40)))
        #expect(
            scenario.values
                == ValueSpecification(
                    kind: .bytes, size: .uniform(min: 64, max: 900), traced: TracedValues(sizes: true, lifetimes: false)
                ))
        #expect(scenario.phases.map(\.mix) == [.traced])
    }

    @Test func `sizes in the scenario file take precedence over the trace's`() throws {
        let scenario = try Self.reader(sizes: true).read(text: Self.text(), file: "traced.yaml")
        #expect(scenario.values == ValueSpecification(kind: .bytes, size: .fixed(1024)))
    }

    @Test func `sizes of the trace can't change by version, those of the scenario file can`() throws {
        let error = #expect(throws: ScenarioFileError.self) {
            try Self.reader(sizes: true).read(text: Self.text(size: ", changes: true"), file: "case.yaml")
        }
        #expect(
            error?.mistakes.map(\.description) == [
                "case.yaml:3:33: values.changes: found sizes of a trace that change, allowed: only with a size in values "
                    + "(the trace has one size for each key)"
            ])
        let text = Self.text(size: ", size: { uniform: { min: 1 KiB, max: 2 KiB } }, changes: true")
        #expect(try Self.reader(sizes: true).read(text: text, file: "traced.yaml").values.changes == true)
    }

    @Test(arguments: [("/a/b/t.lirs", "/a/b/t.lirs"), ("../t.lirs", "/some/t.lirs"), ("t.lirs", "/some/folder/t.lirs")])
    func `the path of a trace is relative to the scenario's folder`(path: String, expected: String) throws {
        let text = Self.text(keys: "trace: \(path)")
        let scenario = try Self.reader(sizes: false).read(text: text, file: "/some/folder/traced.yaml")
        #expect(scenario.keys.trace?.path == expected)
    }

    private struct Mistake: Sendable {
        let text: String
        let expected: String

        init(_ text: String, _ expected: String) {
            self.text = text
            self.expected = expected
        }
    }

    private static let mistakes: [Mistake] = [
        Mistake(
            text(keys: "count: 5, trace: t"),
            "2:30: keys.count: found count together with a trace, allowed: only without a trace (the trace determines the number of keys; 'requests' cuts it)"
        ),
        Mistake(
            text(keys: "trace: t, popularity: uniform"),
            "2:45: keys.popularity: found popularity together with a trace, allowed: only without a trace (the trace determines which keys are requested)"
        ),
        Mistake(
            text(keys: "trace: t, format: arcs"),
            "2:41: keys.format: found arcs, allowed: arc, lirs, oracleGeneral, cache2k, csv, tsv, keys, twitter, msr, redis (did you mean arc?)"
        ),
        Mistake(
            text(keys: "trace: t, requests: 0"),
            "2:43: keys.requests: found 0, allowed: a whole number from 1 to 100000000"),
        Mistake(
            text(keys: "count: 50, requests: 5"),
            "2:44: keys.requests: found requests without a trace, allowed: only with a trace"),
        Mistake(
            text(keys: "count: 50", mix: "trace"),
            "6:46: phases[0].mix: found trace, allowed: only with a trace in keys"),
        Mistake(
            text(keys: "trace: t", mix: "{ load: 1 }, keys: { first: 3 }"),
            "6:65: phases[0].keys: found a phase's own keys, allowed: only without a trace (each phase continues the trace where the previous one ended)"
        ),
        Mistake(
            text(keys: "trace: t", entries: 21),
            "4:22: capacity.entries: found 21, allowed: at most 20 (there are no more keys)"),
        Mistake(
            text(keys: "trace: bad"),
            "2:30: keys.trace: found bad, allowed: a trace that can be read (it is empty)"),
    ]

    @Test(arguments: mistakes.indices)
    func `a mistake about traces is explained`(index: Int) {
        let mistake = Self.mistakes[index]
        let error = #expect(throws: ScenarioFileError.self) {
            try Self.reader(sizes: false).read(text: mistake.text, file: "case.yaml")
        }
        #expect(
            error?.mistakes.map { String($0.description.dropFirst("case.yaml:".count)) } == [mistake.expected])
    }

    @Test func `a size is needed when the trace has none`() {
        let error = #expect(throws: ScenarioFileError.self) {
            try Self.reader(sizes: false).read(text: Self.text(size: ""), file: "case.yaml")
        }
        #expect(error?.description.hasSuffix("(the trace has no sizes)") == true)
        #expect(error?.mistakes.count == 1)
    }

    @Test func `a capacity beyond the sum of the trace's sizes is explained`() {
        let text = Self.text(size: "").replacing("entries: 10", with: "bytes: 4001 B")
        let error = #expect(throws: ScenarioFileError.self) {
            try Self.reader(sizes: true).read(text: text, file: "case.yaml")
        }
        #expect(error?.description.contains("found 4001 B, allowed: at most 4000 B") == true, "\(error as Any)")
    }

    @Test func `without a trace reader a scenario with a trace is refused`() {
        let error = #expect(throws: ScenarioFileError.self) {
            try ScenarioReader(knownStrategies: []).read(text: Self.text(), file: "case.yaml")
        }
        #expect(error?.description.contains("traces are not read here") == true)
    }

    // MARK: -

    private struct Unreadable: Error, CustomStringConvertible {
        let description = "it is empty"
    }

    private static func reader(sizes: Bool) -> ScenarioReader {
        ScenarioReader(knownStrategies: []) { trace in
            if trace.path.hasSuffix("bad") { throw Unreadable() }
            return KeyTraceFacts(
                requestCount: 40, keyCount: 20,
                sizes: sizes ? KeyTraceFacts.Sizes(smallest: 64, largest: 900, total: 4000) : nil)
        }
    }

    private static func text(
        keys: String = "trace: t", size: String = ", size: 1 KiB", mix: String = "{ load: 1 }", entries: Int = 10
    ) -> String {
        """
        title: Traced
        keys: { kind: string, \(keys) }
        values: { kind: bytes\(size) }
        capacity: { entries: \(entries) }
        origin: { kind: memory }
        phases: [ { name: only, operations: 40, mix: \(mix) } ]
        """
    }
}
