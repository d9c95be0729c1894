import Reports
import TrialModel

/// A search for the highest sustained rate of arrivals: chooses the next rate to try, and takes the verdict on it.
///
/// From its start it goes up while rates are sustained, else down, by 2 and then by ever larger factors, until it has
/// one rate that was sustained and one that was not. Then it tries the geometric mean of the two, until they are no
/// further apart than the precision. Percentiles of response times rise with the rate, so one such pair is enough; if
/// noise breaks that order, the lowest rate that was not sustained stays the upper end.
///
/// ```swift
/// var search = RateSearch(start: 1000, within: 1...1_000_000, precision: 0.05)
/// while let rate = search.next { search.note(isSustained(rate) ? .sustained : .missed) }
/// search.sustained  // the highest sustained rate
/// ```
package struct RateSearch: Sendable {
    /// A rate that was not sustained.
    package struct Refusal: Hashable, Sendable {
        package var rate: Double
        package var verdict: RateVerdict
    }

    /// The most steps of a search: 7 reach a limit ten million times away, and 11 halve the last gap to a precision of
    /// 1 %.
    package static let mostSteps = 20

    /// The highest rate that was sustained; `nil` before the first one.
    package private(set) var sustained: Double?
    /// The lowest rate that was not sustained; `nil` before the first one.
    package private(set) var refused: Refusal?
    /// How many rates were tried.
    package private(set) var steps = 0
    /// The rate to try; `nil` when the search is over.
    package private(set) var next: Double?

    private let range: ClosedRange<Double>
    private let precision: Double
    /// The factor of the next step while the search has only one end.
    private var factor = 2.0

    /// - Parameters:
    ///   - start: the first rate to try; moved into the range.
    ///   - range: the lowest and the highest rate to try, both above 0.
    ///   - precision: how far apart the two ends may be at the end of the search, as a share of the lower one; at least
    ///     1 %.
    package init(start: Double, within range: ClosedRange<Double>, precision: Double) {
        self.range = range
        self.precision = max(0.01, precision)
        next = Self.rounded(start.isFinite ? start : range.lowerBound, within: range)
    }

    /// Takes the verdict on ``next``, and chooses the next rate.
    package mutating func note(_ verdict: RateVerdict) {
        guard let rate = next else { return }
        steps += 1
        if verdict == .sustained {
            sustained = rate
        } else {
            refused = Refusal(rate: rate, verdict: verdict)
        }
        next = steps < Self.mostSteps ? following() : nil
    }

    private mutating func following() -> Double? {
        switch (sustained, refused?.rate) {
        case (let low?, let high?):
            guard high > low * (1 + precision) else { return nil }
            return Self.rounded((low * high).squareRoot(), within: low...high)
        case (let low?, nil):
            return low < range.upperBound ? Self.rounded(low * widened(), within: range) : nil
        case (nil, let high?):
            return high > range.lowerBound ? Self.rounded(high / widened(), within: range) : nil
        case (nil, nil):
            return nil
        }
    }

    /// 2, 2, 4, 16, 256, 65,536: a start that is far off costs a few steps only.
    private mutating func widened() -> Double {
        let now = factor
        factor = steps == 1 ? 2 : min(factor * factor, 65_536)
        return now
    }

    /// Four digits are enough at a precision of 1 %.
    private static func rounded(_ rate: Double, within range: ClosedRange<Double>) -> Double {
        var scale = 1.0
        while rate * scale < 1_000, scale < 1e9 { scale *= 10 }
        while rate * scale >= 10_000, scale > 1e-12 { scale /= 10 }
        let rounded = (rate * scale).rounded() / scale
        return min(max(rounded, range.lowerBound), range.upperBound)
    }
}

/// The result of the trials at one rate.
package enum RateVerdict: Sendable {
    /// The objective was met.
    case sustained
    /// The objective was not met.
    case missed
    /// The harness could not send that many operations, or not on time: the strategy is not judged.
    case harnessLimited
}

/// One rate of a search, whose trials decide by majority.
struct RateStep: Sendable {
    /// The most trials.
    let repetitions: Int
    private(set) var verdicts: [RateVerdict] = []

    init(repetitions: Int) {
        self.repetitions = max(1, repetitions)
    }

    /// Adds the verdict on one trial.
    mutating func note(_ verdict: RateVerdict) {
        verdicts.append(verdict)
    }

