import Foundation

/// The result of a check of one strategy, as one line of JSON.
package struct CheckTally: Codable, Hashable, Sendable {
    /// The check's name.
    package var name: String
    /// The strategy's name.
    package var strategy: String
    /// The number of cases that were run.
    package var done: Int = 0
    /// The number of cases in which the strategy broke its contract.
    package var failures: Int = 0
    /// The first failure, in words.
    package var firstFailure: String?
    /// The seed of every random choice.
    package var seed: UInt64
    /// Whether failures are expected, as for a strategy that is shown as published.
    package var isExpectedToFail = false
    /// Why no case was run, where none could be.
    package var skipped: String?
}

extension CheckTally {
    init(_ name: String, of keeper: FileKeeper, seed: UInt64) {
        self.init(name: name, strategy: keeper.name, seed: seed, isExpectedToFail: keeper.isExpectedToFail)
    }

    /// Whether the failures make the run fail.
    package var isFailure: Bool { failures > 0 && !isExpectedToFail }

    /// Records one case and its faults.
    ///
    /// - Parameters:
    ///   - faults: the faults, in words; empty when there were none.
    ///   - note: a description of the case.
    package mutating func note(_ faults: [String], _ note: String) {
        done += 1
        guard let first = faults.first else { return }
        failures += 1
        if firstFailure == nil { firstFailure = "\(note): \(first)" }
    }

    /// Adds the tally of another part of the same check.
    package mutating func add(_ other: CheckTally) {
        done += other.done
        failures += other.failures
        firstFailure = firstFailure ?? other.firstFailure
    }

    /// The JSON line, without a line end.
    package var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// How long a check continues.
package struct CheckBudget: Sendable {
    /// The maximum number of cases; `nil` to run all of them.
    package var countMax: Int?
    /// The distance of the cases that are run, in a check that takes its cases in an order: 3 for one in three.
    package var stride = 1
    /// Whether the check ends with its first failure, because a fault must only be noticed.
    package var endsWithFailure = false
    private let deadline: ContinuousClock.Instant?

    /// - Parameters:
    ///   - countMax: the maximum number of cases for each strategy; `nil` to run all of them.
    ///   - minutes: the maximum time; `nil` for no limit.
    ///   - stride: see ``stride``.
    ///   - endsWithFailure: see ``endsWithFailure``.
    package init(countMax: Int? = nil, minutes: Double? = nil, stride: Int = 1, endsWithFailure: Bool = false) {
        self.countMax = countMax
        self.stride = stride
        self.endsWithFailure = endsWithFailure
        // Clamped to more than a century, so that no number overflows.
        deadline = minutes.map { .now + .seconds(min(max($0, 0), 1e8) * 60) }
    }

    /// Whether another case may begin after those of a tally. A first case always may, however little time is left.
    package func allows(_ tally: CheckTally) -> Bool {
        if endsWithFailure, tally.failures > 0 { return false }
        if let countMax, tally.done >= countMax { return false }
        guard let deadline, tally.done > 0 else { return true }
        return ContinuousClock.now < deadline
    }
}
