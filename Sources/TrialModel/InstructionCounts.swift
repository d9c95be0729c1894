/// The cost of an operation in instructions instead of time; other work on the machine does not affect it.
package struct InstructionCounts: Codable, Hashable, Sendable {
    /// The counter, and which code it counted. Figures of two methods are never compared.
    package enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// Callgrind, within the strategy's own operations. The harness's share is subtracted.
        case callgrind
        /// The same scope, counted by the processor's hardware counter, which the kernel reads.
        case hardware
        /// Callgrind, the whole process while the phase ran: includes the strategy's own tasks and threads, and the
        /// harness.
        case callgrindProcess = "callgrind-process"
        /// The same scope, counted by the processor's hardware counter.
        case hardwareProcess = "hardware-process"
    }

    package var method: Method
    /// User-space instructions per operation.
    package var instructions: Double
    /// Loads and stores per operation that missed the simulated first-level data cache; `nil` without a simulation.
    package var firstLevelMisses: Double?
    /// Loads and stores per operation that missed the last level as well.
    package var lastLevelMisses: Double?

    package init(
        method: Method, instructions: Double, firstLevelMisses: Double? = nil, lastLevelMisses: Double? = nil
    ) {
        self.method = method
        self.instructions = instructions
        self.firstLevelMisses = firstLevelMisses
        self.lastLevelMisses = lastLevelMisses
    }
}
