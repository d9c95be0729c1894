/// What a miss costs where the trace does not say it: a time to the first byte, and a time for each byte.
package struct MissCost: Sendable, Hashable {
    package var nanosecondsPerMiss: Double
    package var nanosecondsPerByte: Double

    package init(nanosecondsPerMiss: Double, nanosecondsPerByte: Double) {
        (self.nanosecondsPerMiss, self.nanosecondsPerByte) = (nanosecondsPerMiss, nanosecondsPerByte)
    }
}

extension ReplayCounts {
    /// The share of the cost of all requests that hits save, from 0 to 1.
    ///
    /// - Parameter cost: what a miss costs; `nil` to take the trace's own costs.
    /// - Returns: `nil` when no cost is known.
    package func costSaved(_ cost: MissCost?) -> Double? {
        guard let cost else {
            return costRequested == 0 ? nil : Double(costHit) / Double(costRequested)
        }
        let all = Double(requests) * cost.nanosecondsPerMiss + Double(bytesRequested) * cost.nanosecondsPerByte
        let saved = Double(hits) * cost.nanosecondsPerMiss + Double(bytesHit) * cost.nanosecondsPerByte
        return all > 0 ? saved / all : nil
    }
}
