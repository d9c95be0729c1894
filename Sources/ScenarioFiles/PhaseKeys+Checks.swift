import TrialModel

/// Checks that involve several values of a phase, or of all phases.
extension PhaseKeys {
    func check(_ fields: Fields, length: PhaseLength?, workload: Workload?) {
        if let workload { checkMix(fields, workload) }
        if let arrival = fields[arrival], arrival.isOpen { checkArrival(fields, arrival, length) }
        if let length, let clients = fields[clients] { checkLength(fields, length, clients: clients) }
    }

    /// Checks settings that need a kind of operation, and the number of callers and distributions.
    private func checkMix(_ fields: Fields, _ workload: Workload) {
        let mix = workload.mix
        if mix[.burst] == 0 {
            fields.refuse(burstWidth, found: "a burst-width without a burst", allowed: "only with burst in the mix")
        }
        if mix[.load] == 0 {
            fields.refuse(cancel, found: "a cancel without a load", allowed: "only with load in the mix")
        }
        guard let clients = fields[clients] else { return }
        // Each client has its own distributions for each pool; together they must not fill the memory.
        if clients * workload.pools.count > ScenarioLimits.clientPools {
            fields.report(
                self.clients, found: "\(clients) clients on \(workload.pools.count) pools",
                allowed: "at most \(ScenarioLimits.clientPools), clients times pools")
        }
        if mix[.burst] > 0, let width = fields[burstWidth], clients * width > ScenarioLimits.callers {
            fields.report(
                fields.has(burstWidth) ? burstWidth : self.clients, found: "\(clients) clients with bursts of \(width)",
                allowed: "at most \(ScenarioLimits.callers) callers in all")
        }
    }

    /// Checks what an open loop cannot have, and how many operations it would send.
    private func checkArrival(_ fields: Fields, _ arrival: Arrival, _ length: PhaseLength?) {
        fields.refuse(
            thinkTime, found: "a think-time beside an open arrival", allowed: "only with arrival: closed",
            hint: "the arrival determines when operations are due")
        guard case .open(let rate, _) = arrival, case .duration(let nanoseconds) = length else { return }
        let most = Double(nanoseconds) / 1e9 * rate.highest
        let limit = ScenarioLimits.operations.upperBound
        if most > Double(limit) {
            fields.report(
                self.arrival, found: "up to \(UInt64(min(most, 1e18))) operations",
                allowed: "at most \(limit) in a phase", hint: "a lower rate, or a shorter phase")
        }
    }

    /// Checks that there are enough operations for all clients, and that think times leave time for operations.
    private func checkLength(_ fields: Fields, _ length: PhaseLength, clients: Int) {
        if case .operations(let operations) = length, operations < clients {
            fields.report(
                self.operations, found: "\(operations)", allowed: "at least \(clients)", hint: "one for each client")
        }
        guard fields.has(thinkTime), let longest = fields[thinkTime]?.largest else { return }
        switch length {
        case .operations(let operations):
            let limit = ScenarioLimits.scenarioTime
            if let total = ScenarioDecoder.product(operations / max(clients, 1), longest), limit.range.contains(total) {
                return
            }
            fields.report(
                thinkTime, found: "\(operations) operations with up to \(limit.text(longest)) before each",
                allowed: "at most \(limit.text(limit.range.upperBound)) of thinking in all")
        case .duration(let nanoseconds):
            guard longest >= nanoseconds else { return }
            fields.report(
                thinkTime, found: "up to \(AmountUnit.text(longest, kind: .time))",
                allowed: "less than the phase, \(AmountUnit.text(nanoseconds, kind: .time))")
        }
    }

    /// Checks the sums over all phases.
    func checkTotals(_ field: Field, phases: [Phase]) {
        var operations: UInt64 = 0
        var time: UInt64 = 0
        // At most 100 phases, each within its limit: the sums stay far below 64 bits.
        for phase in phases {
            switch phase.length {
            case .operations(let count): operations += UInt64(clamping: count)
            case .duration(let nanoseconds): time += nanoseconds
            }
        }
        let most = ScenarioLimits.scenarioOperations
        if operations > most {
            field.report(found: "\(operations) operations", allowed: "at most \(most) in all phases")
        }
        let limit = ScenarioLimits.scenarioTime
        if !limit.range.contains(time) {
            field.report(
                found: limit.text(time), allowed: "at most \(limit.text(limit.range.upperBound)) in all phases")
        }
    }
}
