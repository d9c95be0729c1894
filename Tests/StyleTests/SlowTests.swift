import Foundation
import Testing

/// The tests that may take more than a hundredth of the time of all tests. Any other that does belongs to the nightly tier.
///
/// `Results/reference/data/tests.csv`, which `scripts/reference tests` writes, has the times. A share holds on fast machines and
/// on slow ones. No test is timed here: a busy machine would make it fail.
@Suite(.timeLimit(.minutes(1)))
struct SlowTests {
    /// Each with its reason.
    static let reasons: [String: String] = [
        "features that go together complete, with all their rows":
            "Each case is a run, a plan or a comparison of the real program.",
        "a mutant is caught by the check meant for it":
            "Over a hundred mutants, each against its check; two wait for lost callers.",
        "a registered strategy keeps the contract and its own promises":
            "Every strategy of the registry by all checks of the contract.",
        "no check finds anything wrong with a sound strategy":
            "Every sound strategy has a history of concurrent callers.",
        "features that don't go together are refused before the first trial":
            "Every exclusion is a command of the real program.",
        "a published fault is an expected finding, and its smallest script reproduces it":
            "The one real exploration of a published design, shortened and repeated.",
        "phases of several clients are not counted, and nothing is timed":
            "The one run under Valgrind, which is slow.",
        "a check passes a sound strategy over HTTP, and catches and draws a control":
            "The one real check of the program, with its probes.",
        "two programs take turns until all is decided, and --resume continues":
            "The one real comparison of two programs.",
        "in every order reads agree with some sequential order, and no value is released in use":
            "Every order of the steps of two readers and a writer.",
        "a strategy keeps the contract and its own promises":
            "The contract over a real server, with a round trip for each operation.",
        "every policy misses as often as in the other simulator":
            "All rows of the independent simulator, policy by policy.",
        "a build is hardly ever worse or better than itself, and the same in the end":
            "A rate of false alarms needs hundreds of comparisons.",
        "a fault fails its own request and no other":
            "Every kind of fault over HTTP, some of which wait for a time limit.",
        "the program accepts the command of a page":
            "Every command of every page and help text.",
        "every strategy continues under every level, and normal pressure releases nothing":
            "A trial in this process for each strategy and level.",
    ]

    @Test func `a test over a hundredth of the time of all has a reason`() throws {
        let file = try #require(SourceFile(path: "Results/reference/data/tests.csv"))
        let rows = file.lines.dropFirst().map(Figures.values).filter { $0.count == 4 }
        let all = try #require(rows.first { $0[0] == "all" }.flatMap { Double($0[3]) })
        let slow = rows.filter { $0[0] == "test" && (Double($0[3]) ?? 0) > all / 100 }.map { $0[1] }
        #expect(!slow.isEmpty && slow.count <= 15)
        #expect(slow.filter { Self.reasons[$0] == nil } == [])
    }

    @Test func `the list names tests that exist, with a reason each`() {
        let tests = SourceFile.all(in: "Tests").map { $0.lines.joined(separator: "\n") }
        for (name, reason) in Self.reasons {
            #expect(tests.contains { $0.contains("func `\(name)`") }, "\(name)")
            #expect(reason.count > 10, "\(name)")
        }
    }
}
