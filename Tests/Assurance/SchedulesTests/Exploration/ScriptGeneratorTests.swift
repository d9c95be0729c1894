import Testing
import TrialModel

@testable import Schedules

/// Random scripts.
@Suite(.timeLimit(.minutes(1)))
struct ScriptGeneratorTests {
    private static func scripts(keyCount: Int = 2, triesLimits: Bool) -> [ScheduleScript] {
        let generator = ScriptGenerator(keyCountMax: keyCount, triesLimits: triesLimits)
        return (0..<800).map { generator.script(seed: $0) }
    }

    @Test func `one script in eight has room for one of two keys, and a caller that looks while others write`() {
        let limited = Self.scripts(triesLimits: true).filter { $0.entryLimit != nil }
        #expect((60...140).contains(limited.count))
        for script in limited {
            #expect(script.entryLimit == 1 && script.keyCount == 2)
            let looks = script.callers.last?.map(\.kind) ?? []
            #expect(looks == [.read, .read, .read] || looks == [.statistics, .statistics, .statistics])
        }
    }

    @Test func `without two keys or a limit that holds at every moment, no script is about limits`() {
        #expect(Self.scripts(triesLimits: false).allSatisfy { $0.entryLimit == nil })
        #expect(Self.scripts(keyCount: 1, triesLimits: true).allSatisfy { $0.entryLimit == nil })
    }
}
