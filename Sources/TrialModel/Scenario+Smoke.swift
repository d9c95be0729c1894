extension Scenario {
    /// The same workload cut to a small, fixed number of operations per phase, so that no phase ends by the clock. A
    /// list scrolls for 0.1 s at each speed.
    ///
    /// Think times and delays are cut as well, so that a trial takes well under a second.
    ///
    /// - Parameter operations: the maximum number of operations of a phase.
    package func smoke(operations: Int = 200) -> Scenario {
        var small = self
        small.repetitions = 1
        small.origin.delay = origin.delay.cut(to: 2_000_000)
        small.origin.faults = origin.faults?.map { $0.cut(to: 2_000_000) }
        small.phases = phases.map { phase in
            var short = phase
            switch phase.length {
            case .duration where phase.frames != nil:
                short.frames = phase.frames?.cut(to: 100_000_000)
                short.length = .duration(nanoseconds: short.frames?.nanoseconds ?? 0)
            case .duration: short.length = .operations(operations)
            case .operations(let count): short.length = .operations(min(count, operations))
            }
            if case .open(let rate, let spacing) = phase.arrival {
                // Fast enough to end quickly, but still with separate due times.
                short.arrival = .open(rate.scaled(by: max(smokeRate / rate.highest, 1)), spacing)
            } else if phase.arrival == .trace {
                short.arrival = .closed
            }
            // Expectations are written for the full length.
            short.expectations = []
            short.thinkTime = phase.thinkTime.cut(to: 100_000)
            return short
        }
        return small
    }

    /// The highest arrival rate of a smoke test, in operations per second.
    private var smokeRate: Double { 10_000 }
}

extension Distribution {
    /// The same distribution with no amount above `limit`.
    func cut(to limit: UInt64) -> Distribution {
        switch self {
        case .fixed(let amount): .fixed(min(amount, limit))
        case .uniform(let low, let high): .uniform(min: min(low, limit), max: min(high, limit))
        case .logNormal(let median, let p99, let high):
            .logNormal(median: min(median, limit), p99: min(p99, limit), max: min(high, limit))
        case .table(let rows):
            .table(rows.map { WeightedAmount(amount: min($0.amount, limit), weight: $0.weight) })
        }
    }
}
