import Measurement
import Testing
import TrialModel

@testable import TrialLoop

@Suite(.timeLimit(.minutes(1)))
struct SliceFiguresTests {
    /// A client whose operations all took equally long.
    private static func client(_ operations: Int, of latency: UInt64, in nanoseconds: UInt64) -> SliceFigures {
        var recorder = IntervalRecorder(measured: true, isCut: true)
        recorder.begin(at: 0)
        for _ in 0..<operations { recorder.record(.read, .hit, nanoseconds: latency, at: 0) }
        let cut = recorder.cut()
        return SliceFigures(operations: cut.operations, nanoseconds: nanoseconds, latencies: cut.latencies)
    }

    @Test func `a client's rate is its operations divided by its own time`() {
        #expect(Self.client(100, of: 10, in: 1_000_000).operationsPerSecond == 100_000)
    }

    @Test func `the rates of clients add up, also when one of them was late`() {
        let all = SliceFigures(of: [Self.client(100, of: 10, in: 1_000_000), Self.client(10, of: 10, in: 10_000_000)])
        #expect(all.operations == 110)
        #expect(all.operationsPerSecond == 101_000)
    }

    @Test func `the median is that of the operations of all clients`() throws {
        let clients = [Self.client(3, of: 10, in: 1), Self.client(4, of: 20, in: 1), Self.client(3, of: 30, in: 1)]
        #expect(try abs(#require(SliceFigures(of: clients).p50) - 20) < 0.5)
    }

    @Test func `a slice without operations has neither a rate nor a median`() {
        let none = SliceFigures(of: [Self.client(0, of: 10, in: 0)])
        #expect(none.operations == 0 && none.operationsPerSecond == 0 && none.p50 == nil)
    }
}
