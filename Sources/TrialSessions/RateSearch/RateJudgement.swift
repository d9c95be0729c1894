import Reports
import TrialModel

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
