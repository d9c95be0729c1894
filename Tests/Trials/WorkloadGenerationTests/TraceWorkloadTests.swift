import Foundation
import Testing
import Traces

@testable import TrialModel
@testable import WorkloadGeneration

@Suite(.timeLimit(.minutes(1)))
struct TraceWorkloadTests {
    @Test func `keys are numbered in the order of their first request`() throws {
        let trace = try Self.trace("9\n4\n9\n7\n", "a.lirs")
        #expect(Self.keys(of: Self.scenario(trace), phase: 0, client: 0, trace) == [0, 1, 0, 2])
        #expect(trace.facts == KeyTraceFacts(requestCount: 4, keyCount: 3))
    }

    @Test func `clients take every n-th request, and together the whole trace`() throws {
        let trace = try Self.trace("1\n2\n3\n4\n5\n", "a.lirs")
        var scenario = Self.scenario(trace)
        scenario.phases[0].clients = 2
        #expect(Self.keys(of: scenario, phase: 0, client: 0, trace) == [0, 2, 4])
        #expect(Self.keys(of: scenario, phase: 0, client: 1, trace) == [1, 3])
    }

    @Test func `at the end of the trace it starts again`() throws {
        let trace = try Self.trace("1\n2\n3\n", "a.lirs")
        #expect(
            Self.keys(of: Self.scenario(trace, operations: 7), phase: 0, client: 0, trace) == [0, 1, 2, 0, 1, 2, 0])
        var crowd = Self.scenario(trace, operations: 14)
        crowd.phases[0].clients = 7
        #expect(
            (0..<7).map { Self.keys(of: crowd, phase: 0, client: $0, trace) }
                == [[0, 1], [1, 2], [2, 0], [0, 1], [1, 2], [2, 0], [0, 1]])
    }

    @Test func `a phase continues after the operations of those before it`() throws {
        let trace = try Self.trace("1\n2\n3\n4\n5\n", "a.lirs")
        var scenario = Self.scenario(trace, operations: 3)
        var timed = scenario.phases[0]
        timed.length = .duration(nanoseconds: 1)
        scenario.phases = [scenario.phases[0], timed, scenario.phases[0]]
        #expect(Self.keys(of: scenario, phase: 2, client: 0, trace) == [3, 4, 0])
    }

    @Test func `requests beyond the limit are not read`() throws {
        let trace = try Self.trace("1\n2\n1\n3\nnonsense\n", "a.lirs", limit: 3)
        #expect(trace.facts == KeyTraceFacts(requestCount: 3, keyCount: 2))
    }

    @Test func `sizes are those of the first requests, within the limits of a payload`() throws {
        let trace = try Self.trace("key,size\n5,100\n6,1\n5,900\n7,4294967295\n", "a.csv")
        #expect(trace.keySizes == [100, 64, 256 << 20])
        #expect(trace.facts.sizes == KeyTraceFacts.Sizes(smallest: 64, largest: 256 << 20, total: (256 << 20) + 164))
    }

    @Test func `lifetimes are those of the first requests`() throws {
        let trace = try Self.trace("key,lifetime\n5,60\n6,0\n5,90\n", "a.csv")
        #expect(trace.keyLifetimes == [60, 0])
        #expect(trace.facts.hasLifetimes)
    }

    @Test func `a phase that follows the trace loads, writes and removes as it says`() throws {
        let trace = try Self.trace("key,operation\n1,get\n1,set\n2,delete\n1,get\n", "a.csv")
        var scenario = Self.scenario(trace, operations: 4)
        scenario.phases[0].mix = .traced
        var stream = OperationStream(scenario: scenario, phaseIndex: 0, client: 0, trace: trace)
        #expect(stream.prefix(9).map(\.kind) == [.load, .write, .remove, .load])
    }

    @Test func `a phase that follows the trace loads in place of what its mix lacks`() throws {
        let trace = try Self.trace("key,operation\n1,get\n1,set\n2,delete\n3,get\n", "a.csv")
        var scenario = Self.scenario(trace, operations: 4)
        scenario.phases[0].mix = .traced
        for (missing, kinds) in [
            (OperationKind.remove, [.load, .write, .load, .load]), (.write, [.load, .load, .remove, .load]),
        ] as [(OperationKind, [OperationKind])] {
            let lacking = scenario.sending(only: Set(OperationKind.allCases).subtracting([missing]))
            var stream = OperationStream(scenario: lacking, phaseIndex: 0, client: 0, trace: trace)
            let operations = stream.prefix(9)
            #expect(operations.map(\.kind) == kinds && operations.map(\.key) == [0, 0, 1, 2])
        }
    }

    @Test func `without operations in the trace a phase that follows it only loads`() throws {
        let trace = try Self.trace("1\n2\n", "a.lirs")
        var scenario = Self.scenario(trace)
        scenario.phases[0].mix = .traced
        var stream = OperationStream(scenario: scenario, phaseIndex: 0, client: 0, trace: trace)
        #expect(stream.prefix(9).map(\.kind) == [.load, .load])
    }

    @Test func `a bad line is an error that names it`() throws {
        let error = #expect(throws: TraceWorkloadError.self) { try Self.trace("1\nnonsense\n", "a.lirs") }
        #expect(error?.description.contains("a.lirs:2:") == true)
    }

    @Test func `a trace that differs from the one the scenario was checked with is refused`() throws {
        let trace = try Self.trace("1\n2\n", "a.lirs")
        var keys = Self.scenario(trace).keys
        #expect(throws: Never.self) { try trace.check(against: keys) }
        keys.count = 3
        #expect(throws: TraceWorkloadError.self) { try trace.check(against: keys) }
    }

    // MARK: -

    private static func trace(_ text: String, _ name: String, limit: Int? = nil) throws -> TraceWorkload {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        let format: TraceFormat = name.hasSuffix(".csv") ? .csv : .lirs
        return try TraceWorkload(KeyTrace(path: file.path, format: format, requestLimit: limit))
    }

    private static func scenario(_ trace: TraceWorkload, operations: Int? = nil) -> Scenario {
        var scenario = makeScenario(
            .uniform, keyCount: trace.keyCount, mix: [.load: 1], length: .operations(operations ?? trace.requestCount))
        scenario.keys.trace = KeyTrace(path: "/a", requestCount: trace.requestCount)
        return scenario
    }

    private static func keys(of scenario: Scenario, phase: Int, client: Int, _ trace: TraceWorkload) -> [UInt32] {
        var stream = OperationStream(scenario: scenario, phaseIndex: phase, client: client, trace: trace)
        return stream.prefix(100).map(\.key)
    }
}
