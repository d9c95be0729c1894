import Foundation

/// How long a randomised test continues: a few rounds in a normal test run, and the given time in `scripts/nightly`.
///
/// ```swift
/// var stress = StressTime(part: "scenario files", rounds: 2)
/// while let seed = stress.nextSeed() {
///     …
///     stress.report(cases: files)
/// }
/// ```
package struct StressTime {
    /// The unit that is counted, for the report.
    private let part: String
    /// Rounds in a normal test run.
    private let rounds: Int
    private let firstSeed: UInt64
    private let end: Date?
    private let start = Date.now
    private var secondsReported = 0
    private var round: UInt64 = 0

    /// - Parameters:
    ///   - part: the unit that is counted.
    ///   - rounds: how many rounds a normal test run takes.
    ///   - environment: `CACHE_TRIALS_STRESS_SECONDS` is the duration, `CACHE_TRIALS_STRESS_SEED` the first seed,
    ///     `CACHE_TRIALS_STRESS_COUNTS` the file that ``report(cases:)`` appends to.
    package init(
        part: String, rounds: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.part = part
        self.rounds = rounds
        let seconds = environment["CACHE_TRIALS_STRESS_SECONDS"].flatMap { Double($0) }
        end = seconds.map { Date.now.addingTimeInterval($0) }
        firstSeed = Self.seed(in: environment)
        countsPath = environment["CACHE_TRIALS_STRESS_COUNTS"]
    }

    private let countsPath: String?

    /// The first seed, which `scripts/nightly` and continuous integration change every day.
    package static var seedOfToday: UInt64 { seed(in: ProcessInfo.processInfo.environment) }

    private static func seed(in environment: [String: String]) -> UInt64 {
        environment["CACHE_TRIALS_STRESS_SEED"].flatMap { UInt64($0) } ?? 1
    }

    /// The seed of the next round; `nil` when the time or the rounds are over. At least one round is taken.
    package mutating func nextSeed() -> UInt64? {
        if round > 0 {
            if let end { guard Date.now < end else { return nil } } else if round >= rounds { return nil }
        }
        defer { round += 1 }
        return firstSeed &+ round
    }

    /// Appends the number of cases as a line of JSON, if a file for it is set. After every round, so that an interruption
    /// loses one.
    ///
    /// - Parameter cases: the number of cases since the last report.
    package mutating func report(cases: Int) {
        guard let countsPath else { return }
        let seconds = Int(Date.now.timeIntervalSince(start).rounded()) - secondsReported
        secondsReported += seconds
        let line = #"{"check":"\#(part)","cases":\#(cases),"seconds":\#(seconds)}"# + "\n"
        let descriptor = open(countsPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // One call, so that lines of tests that run side by side don't mix.
        _ = line.utf8CString.withUnsafeBufferPointer { write(descriptor, $0.baseAddress, $0.count - 1) }
    }
}
