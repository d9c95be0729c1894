import Foundation
import Mutants
import TestTiers
import Testing

/// The checks that judge strategies can fail, and fail for the right reason.
@Suite(.timeLimit(.minutes(5)))
struct MutantZooTests {
    /// In the nightly tier each meets all checks, with the seed of the night. The table has three seeds.
    static let seeds: ClosedRange<UInt64> =
        names != nil ? 1...20 : TestTier.isNightly ? StressTime.seedOfToday...StressTime.seedOfToday : 1...1
    static let judged = MutantZoo.all.filter { $0.alarms != nil && isAsked($0.name) }
    static let sound = SoundStrategy.all.filter { isAsked($0.name) }

    /// Those that `CACHE_TRIALS_MUTANTS` names, with commas between them, meet twenty seeds; without it, all are asked.
    private static let names = ProcessInfo.processInfo.environment["CACHE_TRIALS_MUTANTS"]?.components(separatedBy: ",")

    private static func isAsked(_ name: String) -> Bool { names?.contains(name) ?? true }

    @Test(arguments: judged, seeds)
    func `a mutant is caught by the check meant for it`(mutant: Mutant, seed: UInt64) async throws {
        let examine = try #require(mutant.alarms)
        var alarms: [Alarm] = []
        // A fault that shows when two callers meet may hide from a brief check on a busy machine.
        for selection in TestTier.isNightly ? [.all] : [.only([mutant.expected]), .all] as [CheckSelection] {
            alarms = await examine(seed, selection)
            if alarms.contains(where: { $0.check == mutant.expected }) { return }
            print("\(mutant), seed \(seed): \(mutant.expected) is silent with \(selection)")
        }
        Issue.record("\(mutant), seed \(seed): \(mutant.expected) is silent; others: \(alarms)")
    }

    @Test(arguments: sound, seeds)
    func `no check finds anything wrong with a sound strategy`(strategy: SoundStrategy, seed: UInt64) async {
        let selection = TestTier.isNightly ? .all : strategy.usual
        for alarm in await strategy.alarms(seed, selection) { Issue.record("\(strategy.name), seed \(seed): \(alarm)") }
    }

    @Test func `there are at least 140 mutants, and some of every family`() {
        #expect(MutantZoo.all.count >= 140)
        #expect(Set(MutantZoo.all.map(\.family)) == Set(Mutant.Family.allCases))
    }

    @Test func `names are kebab-case and unique`() {
        let names = MutantZoo.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil })
    }

    @Test(arguments: MutantZoo.all) func `a summary is one short line`(mutant: Mutant) {
        #expect((10...100).contains(mutant.summary.count))
        #expect(!mutant.summary.contains("\n") && !mutant.summary.hasSuffix("."))
    }

    @Test func `only a program that another process judges has no checks here`() {
        let unjudged = MutantZoo.all.filter { $0.alarms == nil }
        #expect(unjudged.allSatisfy { $0.family == .races && $0.expected == .raceDetector })
        #expect(unjudged.count >= 4)
    }
}
