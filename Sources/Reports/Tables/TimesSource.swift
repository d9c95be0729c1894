package import TrialModel

/// The one phase and the one operation that all times of a scenario's table come from, whatever the strategy.
///
/// Were each strategy and each repetition to bring its own phase, figures in one column could not be compared.
package struct TimesSource: Hashable, Sendable {
    /// The phase's name.
    package let phase: String
    package let operation: Selection<OperationKind>

    /// Loads are what a caller waits for, or the callers of bursts where those are more; where there is neither,
    /// everything counts. The phase is the measured one with the most of it booked, by all strategies together; of
    /// equals the first. `nil` when nothing was booked.
    ///
    /// - Parameters:
    ///   - results: the rows of one scenario, in the order of the run.
    ///   - measured: the names of the phases that count.
    package init?(_ results: [PhaseResult], measured: Set<String>) {
        let results = results.filter { measured.contains($0.trial.key.phase) }
        let loads = Self.booked(.only(.load), results)
        let bursts = Self.booked(.only(.burst), results)
        operation = bursts > loads ? .only(.burst) : loads > 0 ? .only(.load) : .all

        var most: (phase: String, booked: UInt64)?
        var seen: Set<String> = []
        for phase in results.map(\.trial.key.phase) where seen.insert(phase).inserted {
            let booked = Self.booked(operation, results.filter { $0.trial.key.phase == phase })
            if booked > most?.booked ?? 0 { most = (phase, booked) }
        }
        guard let most else { return nil }
        phase = most.phase
    }

    /// The times of the operation in a phase, whatever its outcome.
    package func latency(of result: PhaseResult) -> LatencySummary? { result.latency.asCallersSee(operation)?.latency }

    /// How many were booked; a sum out of range stays at the highest number.
    private static func booked(_ operation: Selection<OperationKind>, _ results: [PhaseResult]) -> UInt64 {
        results.reduce(0) { total, result in
            let (sum, overflow) = total.addingReportingOverflow(result.latency.asCallersSee(operation)?.count ?? 0)
            return overflow ? .max : sum
        }
    }
}
