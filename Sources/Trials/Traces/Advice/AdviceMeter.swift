package import CacheStrategies
import EvictionPolicies

/// Advice from a meter that ran beside an app's cache, in place of a trace.
///
/// A meter has replayed its policies and sizes already. A slice of an advice has the periods that begin in it, and its groups of
/// keys are the advice's groups, so that choice, errors and refusals are those of a sampled trace.
extension TraceAdvice {
    /// Judges what a meter counted. O(slices · policies · sizes).
    ///
    /// - Throws: ``AdviceError`` when the meter saw too little, or when the request does not fit it.
    package init(_ report: MeterReport, request: AdviceRequest = AdviceRequest()) throws {
        guard let window = report.sinceStart, report.keys > 0 else {
            throw AdviceError(
                description:
                    "The meter has seen too few requests of sampled keys for a hit ratio. Let it run on, and write "
                    + "its report again.")
        }
        let late = [2, 4].map { part in
            report.slices.count { $0 >= AdviceTrace.sliceCount - AdviceTrace.sliceCount / part }
        }
        guard late[0] >= 4, late[1] >= 2 else {
            throw AdviceError(
                description:
                    "The meter has not run for long enough: of the periods of its counts, \(late[0]) begin in the second half "
                    + "of the lookups and \(late[1]) in the last quarter, and advice needs 4 and 2. Let it run on, and "
                    + "write its report again.")
        }
        let inBytes = report.capacity.isBytes
        guard request.worth.map({ $0.isBytes == inBytes }) ?? true else {
            throw AdviceError(
                description:
                    "The meter's capacity is in \(inBytes ? "bytes" : "entries"), and the worth of memory is not; give "
                    + "a time for each \(inBytes ? "MiB, such as 1ms/MiB" : "1000 entries, such as 0.1ms/1000 entries")."
            )
        }
        guard request.missCost?.nanosecondsPerByte ?? 0 == 0 else {
            throw AdviceError(
                description:
                    "A meter counts misses and not their bytes, so a time for each byte can't be judged; give the "
                    + "origin's time without a bandwidth.")
        }
        try self.init(AdviceReplay(report, window, missCost: request.missCost), TraceCharacter(report), request)
    }
}

extension AdviceReplay {
    init(_ report: MeterReport, _ window: MeterReport.Window, missCost: MissCost?) {
        let perMiss = missCost?.nanosecondsPerMiss ?? 1
        let inBytes = report.capacity.isBytes
        let periods = report.periods
        // All numbers are those of the sample, as in a sampled trace.
        let rate = report.keyShare
        let slices = report.slices
        var requests = [Double](repeating: 0, count: AdviceTrace.sliceCount)
        var keys = [0] + requests
        for (slice, period) in zip(slices, periods) {
            requests[slice] += period.lookups * rate
            for later in slice + 1..<keys.count { keys[later] = period.keys }
        }
        let policies = ReplayPolicy.all
        let runs = window.points.indices.map { index in
            let point = window.points[index]
            var misses = [Double](repeating: 0, count: Self.cellCount)
            for (slice, period) in zip(slices, periods) {
                for (group, count) in period.misses[index].enumerated() {
                    misses[slice * AdviceTrace.groupCount + group] += count * rate
                }
            }
            return Run(
                policy: policies.first { $0.name == point.policy } ?? .lru, capacity: point.capacity.policyCapacity,
                misses: misses,
                costs: misses.map { $0 * perMiss })
        }
        self.init(
            trace: AdviceTrace(rate: rate, lookups: window.lookups, hasSizes: inBytes), missCost: missCost,
            requests: requests, costs: requests.map { $0 * perMiss }, keysBefore: keys,
            bytesBefore: keys.map { $0 * (inBytes ? report.meanCost : 1) }, recorded: runs)
    }
}

extension MeterReport {
    /// The slice in which each period begins. Periods are not all of one length, and seldom as many as there are slices; one
    /// that began before a slice is left out with what is before, so that no warm-up is judged.
    fileprivate var slices: [Int] {
        let all = max(1, periods.reduce(0) { $0 + $1.lookups })
        var before = 0.0
        return periods.map { period in
            defer { before += period.lookups }
            return min(AdviceTrace.sliceCount - 1, Int(before / all * Double(AdviceTrace.sliceCount)))
        }
    }
}

extension TraceCharacter {
    init(_ report: MeterReport) {
        let lookups = report.sinceStart?.lookups ?? 0
        let error = report.keyShare < 1 || report.keys > 1_000 ? 0.032 * report.keys : 0
        requests = lookups
        removals = 0
        keys = AdviceEstimate(value: report.keys.rounded(), error: error)
        durationNanoseconds = UInt64(min(max(report.seconds, 0), 1e9) * 1e9)
        firstRequests = AdviceEstimate(value: min(1, report.keys / Double(max(1, lookups))), error: 0)
        (popularity, patterns) = (nil, nil)
    }
}

extension MeterCapacity {
    var isBytes: Bool { if case .bytes = self { true } else { false } }

    var policyCapacity: PolicyCapacity {
        switch self {
        case .entries(let count): .entries(count)
        case .bytes(let bytes): .weight(UInt64(clamping: bytes))
        }
    }
}
