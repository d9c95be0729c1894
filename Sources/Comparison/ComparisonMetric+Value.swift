import Reports
package import TrialModel

extension [PhaseResult] {
    /// The methods by which instructions were counted, whose figures are never compared with each other.
    var countedBy: Set<InstructionCounts.Method> {
        Set(compactMap { $0.latency.asCallersSee(.all)?.counts?.method })
    }
}

extension ComparisonMetric {
    /// The figure of a phase; `nil` when it was not measured, or the phase did not complete.
    package func value(_ result: PhaseResult) -> Double? {
        guard result.trial.status == .completed, let all = result.latency.asCallersSee(.all) else { return nil }
        switch self {
        case .throughput: return all.throughputPerSecond.flatMap { $0 > 0 ? $0 : nil }
        case .p50: return all.latency.map { Double($0.p50) }
        case .p99: return all.latency.map { Double($0.p99) }
        case .p99_9: return all.latency.map { Double($0.p99_9) }
        case .hitRatio: return result.hitRate?.hitRatio
        case .byteHitRatio: return result.hitRate?.byteHitRatio
        case .duplicateLoads:
            guard let row = result.hitRate, let loads = row.duplicateLoads, row.lookups > 0 else { return nil }
            return Double(loads) / Double(row.lookups)
        case .bytesPerEntry: return result.memory?.bytesPerEntry
        case .allocationsPerOperation: return result.memory?.allocationsPerOperation
        case .instructions: return all.counts?.instructions
        case .missedFrames: return result.frames?.missedShare
        case .overBudgetFrames: return result.frames?.overBudgetShare
        case .heldP99: return result.frames?.heldP99.map { Double($0) }
        case .shownAtOnce: return result.frames?.shownShare
        case .timeToPictureP50: return result.frames?.timeToPictureP50.map { Double($0) }
        case .bytesGivenBack: return result.pressure?.bytesGivenBack.map { Double($0) }
        case .operationsToRecovery: return result.pressure?.operationsToRecovery.map { Double($0) }
        case .prefetchUseful: return result.prefetch?.usefulShare
        case .timeToPictureP99: return result.frames?.timeToPictureP99.map { Double($0) }
        }
    }
}
