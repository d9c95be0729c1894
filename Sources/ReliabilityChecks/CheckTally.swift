import Foundation

/// What a check did with one strategy, as one line of JSON.
package struct CheckTally: Codable, Hashable, Sendable {
    /// The check's name.
    package var name: String
    /// The strategy's name.
    package var strategy: String
    /// Cases that were run.
    package var done: Int = 0
    /// Cases in which the strategy did something it must not.
    package var failures: Int = 0
    /// The first of them, in words.
    package var firstFailure: String?
    /// The seed of every random choice.
    package var seed: UInt64
    /// Whether failures are what the strategy is on trial for, as with one that is shown as it was published.
    package var isExpectedToFail: Bool
    /// Why nothing was done, where nothing could be.
    package var skipped: String?

    package init(name: String, strategy: String, seed: UInt64, isExpectedToFail: Bool = false) {
        self.name = name
        self.strategy = strategy
        self.seed = seed
        self.isExpectedToFail = isExpectedToFail
    }

    init(_ name: String, of keeper: FileKeeper, seed: UInt64) {
        self.init(name: name, strategy: keeper.name, seed: seed, isExpectedToFail: keeper.isExpectedToFail)
    }

    /// Whether the failures must fail the run.
    package var isFailure: Bool { failures > 0 && !isExpectedToFail }

    /// Notes that a case was run, and what was wrong with it.
    ///
    /// - Parameters:
    ///   - faults: what was wrong, in words; none when all was well.
    ///   - note: which case it was.
    package mutating func note(_ faults: [String], _ note: String) {
        done += 1
        guard let first = faults.first else { return }
        failures += 1
        if firstFailure == nil { firstFailure = "\(note): \(first)" }
    }

    /// Adds what another part of the same check did.
    package mutating func add(_ other: CheckTally) {
        done += other.done
        failures += other.failures
        firstFailure = firstFailure ?? other.firstFailure
    }

    /// The line, without its end.
    package var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// How long a check goes on.
package struct CheckBudget: Sendable {
    /// The most cases; `nil` for as many as there are.
    package var countMax: Int?
    private let deadline: ContinuousClock.Instant?

    /// - Parameters:
    ///   - countMax: the most cases for each strategy; `nil` for as many as there are.
    ///   - minutes: the longest time; `nil` for as long as it takes.
    package init(countMax: Int? = nil, minutes: Double? = nil) {
        self.countMax = countMax
        // Far beyond a century nothing is cut off, and no number is too great.
        deadline = minutes.map { .now + .seconds(min(max($0, 0), 1e8) * 60) }
    }

    /// Whether another case may begin.
    package func allows(_ done: Int) -> Bool {
        if let countMax, done >= countMax { return false }
        guard let deadline else { return true }
        return ContinuousClock.now < deadline
    }
}
