package import CacheStrategies
import EvictionPolicies

/// Advice from a meter that ran beside an app's cache, in place of a trace.
///
/// A meter has replayed its policies and sizes already. Its periods are the slices of an advice, and its groups of keys are
/// the advice's groups, so that choice, errors and refusals are those of a sampled trace.
extension TraceAdvice {
    /// Judges what a meter counted. O(slices · policies · sizes).
    ///
    /// - Throws: ``AdviceError`` when the meter saw too little, or when the request does not fit it.
    package init(_ report: MeterReport, request: AdviceRequest = AdviceRequest()) throws {
        guard let window = report.sinceStart, report.periods.count >= AdviceTrace.sliceCount / 4 else {
            throw AdviceError(
                description:
                    "The meter has not run for long enough: \(report.periods.count) periods of its counts are there, "
                    + "and advice needs \(AdviceTrace.sliceCount / 4). Let it run on, and write its report again.")
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
        // Periods at the end, because the first slices are those of the warm-up in any case.
        let first = max(0, AdviceTrace.sliceCount - periods.count)
        func slices(_ value: (MeterReport.Period) -> Double) -> [Double] {
            Array(repeating: 0, count: first) + periods.suffix(AdviceTrace.sliceCount).map(value)
        }
        let requests = slices { $0.lookups * rate }
        let keys = slices(\.keys)
        let policies = ReplayPolicy.all
        let runs = window.points.indices.map { index in
            let point = window.points[index]
            let groups =
                Array(repeating: [Double](repeating: 0, count: AdviceTrace.groupCount), count: first)
                + periods.suffix(AdviceTrace.sliceCount).map { $0.misses[index].map { $0 * rate } }
            let misses = groups.flatMap(\.self)
            return Run(
                policy: policies.first { $0.name == point.policy } ?? .lru, capacity: point.capacity.policyCapacity,
                misses: misses,
                costs: misses.map { $0 * perMiss })
        }
        self.init(
            trace: AdviceTrace(rate: rate, lookups: window.lookups, hasSizes: inBytes), missCost: missCost,
            requests: requests, costs: requests.map { $0 * perMiss }, keysBefore: [0] + keys,
            bytesBefore: [0] + keys.map { $0 * (inBytes ? report.meanCost : 1) }, recorded: runs)
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
