import HistoryChecking
import Testing
import TrialModel

@testable import Schedules

/// Shrinking scripts to a minimal counterexample.
@Suite(.timeLimit(.minutes(1)))
struct ScriptShrinkerTests {
    private static func script(_ lines: String...) throws -> ScheduleScript {
        ScheduleScript(
            callers: try lines.map { line in
                try line.split(separator: ",").map { try #require(ScriptedOperation($0)) }
            })
    }

    @Test func `a candidate is one step simpler`() throws {
        let candidates = ScriptShrinker.candidates(try Self.script("failing-load 1", "clear"))
        #expect(
            candidates.map(\.lines) == [
                ["clear"], ["failing-load 1"], ["load 1", "clear"], ["failing-load 0", "clear"],
                ["failing-load 1", "remove 0"],
            ])
    }

    @Test func `steps that are needed stay, and the rest is removed`() throws {
        let shrinker = ScriptShrinker { script, seed in
            // Broken by a write and a removal of different callers, with every third seed.
            let kinds = script.callers.map { $0.map(\.kind) }
            guard seed % 3 == 0, kinds.contains(where: { $0.contains(.write) }),
                kinds.contains(where: { $0.contains(.remove) && !$0.contains(.write) })
            else { return nil }
            return PromiseFinding(promise: .freshness, verdict: .inconsistent, operationsChecked: 1)
        }
        let large = try Self.script("load 1, write 1, read 0", "clear, remove 1", "load 0")
        let smallest = try #require(try shrinker.smallest(from: large, seed: 6))
        #expect(smallest.script.lines == ["write 0", "remove 0"])
        #expect(smallest.seed % 3 == 0)
    }

    @Test func `a script that does not break the promise again has no smallest form`() throws {
        let shrinker = ScriptShrinker { _, _ in nil }
        #expect(try shrinker.smallest(from: try Self.script("load 0"), seed: 1) == nil)
    }
}
