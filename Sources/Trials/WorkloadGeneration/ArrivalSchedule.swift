import Foundation
package import TrialModel

/// The due times of a phase's operations, in order, in nanoseconds from its start.
///
/// They depend on the scenario alone, neither on a clock nor on the speed of answers.
///
/// ```swift
/// var schedule = ArrivalSchedule(.constant(1000), .even, random: RandomSource(seed: 1))
/// schedule.next()  // 0
/// schedule.next()  // 1_000_000
/// ```
package struct ArrivalSchedule: Sendable {
    private enum Source: Sendable {
        case rate(RateWalk, ArrivalSpacing, RandomSource)
        case trace(TraceTimes)
    }

    private var source: Source

    /// Creates the schedule of a phase; `nil` for a closed loop.
    ///
    /// - Parameter trace: the scenario's trace; a phase with `trace` arrival needs its times, otherwise the schedule is
    ///   `nil`.
    package init?(scenario: Scenario, phaseIndex: Int, trace: TraceWorkload? = nil) {
        switch scenario.phases[phaseIndex].arrival {
        case .closed: return nil
        case .open(let rate, let spacing):
            self.init(
                rate, spacing,
                random: RandomSource(
                    seed: scenario.seed, stream: UInt64(phaseIndex), OperationStream.Purpose.arrivals.rawValue))
        case .trace:
            let before = OperationStream.operations(before: phaseIndex, of: scenario.phases)
            guard
                let times = trace.flatMap({
                    TraceTimes($0, operationsBefore: before, speed: scenario.keys.trace?.speed ?? 1)
                })
            else { return nil }
            self.init(times)
        }
    }

    /// Creates the schedule of a rate.
    ///
    /// - Parameter random: the source of the gaps of a Poisson process; not used otherwise.
    package init(_ rate: ArrivalRate, _ spacing: ArrivalSpacing, random: RandomSource) {
        source = .rate(RateWalk(rate), spacing, random)
    }

    /// Creates the schedule of a trace, starting at one of its requests.
    package init(_ times: TraceTimes) {
        source = .trace(times)
    }

    /// The due time of the next operation. O(1); saturates at the largest number, far beyond any phase.
    package mutating func next() -> UInt64 {
        switch source {
        case .rate(var walk, let spacing, var random):
            let time = walk.time
            switch spacing {
            case .even: walk.advance(by: 1)
            case .poisson: walk.advance(by: random.nextExponential())
            }
            source = .rate(walk, spacing, random)
            return time
        case .trace(var times):
            let time = times.next()
            source = .trace(times)
            return time
        }
    }
}

/// A walk through a rate in steps of expected arrivals: the inverse of its integral.
struct RateWalk: Sendable {
    private let rate: ArrivalRate
    private var index = 0
    /// When the current piece began, in nanoseconds.
    private var start: UInt64 = 0
    /// The offset into the piece, in seconds.
    private var offset = 0.0

    init(_ rate: ArrivalRate) {
        self.rate = rate
    }

    /// The present moment in nanoseconds.
    var time: UInt64 {
        let nanoseconds = (offset * 1e9).rounded()
        guard nanoseconds < 0x1p62 else { return .max }
        let (sum, overflows) = start.addingReportingOverflow(UInt64(nanoseconds))
        return overflows ? .max : sum
    }

    /// Advances until the expected number of arrivals has grown by `arrivals`.
    mutating func advance(by arrivals: Double) {
        var wanted = arrivals
        while index < rate.pieces.count {
            let piece = rate.pieces[index]
            let length = Double(piece.nanoseconds) / 1e9
            let slope = (piece.last - piece.first) / length
            let here = piece.first + slope * offset
            let left = (here + piece.last) / 2 * (length - offset)
            if wanted < left {
                // The positive root of slope/2 x² + here x = wanted, in a numerically stable form.
                offset += 2 * wanted / (here + (here * here + 2 * slope * wanted).squareRoot())
                return
            }
            wanted -= left
            offset = 0
            let (next, overflows) = start.addingReportingOverflow(piece.nanoseconds)
            guard !overflows else { return end() }
            start = next
            index += 1
            if index == rate.pieces.count, rate.repeats { index = 0 }
        }
        // The last rate stays.
        offset += wanted / (rate.pieces.last?.last ?? 1)
    }

    private mutating func end() {
        start = .max
        offset = 0
        index = rate.pieces.count
    }
}

extension RandomSource {
    /// The gap to the next arrival of a Poisson process, in mean gaps.
    mutating func nextExponential() -> Double {
        // The argument of the logarithm is never 0.
        -log(1 - nextFraction())
    }
}

/// The due times of a trace's requests, starting at one of them; the trace restarts when it ends.
package struct TraceTimes: @unchecked Sendable {
    // Sound although unchecked: the memory it points to never changes and lives as long as the workload, which it
    // keeps.
    private let times: UnsafePointer<UInt64>
    private let count: Int
    private let speed: Double
    private let workload: TraceWorkload
    /// The next request.
    private var place: Int
    /// The offset of its time, in nanoseconds of the trace: the previous rounds minus the time of the first request.
    private var shift: Double

    /// Creates times that start after `operationsBefore` requests; `nil` when the trace has no times.
    ///
    /// - Parameter speed: how many times faster than it was recorded the trace is replayed; above 0.
    package init?(_ workload: TraceWorkload, operationsBefore: UInt64, speed: Double) {
        guard let times = workload.times else { return nil }
        self.times = times
        self.workload = workload
        self.speed = speed
        count = workload.requestCount
        place = Int(operationsBefore % UInt64(count))
        shift = -Double(times[place])
    }

    /// The due time of the next request, in nanoseconds from the start. O(1).
    package mutating func next() -> UInt64 {
        let due = max((Double(times[place]) + shift) / speed, 0)
        place += 1
        if place == count {
            place = 0
            let length = Double(times[count - 1] - times[0])
            // One mean gap between the last request and the first request of the next round.
            shift += length + length / Double(max(count - 1, 1))
        }
        return due < 0x1p62 ? UInt64(due) : .max
    }

    /// Times that never decrease. Requests with equal times are spread evenly until the next time; otherwise a trace in
    /// whole seconds would send all requests of a second at once. O(n).
    static func spread(_ times: [UInt64]) -> [UInt64] {
        var spread = times
        for index in spread.indices.dropFirst() { spread[index] = max(spread[index], spread[index - 1]) }
        var first = 0
        var gap: UInt64 = 0
        while first < spread.count {
            let moment = spread[first]
            let end = spread[first...].firstIndex { $0 > moment } ?? spread.count
            // The last interval is assumed to be as long as the previous one.
            if end < spread.count { gap = spread[end] - moment }
            let step = Double(gap) / Double(end - first)
            for index in first..<end { spread[index] = moment + UInt64(step * Double(index - first)) }
            first = end
        }
        return spread
    }
}
