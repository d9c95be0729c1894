#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Disturbances of the machine and of this process up to one moment; values that cannot be read are `nil`.
package struct NoiseReading: Codable, Hashable, Sendable {
    /// Clock ticks of all cores that the machine's host gave to others.
    package var stealTicks: UInt64?
    /// All clock ticks of all cores, including idle ones.
    package var allTicks: UInt64?
    /// How often a thread of this process, or of a child that has ended, lost its core to another thread.
    package var involuntarySwitches: UInt64
    /// The frequencies of the slowest and the fastest core in megahertz, as reported by the kernel. A virtual machine
    /// usually reports a constant.
    package var megahertz: ClosedRange<Double>?
    /// The load average of the last minute: threads that ran or were ready to run.
    package var loadAverage: Double?

    /// The current reading. Costs about 100 microseconds, so read only while no operation is timed.
    package static func current() -> NoiseReading {
        let ticks = ProcessFiles.ticks()
        return NoiseReading(
            stealTicks: ticks?.stolen, allTicks: ticks?.all,
            involuntarySwitches: switches(of: ownThreads) &+ switches(of: endedChildren),
            megahertz: ProcessFiles.megahertz(), loadAverage: Machine.currentLoadAverage())
    }

    /// Clock ticks of all cores that the machine's host gave to others; 0 when unknown. Costs some ten microseconds.
    package static func stolenTicks() -> UInt64 { ProcessFiles.ticks()?.stolen ?? 0 }

    /// How often the calling thread was moved to another core since it started.
    package static func migrationsOfThread() -> UInt64? { ProcessFiles.migrationsOfThread() }

    private static func switches(of processes: Int32) -> UInt64 {
        var usage = rusage()
        return getrusage(processes, &usage) == 0 ? UInt64(clamping: usage.ru_nivcsw) : 0
    }

    #if canImport(Glibc)
        private static var ownThreads: Int32 { RUSAGE_SELF.rawValue }
        private static var endedChildren: Int32 { RUSAGE_CHILDREN.rawValue }
    #else
        private static var ownThreads: Int32 { RUSAGE_SELF }
        private static var endedChildren: Int32 { RUSAGE_CHILDREN }
    #endif
}

/// Disturbances of the machine and of this process between two readings; values that cannot be read are `nil`.
package struct MachineNoise: Codable, Hashable, Sendable {
    /// The share of the cores' time that the machine's host gave to others, from 0 to 1.
    package var stealShare: Double?
    /// How often a thread of this process, or of a child that has ended, lost its core to another thread.
    package var involuntarySwitches: UInt64
    /// The lowest and the highest frequency of a core in megahertz, at either reading.
    package var megahertz: ClosedRange<Double>?
    /// The load average of one minute at the first reading, before the measurement.
    package var loadBefore: Double?

    /// Creates the difference of two readings.
    package init(from before: NoiseReading, to after: NoiseReading) {
        if let stolenBefore = before.stealTicks, let stolen = after.stealTicks, let allBefore = before.allTicks,
            let all = after.allTicks, all > allBefore, stolen >= stolenBefore
        {
            stealShare = min(1, Double(stolen - stolenBefore) / Double(all - allBefore))
        }
        involuntarySwitches =
            after.involuntarySwitches >= before.involuntarySwitches
            ? after.involuntarySwitches - before.involuntarySwitches : 0
        let frequencies = [before.megahertz, after.megahertz].compactMap { $0 }
        if let low = frequencies.map(\.lowerBound).min(), let high = frequencies.map(\.upperBound).max() {
            megahertz = low...high
        }
        loadBefore = before.loadAverage
    }

    /// The share of stolen time above which a measurement counts as disturbed.
    package static let stealShareLimit = 0.02
    /// The spread of frequencies, as a share of the highest, above which times are hard to compare.
    package static let frequencySpreadLimit = 0.1

    /// Warnings for readers of the figures, one per line; empty on a quiet machine.
    package func warnings(coreCount: Int) -> [String] {
        var lines: [String] = []
        if let stealShare, stealShare > Self.stealShareLimit {
            lines.append(
                "the machine's host took \(Self.percent(stealShare)) of the cores' time for others: times and "
                    + "throughput are worse than they would be")
        }
        if let loadBefore, loadBefore > Double(coreCount) {
            let tenths = Int((loadBefore * 10).rounded())
            lines.append(
                "the load average was \(tenths / 10).\(tenths % 10) on \(coreCount) cores before the start: others "
                    + "were at work")
        }
        if let megahertz, megahertz.upperBound > 0,
            1 - megahertz.lowerBound / megahertz.upperBound > Self.frequencySpreadLimit
        {
            lines.append(
                "the cores ran at \(Int(megahertz.lowerBound)) to \(Int(megahertz.upperBound)) MHz: times of different "
                    + "moments are hard to compare")
        }
        return lines
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
