extension Scenario {
    /// The same workload for a sanitizer, which needs contention: operations of several clients in flight together,
    /// with short waits.
    ///
    /// - A list does not scroll; clients load its rows as in other phases.
    /// - Every phase has 4 to 8 clients, each on its own thread, without pauses. Phases last a fixed time, a
    ///   warm-up a quarter of it, because a build with a sanitizer is ten or more times slower.
    /// - The origin is in the process and answers within 200 µs.
    /// - Values have at most 4 KiB, and the capacity in bytes shrinks in proportion, so that the cache is equally full.
    package func contended(phaseNanoseconds: UInt64 = 400_000_000) -> Scenario {
        var contended = self
        // A recorded history would be judged; here it only shows which operations overlapped.
        contended.check = false
        contended.origin.kind = .memory
        contended.origin.delay = origin.delay.cut(to: 200_000)
        contended.origin.faults = origin.faults?.map { $0.cut(to: 200_000) }
        contended.origin.timeout = origin.timeout.map { min($0, 1_000_000) }
        contended.phases = phases.map { phase in
            var busy = phase
            busy.clients = min(max(phase.clients, 4), 8)
            busy.driver = .threads
            // Due times would order the clients and hide races.
            busy.arrival = .closed
            busy.frames = nil
            busy.expectations = []
            busy.thinkTime = .fixed(0)
            busy.burstWidth = min(phase.burstWidth, 8)
            busy.length = .duration(nanoseconds: phase.warmUp ? phaseNanoseconds / 4 : phaseNanoseconds)
            busy.cancel?.after = min(phase.cancel?.after ?? 0, 100_000)
            return busy
        }
        let largest: UInt64 = 4096
        guard values.largestSize > largest else { return contended }
        let factor = Double(largest) / Double(values.largestSize)
        contended.values.size = values.size.scaled(by: factor)
        contended.values.traced?.sizeScale *= factor
        contended.values.pools = values.pools?.map { pool in
            PooledValues(
                first: pool.first, count: pool.count, size: pool.size.scaled(by: factor), timeToLive: pool.timeToLive)
        }
        contended.capacity.bytes = capacity.bytes.map { max(Int(Double($0) * factor), Int(largest)) }
        return contended
    }
}

extension Distribution {
    /// The same distribution with every amount multiplied by a factor between 0 and 1, and at least 1.
    func scaled(by factor: Double) -> Distribution {
        func scale(_ amount: UInt64) -> UInt64 { max(UInt64(Double(amount) * factor), 1) }
        return switch self {
        case .fixed(let amount): .fixed(scale(amount))
        case .uniform(let low, let high): .uniform(min: scale(low), max: scale(high))
        case .logNormal(let median, let p99, let high):
            .logNormal(median: scale(median), p99: scale(p99), max: scale(high))
        case .table(let rows): .table(rows.map { WeightedAmount(amount: scale($0.amount), weight: $0.weight) })
        }
    }
}
