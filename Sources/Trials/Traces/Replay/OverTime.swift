import EvictionPolicies

/// The hits of a replay in each interval of the trace's time.
struct OverTime {
    /// More intervals are too many for a curve, and for the memory of a trace of years in milliseconds.
    static let intervalCountMax = 10_000

    /// In nanoseconds.
    private let length: UInt64
    private let runs: [PolicyRun]
    /// The time of the first request.
    private var start: UInt64?
    /// What each run had counted before the interval.
    private var earlier: [ReplayCounts]
    /// What each run counted in each interval.
    private var counted: [Int: [ReplayCounts]] = [:]

    init(length: UInt64, _ runs: [PolicyRun]) {
        (self.length, self.runs) = (length, runs)
        earlier = Array(repeating: ReplayCounts(), count: runs.count)
    }

    /// Splits a block where an interval ends.
    mutating func pieces(of block: ReplayBlock) -> [(interval: Int, block: ReplayBlock)] {
        guard let first = block.times.first else { return [] }
        let start = start ?? first
        self.start = start
        let intervals = block.times.map { Int(clamping: ($0 - min(start, $0)) / length) }
        var pieces: [(interval: Int, block: ReplayBlock)] = []
        var lower = 0
        for upper in 1...intervals.count where upper == intervals.count || intervals[upper] != intervals[lower] {
            let piece = lower == 0 && upper == intervals.count ? block : block.part(lower..<upper)
            pieces.append((intervals[lower], piece))
            lower = upper
        }
        return pieces
    }

    /// Notes what the runs counted since the last call.
    ///
    /// - Parameter interval: the interval of all of it; `nil` for a warm-up.
    /// - Returns: `false` when there are too many intervals.
    mutating func note(_ interval: Int?) -> Bool {
        let now = runs.map(\.counts)
        defer { earlier = now }
        guard let interval else { return true }
        var counts = counted[interval] ?? Array(repeating: ReplayCounts(), count: runs.count)
        for (index, (now, before)) in zip(now, earlier).enumerated() {
            counts[index].requests += now.requests - before.requests
            counts[index].hits += now.hits - before.hits
        }
        counted[interval] = counts
        return counted.count <= Self.intervalCountMax
    }

    /// The intervals that have requests, by policy, size and time.
    var intervals: [TraceReplay.Interval] {
        let ordered = counted.sorted { $0.key < $1.key }
        return runs.indices.flatMap { run in
            ordered.map { interval, counts in
                TraceReplay.Interval(
                    policy: runs[run].policy, capacity: runs[run].capacity,
                    startNanoseconds: UInt64(interval) &* length, requests: counts[run].requests,
                    hits: counts[run].hits)
            }
        }.filter { $0.requests > 0 }
    }
}
