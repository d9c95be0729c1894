package import TrialModel

/// A scenario whose last phase runs at rates that a search chooses.
///
/// Earlier phases run unchanged in every trial, so the cache is as warm as they leave it. Later phases are left out.
package struct SearchedScenario: Sendable {
    /// The scenario up to the searched phase.
    package let scenario: Scenario
    /// The rates that a search may try, in operations a second.
    let range: ClosedRange<Double>
    private let spacing: ArrivalSpacing
    private let stepNanoseconds: UInt64
    private let clients: Int

    /// The highest rate, as in scenario files.
    private static let highestRate = 10_000_000.0
    /// The most operations of a phase, as in scenario files.
    private static let mostOperations = 1e9
    /// The most callers of all bursts together, as in scenario files.
    private static let mostCallers = 4096

    /// - Throws: ``RateSearchError`` when there is no such phase, or when it can't be sent at another rate.
    package init(_ original: Scenario, _ settings: RateSearchSettings) throws(RateSearchError) {
        let index = try Self.phaseIndex(original, settings.phase)
        let phase = original.phases[index]
        spacing = try Self.spacing(of: phase, in: original)
        var cut = original
        cut.phases = Array(original.phases[...index])
        // Expectations are meant for the phase as written, not for any rate.
        cut.phases[index].expectations = []
        // At the end of each interval of the timeline every client writes its own row. With 64 clients that took 0.1 to
        // 0.2 s on two busy cores, while operations waited; a search must have no such moment within a step.
        cut.timelineInterval = max(original.timelineInterval, 2 * settings.stepNanoseconds)
        scenario = cut
        stepNanoseconds = settings.stepNanoseconds
        let wanted = settings.clients ?? max(phase.clients, RateSearchSettings.leastClients)
        let width = phase.mix[.burst] > 0 ? max(1, phase.burstWidth) : 1
        clients = max(1, min(wanted, Self.mostCallers / width))
        range = try Self.range(original, phase, settings)
    }

    /// The searched phase as written.
    package var phase: Phase { scenario.phases[scenario.phases.count - 1] }

    /// The scenario with its last phase sent at a rate.
    func sent(at rate: Double) -> Scenario {
        replacing {
            $0.arrival = .open(.constant(rate), spacing)
            $0.clients = clients
        }
    }

    /// The scenario with its last phase as a closed loop of its own clients: about the most that the strategy can do
    /// when callers wait for each other. The search starts there.
    func closed() -> Scenario {
        replacing { $0.arrival = .closed }
    }

    private func replacing(_ change: (inout Phase) -> Void) -> Scenario {
        var changed = scenario
        let last = changed.phases.count - 1
        changed.phases[last].length = .duration(nanoseconds: stepNanoseconds)
        changed.phases[last].thinkTime = .fixed(0)
        change(&changed.phases[last])
        return changed
    }

    private static func phaseIndex(_ scenario: Scenario, _ name: String?) throws(RateSearchError) -> Int {
        guard let name else {
            guard let last = scenario.phases.lastIndex(where: { !$0.warmUp }) else {
                throw RateSearchError(scenario, "no phase is measured; name one with '--phase'")
            }
            return last
        }
        guard let index = scenario.phases.firstIndex(where: { $0.name == name }) else {
            let names = scenario.phases.filter { !$0.warmUp }.map(\.name).joined(separator: ", ")
            throw RateSearchError(scenario, "there is no phase called '\(name)'; there are: \(names)")
        }
        guard !scenario.phases[index].warmUp else {
            throw RateSearchError(scenario, "the phase '\(name)' is a warm-up, which is not measured; name another one")
        }
        return index
    }

    /// How operations follow each other: as independent arrivals, unless the phase says `constant`.
    private static func spacing(of phase: Phase, in scenario: Scenario) throws(RateSearchError) -> ArrivalSpacing {
        switch phase.arrival {
        case .closed: return .poisson
        case .open(let rate, let spacing):
            let isConstant = rate.pieces.count == 1 && rate.pieces.allSatisfy { $0.first == $0.last }
            if isConstant { return spacing }
        case .trace: break
        }
        throw RateSearchError(
            scenario,
            "the arrival of the phase '\(phase.name)' changes its rate, and a search needs one; write 'arrival: closed', "
                + "'{ poisson: … }' or '{ constant: … }', or name another phase with '--phase'")
    }

    /// From the rate at which a trial has enough operations for the figure, at least one per second, up to the highest
    /// rate that a scenario may ask for.
    private static func range(
        _ scenario: Scenario, _ phase: Phase, _ settings: RateSearchSettings
    ) throws(RateSearchError) -> ClosedRange<Double> {
        let seconds = Double(max(1, settings.stepNanoseconds)) / 1e9
        let share = share(of: settings.objective.operation, in: phase.mix)
        guard share > 0 else {
            throw RateSearchError(
                scenario,
                "the phase '\(phase.name)' has no \(settings.objective.operation?.rawValue ?? "operation"), "
                    + "which '--objective' names")
        }
        let lowest = max(1, settings.objective.figure.leastOperations / seconds / share)
        let highest = min(highestRate, mostOperations / seconds)
        guard lowest <= highest else {
            throw RateSearchError(
                scenario,
                "a trial of \(seconds) s at the highest rate has too few operations for \(settings.objective.name); "
                    + "give a longer '--step-duration'")
        }
        return lowest...highest
    }

    /// The share of the phase's operations that the objective is about. The operations of a trace are not known here.
    private static func share(of operation: OperationKind?, in mix: OperationMix) -> Double {
        guard let operation else { return 1 }
        let total = mix.weights.values.reduce(0, +)
        guard mix[operation] > 0, total > 0 else { return 0 }
        return mix.followsTrace ? 1 : mix[operation] / total
    }
}
