import Testing
import TrialModel

@testable import ScenarioFiles

/// Events that remove keys, in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct InvalidationScenarioTests {
    private static func phase(_ rest: String, mix: String = "{ load: 1 }", length: String = "duration: 2 s") -> String {
        "{ name: a, \(length), mix: \(mix), invalidate: \(rest) }"
    }

    @Test func `events have a time between them and a share, which is everything by default`() throws {
        let part = try PhasesInTests.read(Self.phase("{ every: 300 ms, share: 30% }"))
        #expect(part.phases[0].invalidation == .defaults.with { ($0.every, $0.share) = (300_000_000, 0.3) })
        let all = try PhasesInTests.read(Self.phase("{ every: 1 s }"))
        #expect(all.phases[0].invalidation?.clears == true)
    }

    private static let mistakes = [
        (phase("{ share: 30% }"), "every"), (phase("{ every: 1 ms }"), "10 ms"),
        (phase("{ every: 300 ms, share: 0% }"), "share"), (phase("{ every: 300 ms, share: 120% }"), "share"),
        (phase("{ every: 3 s }"), "found an event every 3 s, allowed: less than the phase, 2 s"),
        (phase("{ every: 300 ms }", mix: "{ write: 1 }"), "invalidate without lookups"),
        (phase("{ every: 300 ms }", mix: "{ load: 1, prefetch: 1 }"), "invalidate together with a prefetch"),
        (phase("{ every: 300 ms }, warm-up: true"), "invalidate in a warm-up"),
        ("{ name: a, frames: {}, invalidate: { every: 300 ms } }", "invalidate together with frames"),
    ]

    @Test(arguments: mistakes) func `what can't be measured is refused`(phase: String, words: String) {
        let found = PhasesInTests.mistakes(phase, "{ name: b, operations: 5, mix: { load: 1 } }")
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }
}