    /// The judgement of the rate; `nil` while remaining trials may still change it. A tie is not sustained. A tie
    /// between a missed objective and a limit of the harness is the latter, which claims less.
    var verdict: RateVerdict? {
        let sustained = verdicts.count { $0 == .sustained }
        if sustained > repetitions / 2 { return .sustained }
        let others = verdicts.count - sustained
        guard others >= repetitions - repetitions / 2 else { return nil }
        let missed = verdicts.count { $0 == .missed }
        return missed > others - missed ? .missed : .harnessLimited
    }
}

/// The judgement of one trial at a rate.
struct RateJudgement: Hashable, Sendable {
    let verdict: RateVerdict
    /// The figure that the objective limits; `nil` when nothing was measured.
    let objectiveNanoseconds: UInt64?
    /// Why the rate is not sustained; empty when it is.
    let reason: String
    /// Whether nearly all clients were always busy with the strategy, so that more clients might send more.
    let isCrowded: Bool

    /// Judges the phase that was sent at a rate.
    ///
    /// - Parameters:
    ///   - result: the result of the phase.
    ///   - phase: the phase as it was sent.
    ///   - rate: in operations per second.
    init(_ result: PhaseResult, of phase: Phase, at rate: Double, objective: LatencyObjective) {
        let seen = objective.value(in: result.latency)
        objectiveNanoseconds = seen
        let dropped = result.hitRate?.droppedOperations ?? 0
        isCrowded = Self.busyClients(result, phase).map { $0 > 0.9 * Double(phase.clients) } ?? false
        if result.isHarnessLimited {
            (verdict, reason) = (.harnessLimited, result.trial.reason)
        } else if result.trial.status != .completed {
            (verdict, reason) = (.missed, "\(result.trial.status.rawValue): \(result.trial.reason)")
        } else if seen == nil {
            (verdict, reason) = (.missed, "there was no such operation")
        } else if Double(dropped) > Self.mayWait(phase, rate, objective) {
            (verdict, reason) = (.missed, "\(dropped) operations were due and not sent")
        } else if let seen, seen <= objective.limit {
            (verdict, reason) = (.sustained, "")
        } else if let trouble = Self.harnessTrouble(result, phase, objective) {
            (verdict, reason) = (.harnessLimited, trouble)
        } else {
            (verdict, reason) = (.missed, "the objective was not met")
        }
    }

    /// How many operations may still wait when the phase ends: those due so shortly before the end that they could
    /// still meet the limit. Allowing none would be stricter than the objective, and a matter of chance. The number is
    /// capped at the operations due in a twentieth of the phase: a limit as long as the phase would allow everything to
    /// wait.
    private static func mayWait(_ phase: Phase, _ rate: Double, _ objective: LatencyObjective) -> Double {
        guard case .duration(let nanoseconds) = phase.length else { return 0 }
        return rate * min(Double(objective.limit), Double(nanoseconds) / 20) / 1e9
    }

    /// Why the harness, and not the strategy, missed the objective; `nil` when that can't be shown.
    private static func harnessTrouble(
        _ result: PhaseResult, _ phase: Phase, _ objective: LatencyObjective
    ) -> String? {
        if let late = result.trial.latenessP99Nanoseconds, late > objective.limit {
            return "operations were sent \(Quantity.duration(nanoseconds: late)) late (99th percentile), though "
                + "clients were waiting for them"
        }
        let labels = LatencyLabels(operation: Selection(objective.operation))
        guard let served = result.latency[labels]?.latency.map(objective.figure.value(in:)),
            served <= objective.limit / 2, let busy = busyClients(result, phase)
        else { return nil }
        // An operation waits for the strategy only while all clients are busy with it. This mean bounds how long that
        // is. When that time is shorter than the share that may be late, the other operations waited for the harness.
        guard busy < Double(phase.clients) * objective.figure.shareAbove else { return nil }
        return "operations waited though clients were free; \(objective.name) from sending them was "
            + Quantity.duration(nanoseconds: served)
    }

    /// How many clients were busy with the strategy on average (Little's law).
    private static func busyClients(_ result: PhaseResult, _ phase: Phase) -> Double? {
        guard let all = result.latency[LatencyLabels()], let mean = all.latency?.mean,
            let elapsed = result.trial.elapsedNanoseconds, elapsed > 0
        else { return nil }
        let width = phase.mix[.burst] > 0 ? Double(max(1, phase.burstWidth)) : 1
        return Double(all.count) * Double(mean) / Double(elapsed) / width
    }
}

/// Why a scenario can't be searched for its highest rate, and what to do.
package struct RateSearchError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ scenario: Scenario, _ problem: String) {
        description = "\(scenario.point): \(problem)"
    }
}
