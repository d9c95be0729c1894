import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import Traces

/// Traces that give no advice, and input that is wrong.
@Suite(.timeLimit(.minutes(5)))
struct AdviceRefusalTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func advice(
        _ text: String, _ name: String = "a.csv", _ change: (inout AdviceRequest) -> Void = { _ in }
    ) throws -> TraceAdvice {
        var request = AdviceRequest()
        request.wantsCurve = false
        change(&request)
        return try TraceAdvice(path: try folder.write(text, to: name), request: request)
    }

    private func error(_ text: String, _ change: (inout AdviceRequest) -> Void = { _ in }) -> String? {
        do {
            _ = try advice(text, "a.csv", change)
            return nil
        } catch { return "\(error)".replacing(folder.path + "/", with: "") }
    }

    private func lines(_ keys: [Int]) -> String { keys.map { "\($0)\n" }.joined() }

    @Test func `a cache that the trace does not fill, while new keys come, is refused`() throws {
        let refusal = try advice(lines((0..<9_000).map { $0 % 50 == 0 ? $0 : $0 * $0 % 250 }), "a.lirs") {
            $0.budget = .entries(500)
        }.refusal
        #expect(refusal?.reason == .tooShort)
        let text = try #require(refusal?.description)
        #expect(text.hasPrefix("The trace is too short: all of its keys fill "))
        #expect(text.hasSuffix(" as long."))
    }

    @Test(arguments: [
        ((0..<9_000).map { $0 * $0 % 250 }, ReplayCapacity.entries(500)), ((0..<9_000).map { $0 % 100 }, .entries(100)),
        (Array(repeating: 7, count: 9_000), nil),
    ]) func `a trace whose keys all fit is an answer`(keys: [Int], budget: ReplayCapacity?) throws {
        let advice = try advice(lines(keys), "a.lirs") { $0.budget = budget }
        #expect(advice.refusal == nil && advice.fits, "\(advice.refusal as Any)")
    }

    @Test func `a few requests are refused`() throws {
        let refusal = try advice(lines((0..<500).map { $0 % 20 }), "a.lirs") { $0.budget = .entries(10) }.refusal
        #expect(
            refusal?.description
                == "The trace is too short: only 312 requests are left after the warm-up; record at "
                + "least 10 times as long.")
    }

    @Test func `requests without any order are refused`() throws {
        var random = RandomSource(seed: 5, stream: 0)
        let keys = (0..<20_000).map { _ in Int(random.next(below: 1_000)) }
        for budget in [3, 10, 100] {
            let refusal = try advice(lines(keys), "a.lirs") { $0.budget = .entries(budget) }.refusal
            #expect(refusal?.reason == .tooEven, "\(budget)")
            #expect(refusal?.description.contains("of the keys, as chance would") == true)
        }
    }

    @Test func `hits of the first half alone are refused`() throws {
        var random = RandomSource(seed: 6, stream: 0)
        let keys = (0..<20_000).map { $0 < 10_000 ? $0 % 40 : 100 + Int(random.next(below: 3_000)) }
        let refusal = try advice(lines(keys), "a.lirs") { $0.budget = .entries(30) }.refusal
        #expect(refusal?.reason == .tooOld)
        #expect(refusal?.description.hasSuffix("record it again, beginning later.") == true)
    }

    // MARK: Wrong input

    @Test func `a size in bytes needs sizes`() {
        #expect(
            error("key\n1\n2\n") { $0.budget = .bytes(10) }
                == "a.csv has no sizes, so a size in bytes can't be judged; give it in entries (1000) or per cent "
                + "(5%), or record a column size.")
        #expect(error("key,size\n1,0\n2,0\n") { $0.budget = .entries(1) } == nil)
    }

    @Test func `times that go back are reported with their request`() {
        #expect(
            error("time,key\n1,a\n3,b\n2,c\n")
                == "a.csv: the time of request 3 is before that of the request before it; sort the trace by time.")
    }

    @Test func `an empty trace, and one of removals, are reported`() {
        #expect(error("key\n")?.contains("holds no request") == true)
        #expect(error("key,operation\na,delete\n")?.contains("record the lookups of the cache too") == true)
    }

    @Test func `a worth needs the time of a miss`() {
        #expect(
            error("key\n1\n2\n") { $0.worth = .perThousandEntries(5) }
                == "A worth of memory is a time, and the time of a miss is not known; give the origin's time too.")
    }
}
