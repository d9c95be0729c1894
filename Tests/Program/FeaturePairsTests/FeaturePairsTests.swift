import BuiltProgram
import Foundation
import TestTiers
import Testing
import TrialModel

/// Every value of every feature with every value of every other: a pair goes together, or is refused with a reason.
@Suite(.timeLimit(.minutes(240)), .serialized)
struct FeaturePairsTests {
    private static let seed = StressTime.seedOfToday
    /// How many cases run in `scripts/test`.
    private static let quickCount = 10
    private static let apart = PairRule.exclusions + PairRule.loners + PairRule.costly

    static func array() -> CoveringArray {
        CoveringArray(counts: Feature.all.map(\.values.count), excluding: apart.flatMap(\.pairs), seed: seed)
    }

    @Test func `features that go together complete, with all their rows`() async throws {
        try await Self.forEach(Self.cases(areSlow: false)) { try await Self.expectCompletion(of: $0) }
    }

    @Test(.nightly) func `so do those that count instructions, search for rates or compare programs`() async throws {
        try await Self.forEach(Self.cases(areSlow: true)) { try await Self.expectCompletion(of: $0) }
    }

    /// The cases that cover all pairs, or the first of them.
    private static func cases(areSlow: Bool) -> [FeatureCase] {
        var array = Self.array()
        var cases: [FeatureCase] = []
        while TestTier.isNightly || cases.count < quickCount, let values = array.next() {
            let one = FeatureCase(values: values)
            if one.isSlow == areSlow { cases.append(one) }
        }
        report("\(cases.count) of the cases for \(array.coveredCount) pairs; others rule out \(array.impossible.count)")
        return cases
    }

    @Test func `features that don't go together are refused before the first trial`() async throws {
        var cases: [(rule: PairRule, case: FeatureCase)] = []
        var array = Self.array()
        for rule in PairRule.exclusions {
            let alone = rule.pairs.compactMap { PairRule.alone($0, among: &array) }
            #expect(!alone.isEmpty, "no case has only this exclusion: \(rule)")
            cases += alone.map { (rule, $0) }
        }
        Self.report("\(cases.count) cases of \(PairRule.exclusions.count) exclusions")
        try await Self.forEach(cases) { rule, refused in
            let problems = refused.problemsOfRefusal(try await refused.run(), saying: rule.says)
            for problem in problems { Issue.record("\(rule): \(problem)\n\(refused.repetition)") }
        }
    }

    @Test(.nightly) func `pairs that take minutes complete`() async throws {
        var array = Self.array()
        let cases = PairRule.costly.flatMap { rule in rule.pairs.compactMap { PairRule.alone($0, among: &array) } }
        try await Self.forEach(cases) { try await Self.expectCompletion(of: $0) }
    }

    @Test func `trials that can't take turns run alone, and the run says so`() async throws {
        var array = Self.array()
        let alone = PairRule.loners.flatMap { rule in rule.pairs.compactMap { PairRule.alone($0, among: &array) } }
        #expect(!alone.isEmpty)
        let cases = TestTier.isNightly ? alone : [alone[Int(Self.seed) % alone.count]]
        try await Self.forEach(cases) { try await Self.expectCompletion(of: $0) }
    }

    // MARK: Running

    /// Tells a reader of the nightly tests how far they are.
    private static func report(_ text: String) {
        guard TestTier.isNightly else { return }
        FileHandle.standardError.write(Data("feature pairs: \(text)\n".utf8))
    }

    /// Two at a time; nothing that is expected depends on time.
    private static func forEach<Case: Sendable>(
        _ cases: [Case], _ body: @escaping @Sendable (Case) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, one) in cases.enumerated() {
                if index > 1 { try await group.next() }
                if index % 20 == 0 { report("\(index) of \(cases.count)") }
                group.addTask { try await body(one) }
            }
            try await group.waitForAll()
        }
    }

    /// Runs a case, and again while the machine is busy. A case that it never allows shows nothing, which is no success.
    private static func problems(of one: FeatureCase) async throws -> [String] {
        for _ in 1...5 {
            let outcome = try await one.run()
            if !outcome.isMachineBusy { return try one.problems(of: outcome) }
        }
        return ["five times the machine was too busy to send operations in time, so the case shows nothing"]
    }

    /// Runs a case; a failure is recorded with the smallest case that still fails.
    private static func expectCompletion(of one: FeatureCase) async throws {
        let problems = try await Self.problems(of: one)
        guard !problems.isEmpty else { return }
        report("fails: \(one.summary): \(problems.prefix(3))")
        let (smallest, left) = try await smaller(one, problems)
        Issue.record(
            "\(smallest.summary)\n\(left.prefix(5).joined(separator: "\n"))\nTo repeat it:\n\(smallest.repetition)")
    }

    /// The case with as many features at their defaults as it takes to fail: halves of them are tried, then fewer, then
    /// each one.
    private static func smaller(
        _ one: FeatureCase, _ problems: [String]
    ) async throws -> (FeatureCase, problems: [String]) {
        var (smallest, left) = (one, problems)
        var size = Feature.all.count / 2
        while size > 0 {
            let features = Feature.all.indices.filter { smallest.values[$0] > 0 }
            for start in stride(from: 0, to: features.count, by: size) {
                var plainer = smallest
                for feature in features[start..<min(start + size, features.count)] { plainer.values[feature] = 0 }
                guard plainer.values != smallest.values, !plainer.isApart else { continue }
                let found = try await Self.problems(of: plainer)
                if !found.isEmpty { (smallest, left) = (plainer, found) }
            }
            size /= 2
        }
        return (smallest, left)
    }
}

extension FeatureCase {
    private static let apart = Set(
        PairRule.exclusions.flatMap(\.pairs).flatMap { [[$0, $1], [$1, $0]] })

    /// Whether the case has a pair that does not go together.
    var isApart: Bool {
        let choices = values.enumerated().map { Feature.Choice(feature: $0, value: $1) }
        return choices.contains { one in choices.contains { Self.apart.contains([one, $0]) } }
    }
}
