import Testing
import TrialModel

@testable import TrialSessions

@Suite(.timeLimit(.minutes(1)))
struct CallgrindProfileTests {
    private static let head = """
        # callgrind format
        version: 1
        creator: callgrind-3.19.0
        positions: line
        events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
        summary: 700

        """

    private static let calls = """
        fn=a loop
        12 20
        cob=program
        cfn=cache_trials_counted_read
        calls=3 0
        12 300 9 9 1 4 2 0 1
        cfn=cache_trials_bare_read
        calls=3 0
        12 30

        fn=cache_trials_counted_read
        7 15
        cfn=of the cache
        calls=3 0
        7 285
        +3 5

        fn=another
        * 1
        cfn=cache_trials_counted_read
        calls=2 0
        -3 200 0 0 0 1

        """

    private func profile(_ text: String) throws -> CallgrindProfile {
        try CallgrindProfile(text, prefix: "cache_trials_")
    }

    @Test func `calls of a function are added up over all callers`() throws {
        let calls = try #require(try profile(Self.head + Self.calls).calls["cache_trials_counted_read"])
        #expect(calls.calls == 5)
        #expect(calls.instructions == 500)
    }

    @Test func `misses of reads and of writes are added up, by level`() throws {
        let calls = try #require(try profile(Self.head + Self.calls).calls["cache_trials_counted_read"])
        #expect(calls.firstLevelMisses == 7)
        #expect(calls.lastLevelMisses == 1)
    }

    @Test func `a function's own costs exclude the functions that it calls`() throws {
        #expect(try profile(Self.head + Self.calls).own["cache_trials_counted_read"] == 20)
    }

    @Test func `the total is the sum of all functions' own costs`() throws {
        #expect(try profile(Self.head + Self.calls).total.instructions == 20 + 15 + 5 + 1)
    }

    @Test func `functions of other names are not kept`() throws {
        #expect(try profile(Self.head + Self.calls).calls["of the cache"] == nil)
    }

    @Test(arguments: [
        "events: Ir\nfn=a\n1 x\n", "events: Ir\nfn=a\n1 18446744073709551616\n", "events: Ir\nfn=a\ncalls=x 0\n",
        "events: Dr\n", "events: Ir\nfn=a\n1 2 3\n",
    ])
    func `an invalid line is named`(text: String) {
        let error = #expect(throws: HarnessError.self) { try profile(text) }
        #expect(error?.description.contains("of Callgrind's profile can't be read") == true)
    }

    @Test func `a profile without events is invalid`() {
        #expect(throws: HarnessError.self) { try profile("") }
    }
}
