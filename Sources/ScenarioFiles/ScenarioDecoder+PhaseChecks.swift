import TrialModel

/// Rules about several values of a phase, or of all phases.
extension ScenarioDecoder {
    /// Settings that need an operation of some kind, and how many callers a burst makes.
    mutating func checkMix(_ fields: Fields, mix: OperationMix, clients: Int?, burstWidth: Int?) {
        if mix[.burst] == 0, let place = fields["burst-width"] {
            report(place, found: "a burst-width without a burst", allowed: "only with burst in the mix")
        }
        if mix[.load] == 0, let place = fields["cancel"] {
            report(place, found: "a cancel without a load", allowed: "only with load in the mix")
        }
        guard mix[.burst] > 0, let clients, let burstWidth else { return }
        let most = ScenarioLimits.callers.range.upperBound
        if let callers = Self.product(clients, UInt64(clamping: burstWidth)), callers <= most { return }
        report(
            fields["burst-width"].map { ($0.path, $0.position) } ?? fields.place(of: "clients"),
            found: "\(clients) clients with bursts of \(burstWidth)", allowed: "at most \(most) callers in all")
    }

    /// Enough operations for all clients, and think times that leave time for operations.
    mutating func checkLength(_ fields: Fields, length: PhaseLength, clients: Int, thinkTime: Distribution?) {
        switch length {
        case .operations(let operations):
            if operations < clients {
                report(
                    fields.place(of: "operations"), found: "\(operations)", allowed: "at least \(clients)",
                    hint: "one for each client")
            }
            let limit = ScenarioLimits.scenarioTime
            let rounds = operations / max(clients, 1)
            guard let longest = thinkTime?.largest, let place = fields["think-time"] else { return }
            if let total = Self.product(rounds, longest), limit.range.contains(total) { return }
            report(
                place, found: "\(operations) operations with up to \(limit.text(longest)) before each",
                allowed: "at most \(limit.text(limit.range.upperBound)) of thinking in all")
        case .duration(let nanoseconds):
            guard let longest = thinkTime?.largest, longest >= nanoseconds, let place = fields["think-time"] else {
                return
            }
            report(
                place, found: "up to \(AmountUnit.text(longest, kind: .time))",
                allowed: "less than the phase, \(AmountUnit.text(nanoseconds, kind: .time))")
        }
    }

    /// The sums over all phases.
    mutating func checkTotals(_ field: Field, phases: [Phase]) {
        var operations: UInt64 = 0
        var time: UInt64 = 0
        // At most 100 phases, each within its limit: the sums stay far below 64 bits.
        for phase in phases {
            switch phase.length {
            case .operations(let count): operations += UInt64(clamping: count)
            case .duration(let nanoseconds): time += nanoseconds
            }
        }
        let most = ScenarioLimits.scenarioOperations.range.upperBound
        if operations > most {
            report(field, found: "\(operations) operations", allowed: "at most \(most) in all phases")
        }
        let limit = ScenarioLimits.scenarioTime
        if !limit.range.contains(time) {
            report(
                field, found: limit.text(time), allowed: "at most \(limit.text(limit.range.upperBound)) in all phases")
        }
    }
}

extension YAMLNode {
    /// Whether it is the plain word `true`.
    var isTrue: Bool {
        if case .scalar("true", isQuoted: false) = content { true } else { false }
    }
}
