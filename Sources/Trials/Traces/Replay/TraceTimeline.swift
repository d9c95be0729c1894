/// What a trace is like in each of fifty intervals: of equal time where it has times, else of as many requests.
package struct TraceTimeline: Sendable {
    /// One interval.
    package struct Interval: Sendable, Hashable {
        /// The seconds since the first request, or the number of requests, at which it begins.
        package var start: Double
        package var requests = 0
        /// `nil` where the trace has no times.
        package var requestsPerSecond: Double?
        /// Different keys.
        package var keys = 0
        /// Keys that no earlier interval has.
        package var newKeys = 0
        /// The share of the requests for the keys that were the most popular in the first tenth; `nil` without requests.
        package var shareOfEarlyKeys: Double?

        fileprivate var earlyRequests = 0
    }

    package private(set) var intervals: [Interval]

    /// The number of intervals, and how many of them are the first tenth.
    private static let (count, earlyCount) = (50, 5)

    /// The first and last time in nanoseconds; `nil` where intervals are of as many requests.
    private let times: ClosedRange<UInt64>?
    private let requests: Int
    private var position = 0
    /// The last interval of each key, plus 1; 0 before its first.
    private var seen: [UInt8]
    /// The requests for each key in the first tenth.
    private var earlyCounts: [UInt32]
    /// Whether each key was one of the most popular in the first tenth; empty until that is over.
    private var isEarly: [Bool] = []

    /// - Parameter times: the first and the last; `nil` without times.
    init(_ summary: TraceSummary, times: ClosedRange<UInt64>?) {
        self.times = times.flatMap { $0.upperBound > $0.lowerBound ? $0 : nil }
        requests = max(1, summary.requests)
        seen = Array(repeating: 0, count: summary.keys)
        earlyCounts = Array(repeating: 0, count: summary.keys)
        let length = self.times.map { Double($0.upperBound - $0.lowerBound) / 1e9 } ?? Double(requests)
        intervals = (0..<Self.count).map { Interval(start: length * Double($0) / Double(Self.count)) }
        guard requests >= Self.count else {
            intervals = []
            return
        }
    }

    /// Notes the lookups of a block.
    mutating func note(_ block: ReplayBlock) {
        guard !intervals.isEmpty else { return }
        for (index, id) in block.ids.enumerated() where block.removals.isEmpty || !block.removals[index] {
            let interval = place(block, index)
            let key = Int(id)
            position += 1
            intervals[interval].requests += 1
            if seen[key] != UInt8(interval + 1) {
                intervals[interval].keys += 1
                if seen[key] == 0 { intervals[interval].newKeys += 1 }
                seen[key] = UInt8(interval + 1)
            }
            if isEarly.isEmpty, interval >= Self.earlyCount { endBeginning() }
            if isEarly.isEmpty { earlyCounts[key] += 1 } else if isEarly[key] { intervals[interval].earlyRequests += 1 }
        }
    }

    private func place(_ block: ReplayBlock, _ index: Int) -> Int {
        guard let times else { return min(Self.count - 1, position * Self.count / requests) }
        let time = min(max(block.times[index], times.lowerBound), times.upperBound) - times.lowerBound
        let share = Double(time) / Double(times.upperBound - times.lowerBound)
        return min(Self.count - 1, Int(share * Double(Self.count)))
    }

    /// Chooses the hundredth of the first tenth's keys that were asked for most often, at least one.
    private mutating func endBeginning() {
        let keys = earlyCounts.indices.filter { earlyCounts[$0] > 0 }
        let ranked = keys.sorted { (earlyCounts[$1], $0) < (earlyCounts[$0], $1) }
        isEarly = Array(repeating: false, count: earlyCounts.count)
        for key in ranked.prefix(max(1, ranked.count / 100)) {
            isEarly[key] = true
            earlyRequestsOfBeginning += Int(earlyCounts[key])
        }
    }

    /// The requests of the first tenth for its own most popular keys.
    private var earlyRequestsOfBeginning = 0

    /// Ends the trace.
    mutating func finish() {
        guard !intervals.isEmpty else { return }
        let seconds = times.map { Double($0.upperBound - $0.lowerBound) / 1e9 / Double(Self.count) }
        let beginning = intervals.prefix(Self.earlyCount).reduce(0) { $0 + $1.requests }
        for index in intervals.indices {
            let requests = intervals[index].requests
            intervals[index].requestsPerSecond = seconds.map { Double(requests) / $0 }
            if index < Self.earlyCount {
                intervals[index].shareOfEarlyKeys =
                    beginning > 0 ? Double(earlyRequestsOfBeginning) / Double(beginning) : nil
            } else if requests > 0 {
                intervals[index].shareOfEarlyKeys = Double(intervals[index].earlyRequests) / Double(requests)
            }
        }
    }
}
