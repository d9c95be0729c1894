/// What an operation takes in instructions rather than in time: what else the machine does is not in it.
package struct InstructionCounts: Codable, Hashable, Sendable {
    /// Who counted what. Figures of two methods are never compared.
    package enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// Callgrind, within the strategy's own operations. The harness's share is taken off.
        case callgrind
        /// The same, counted by the processor's own counter, which the kernel reads.
        case hardware
        /// Callgrind, all of the process while the phase ran: what the strategy does in tasks and threads of its own, and what the
        /// harness does.
        case callgrindProcess = "callgrind-process"
        /// The same, counted by the processor's own counter.
        case hardwareProcess = "hardware-process"
    }

    package var method: Method
    /// User-space instructions for each operation.
    package var instructions: Double
    /// Loads and stores for each operation that missed the simulated first-level data cache; `nil` where none was simulated.
    package var firstLevelMisses: Double?
    /// Those that missed the last level as well.
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
