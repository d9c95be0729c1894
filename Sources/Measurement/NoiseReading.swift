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
    /// Clock ticks in which a core of this machine worked, for any process or for the kernel.
    package var busyTicks: UInt64?
    /// All clock ticks of all cores, including idle ones.
    package var allTicks: UInt64?
    /// Clock ticks in which a core worked for this process, or for a child that has ended.
    package var ownTicks: UInt64
    /// How often a thread of this process, or of a child that has ended, lost its core to another thread.
    package var involuntarySwitches: UInt64
    /// The frequencies of the slowest and the fastest core in megahertz, as reported by the kernel. A virtual machine
    /// usually reports a constant.
    package var megahertz: ClosedRange<Double>?

    /// The current reading. Costs about 100 microseconds, so read only while no operation is timed.
    package static func current() -> NoiseReading {
        let ticks = ProcessFiles.ticks()
        let usages = [usage(of: ownThreads), usage(of: endedChildren)]
        return NoiseReading(
            stealTicks: ticks?.stolen, busyTicks: ticks?.busy, allTicks: ticks?.all,
            ownTicks: Self.ticks(of: usages),
            involuntarySwitches: usages.reduce(0) { $0 &+ UInt64(clamping: $1.ru_nivcsw) },
            megahertz: ProcessFiles.megahertz())
    }

    /// Clock ticks of all cores that the machine's host gave to others; 0 when unknown. Costs some ten microseconds.
    package static func stolenTicks() -> UInt64 { ProcessFiles.ticks()?.stolen ?? 0 }

    /// How often the calling thread was moved to another core since it started.
    package static func migrationsOfThread() -> UInt64? { ProcessFiles.migrationsOfThread() }

    /// What processes have used; zeros when unknown.
    private static func usage(of processes: Int32) -> rusage {
        var usage = rusage()
        return getrusage(processes, &usage) == 0 ? usage : rusage()
    }

    private static func ticks(of usages: [rusage]) -> UInt64 {
        let seconds = usages.flatMap { [$0.ru_utime, $0.ru_stime] }.reduce(0.0) { sum, time in
            sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return UInt64(max(0, seconds) * Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
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
    /// The share of the cores' time in which they worked for other processes of this machine, from 0 to 1.
    package var othersShare: Double?
    /// How often a thread of this process, or of a child that has ended, lost its core to another thread.
    package var involuntarySwitches: UInt64
    /// The lowest and the highest frequency of a core in megahertz, at either reading.
    package var megahertz: ClosedRange<Double>?

    /// Creates the difference of two readings.
    package init(from before: NoiseReading, to after: NoiseReading) {
        if let stolenBefore = before.stealTicks, let stolen = after.stealTicks, let allBefore = before.allTicks,
            let all = after.allTicks, all > allBefore, stolen >= stolenBefore
        {
            stealShare = min(1, Double(stolen - stolenBefore) / Double(all - allBefore))
        }
        if let busyBefore = before.busyTicks, let busy = after.busyTicks, let allBefore = before.allTicks,
            let all = after.allTicks, all > allBefore, busy >= busyBefore, after.ownTicks >= before.ownTicks
        {
            let own = after.ownTicks - before.ownTicks
            othersShare = min(1, max(0, Double(busy - busyBefore) - Double(own)) / Double(all - allBefore))
        }
        involuntarySwitches =
            after.involuntarySwitches >= before.involuntarySwitches
            ? after.involuntarySwitches - before.involuntarySwitches : 0
        let frequencies = [before.megahertz, after.megahertz].compactMap { $0 }
        if let low = frequencies.map(\.lowerBound).min(), let high = frequencies.map(\.upperBound).max() {
            megahertz = low...high
        }
    }

    /// The share of stolen time above which a measurement counts as disturbed.
    package static let stealShareLimit = 0.02
    /// The share of the cores' time for other processes above which a measurement counts as disturbed. The kernel's own
    /// work, such as writing files back, is among it.
    package static let othersShareLimit = 0.05
    /// The spread of frequencies, as a share of the highest, above which times are hard to compare.
    package static let frequencySpreadLimit = 0.1

    /// Warnings for readers of the figures, one per line; empty on a quiet machine.
    package var warnings: [String] {
        var lines: [String] = []
        if let stealShare, stealShare > Self.stealShareLimit {
            lines.append(
                "the machine's host took \(Self.percent(stealShare)) of the cores' time for others: times and "
                    + "throughput are worse than they would be")
        }
        if let othersShare, othersShare > Self.othersShareLimit {
            lines.append(
                "other processes used \(Self.percent(othersShare)) of the cores' time: times and throughput are worse "
                    + "than they would be")
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
