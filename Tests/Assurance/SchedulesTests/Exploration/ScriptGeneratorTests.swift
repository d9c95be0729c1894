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

    @Test func `a fair share of the scripts has more keys than the cache has room for`() {
        let scripts = Self.scripts(keyCount: 100, triesLimits: true)
        let crowded = scripts.filter { ($0.entryLimit ?? 100) > 1 && $0.keyCount > ($0.entryLimit ?? 100) }
        #expect((120...320).contains(crowded.count))
        #expect(Set(crowded.map(\.entryLimit)) == [2, 3] && crowded.allSatisfy { (3...5).contains($0.keyCount) })
        let kinds = Set(crowded.flatMap(\.callers).joined().map(\.kind))
        #expect(kinds.isSuperset(of: [.load, .read, .write, .remove, .clear]))
    }

    @Test func `a cache that needs more room has it, and one that needs more than scripts have keys has its own`() {
        let roomy = ScriptGenerator(keyCountMax: 100, triesLimits: false, roomMin: 4)
        let limits = (0..<800).compactMap { roomy.script(seed: $0).entryLimit }
        #expect(limits.count > 120 && limits.allSatisfy { $0 == 4 })
        let large = ScriptGenerator(keyCountMax: 100, triesLimits: false, roomMin: 16)
        #expect((0..<800).allSatisfy { large.script(seed: $0).entryLimit == nil })
    }

    @Test func `without two keys or a limit that holds at every moment, no script is about limits`() {
        #expect(Self.scripts(triesLimits: false).allSatisfy { $0.entryLimit == nil && $0.keyCount <= 2 })
        #expect(Self.scripts(keyCount: 1, triesLimits: true).allSatisfy { $0.entryLimit == nil })
    }
}
