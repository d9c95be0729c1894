/// The races of several logs, each counted once.
///
/// The runtime reports a race again in every process, and within one process for every pair of stacks. Two reports are
/// the same race when their two accesses are at the same two places of our code, in either order.
package struct DistinctRaces: Sendable, Hashable {
    /// One race.
    package struct Race: Sendable, Hashable {
        /// The places of the two accesses, in a fixed order; one place if the report has only one access.
        package let locations: [SourceLocation]
        /// The report in which the race appeared first.
        package let firstReport: SanitizerReport
        /// How many reports are of this race.
        package internal(set) var count: Int
    }

    /// The races in the order in which they appeared first.
    package private(set) var races: [Race] = []
    private var indices: [[SourceLocation]: Int] = [:]
    private let roots: SourceRoots

    /// Finds the races of logs, in their order. O(frames of all reports).
    package init(in logs: some Sequence<SanitizerLog> = [], roots: SourceRoots) {
        self.roots = roots
        for log in logs { add(log) }
    }

    /// Adds the races of one more log; findings that are not races are left out. O(frames of its reports).
    package mutating func add(_ log: SanitizerLog) {
        for report in log.reports where report.isRace {
            let locations = report.accesses.map { SourceLocation(of: $0.frames, in: roots) }.sorted()
            if let index = indices[locations] {
                races[index].count += 1
            } else {
                indices[locations] = races.count
                races.append(Race(locations: locations, firstReport: report, count: 1))
            }
        }
    }
}
