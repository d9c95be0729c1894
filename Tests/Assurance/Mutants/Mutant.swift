package import CacheStrategies

/// Runs checks once and returns their findings.
package typealias Examining = @Sendable (_ seed: UInt64, _ selection: CheckSelection) async -> [Alarm]

/// A strategy, driver or program with one planted bug.
package struct Mutant: Sendable, CustomStringConvertible {
    /// What kind of bug it has.
    package enum Family: String, Sendable, CaseIterable {
        case values, limits, costs, lifetimes, leaks, loads, pressure, prefetch, schedules, accesses, files, logs, races
    }

    /// Kebab-case and stable.
    package let name: String
    /// What is wrong, in one line.
    package let summary: String
    package let family: Family
    /// The check that must catch it.
    package let expected: MutantCheck
    /// Runs the selected checks that apply, once; `nil` for a program that only another process can judge.
    package let alarms: Examining?
    /// The type of its cache; `nil` for what is no cache in memory.
    package let cache: (any CacheStrategy.Type)?

    package init(
        _ name: String, _ family: Family, caughtBy expected: MutantCheck, _ summary: String,
        _ cache: (any CacheStrategy.Type)? = nil, alarms: Examining?
    ) {
        self.name = name
        self.cache = cache
        self.family = family
        self.expected = expected
        self.summary = summary
        self.alarms = alarms
    }

    /// A strategy: one of the zoo's sound ones with one wrong line.
    init<Strategy: PlainCache>(
        _ name: String, _ family: Family, caughtBy expected: MutantCheck, _ summary: String, _ type: Strategy.Type
    ) {
        self.init(name, family, caughtBy: expected, summary, type) { seed, selection in
            var subject = TrialSubject(type)
            subject.isExactLRU = Strategy.isExactLRU
            subject.patience = .seconds(2)
            return await Examination(subject, seed: seed, selection).alarms()
        }
    }

    package var description: String { name }
}

/// A sound strategy of the zoo, the base of some mutants.
package struct SoundBase: Sendable, CustomStringConvertible {
    package let name: String
    /// Runs the selected checks that apply, once; they must find nothing.
    package let alarms: Examining
    /// The type of its cache; `nil` for what is no cache in memory.
    package let cache: (any CacheStrategy.Type)?

    init(_ name: String, _ cache: (any CacheStrategy.Type)? = nil, alarms: @escaping Examining) {
        self.name = name
        self.cache = cache
        self.alarms = alarms
    }

    init<Strategy: PlainCache>(oneCaller type: Strategy.Type) {
        self.init(Strategy.declaration.name, OneCallerAtATime<Strategy>.self) { seed, selection in
            await Examination(TrialSubject(OneCallerAtATime<Strategy>.self), seed: seed, selection).alarms()
        }
    }

    init<Strategy: PlainCache>(_ type: Strategy.Type) {
        self.init(Strategy.declaration.name, type) { seed, selection in
            var subject = TrialSubject(type)
            subject.isExactLRU = Strategy.isExactLRU
            return await Examination(subject, seed: seed, selection).alarms()
        }
    }

    package var description: String { name }
}
