package import TrialModel

/// The one phase and the one operation that all times of a scenario's table come from, the same for all strategies.
///
/// If each strategy and each repetition had its own phase, figures in one column could not be compared.
package struct TimesSource: Hashable, Sendable {
    /// The phase's name.
    package let phase: String
    package let operation: Selection<OperationKind>

    /// The operation is `load`, because callers wait for it; or the callers of bursts, where there are more of those;
    /// or all operations, where there is neither. The phase is the measured one in which all strategies together
    /// recorded most of that operation; of equals, the first. `nil` when nothing was recorded.
    ///
    /// - Parameters:
    ///   - results: the rows of one scenario, in the order of the run.
    ///   - measured: the names of the measured phases.
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

    /// The times of the operation in a phase, with any outcome.
    package func latency(of result: PhaseResult) -> LatencySummary? { result.latency.asCallersSee(operation)?.latency }

    /// How many were recorded; a sum that overflows stays at the highest number.
    private static func booked(_ operation: Selection<OperationKind>, _ results: [PhaseResult]) -> UInt64 {
        results.reduce(0) { total, result in
            let (sum, overflow) = total.addingReportingOverflow(result.latency.asCallersSee(operation)?.count ?? 0)
            return overflow ? .max : sum
        }
    }
}
