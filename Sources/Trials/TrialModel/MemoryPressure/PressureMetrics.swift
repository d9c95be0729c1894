extension Metric {
    /// What comparisons have rows of in phases with memory pressure.
    package static let ofMemoryPressure: [Metric] = [
        // Within 100 ms after memory pressure.
        Metric(
            "bytes_given_back", of: \PressureRow.bytesGivenBack, higherIsBetter: true, .code, share: 0.05, amount: 512),
        // Until the hit ratio is back at 90 % of its value before the pressure. 512 is twice the window of lookups
        // over which the hit ratio is taken.
        Metric(
            "operations_to_recovery", of: \PressureRow.operationsToRecovery, unit: "operations", .code, share: 0.1,
            amount: 512),
    ]
}
