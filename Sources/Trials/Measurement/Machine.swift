import CCores
import Foundation
import Platform

/// The machine of a run and its state at that time; values that cannot be read are `nil`.
package struct Machine: Codable, Hashable, Sendable {
    /// The machine's network name.
    package var host: String
    /// The processor's name.
    package var processorModel: String?
    /// The number of cores that the process may use.
    package var coreCount: Int
    /// The processor's architecture, such as `x86_64`.
    package var architecture: String
    /// The kernel's name and version.
    package var kernel: String
    /// The system's name and version, such as `Debian GNU/Linux 12 (bookworm)`.
    package var operatingSystem: String
    /// The memory of the machine in bytes.
    package var memoryBytes: UInt64
    /// The Swift compiler that built the program; for an unknown later version, the last known one.
    package var swiftVersion: String
    /// Whether the program was built with optimisations.
    package var optimized: Bool
    /// The allocator whose figures `memory.csv` contains.
    package var allocator: String?
    /// The load average of the last minute: threads that ran or were ready to run.
    package var loadAverage: Double?
    /// Stolen clock ticks since the machine started, which its host gave to other guests. The difference of two
    /// readings shows whether a run was disturbed.
    package var stealTicks: UInt64?

    /// The current machine and its state.
    package static func current() -> Machine {
        var names = utsname()
        _ = uname(&names)
        let information = ProcessInfo.processInfo
        return Machine(
            host: text(names.nodename), processorModel: ProcessFiles.processorModel(),
            coreCount: information.activeProcessorCount, architecture: text(names.machine),
            kernel: "\(text(names.sysname)) \(text(names.release))",
            operatingSystem: ProcessFiles.systemName() ?? information.operatingSystemVersionString,
            memoryBytes: ProcessFiles.machineMemoryBytes() ?? information.physicalMemory,
            swiftVersion: compilerVersion, optimized: isOptimized, allocator: MemoryMeter.allocator,
            loadAverage: currentLoadAverage(), stealTicks: ProcessFiles.ticks()?.stolen)
    }

    /// The load average of the last minute.
    package static func currentLoadAverage() -> Double? {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : nil
    }

    private static var isOptimized: Bool {
        var optimized = true
        // The condition of an assertion runs only in builds without optimisation.
        assert({ optimized = false }() == ())
        return optimized
    }

    private static var compilerVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3.2)
            "6.3.2 or later"
        #elseif compiler(>=6.3.1)
            "6.3.1"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// The text in a fixed array of C characters.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// The cores that threads run on.
package enum Cores {
    /// Pins the calling thread to one core, on Linux.
    ///
    /// - Parameter number: the index among the cores that the thread may run on, modulo their number.
    package static func pinThread(to number: Int) { cores_pin_thread(UInt32(truncatingIfNeeded: number)) }
}

/// Disturbances of the machine and of this process up to one moment; values that cannot be read are `nil`.
package struct NoiseReading: Equatable, Sendable {
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
        let usages = [rusage.ofThisProcess(), rusage.ofEndedChildren()]
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

    private static func ticks(of usages: [rusage]) -> UInt64 {
        let times = usages.flatMap { [$0.ru_utime, $0.ru_stime] }
        let seconds = times.reduce(0.0) { (sum: Double, time: timeval) in
            sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return UInt64(max(0, seconds) * Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    }
}

/// Disturbances of the machine and of this process between two readings; values that cannot be read are `nil`.
package struct MachineNoise: Equatable, Sendable {
    /// The share of the cores' time that the machine's host gave to others, from 0 to 1.
    package var stealShare: Double?
    /// The share of the cores' time in which they worked for other processes of this machine, from 0 to 1.
    package var othersShare: Double?
    /// How often a thread of this process, or of a child that has ended, lost its core to another thread.
    package var involuntarySwitches: UInt64
    /// The lowest and the highest frequency of a core in megahertz, at either reading.
    package var megahertz: ClosedRange<Double>?

    /// The fewest ticks of all cores that have a share. A tick counts as a whole for the process that it meets, so a share of
    /// fewer would say what one tick met.
    package static let leastTicks: UInt64 = 100

    /// Creates the difference of two readings.
    package init(from before: NoiseReading, to after: NoiseReading) {
        if let stolenBefore = before.stealTicks, let stolen = after.stealTicks, let allBefore = before.allTicks,
            let all = after.allTicks, all >= allBefore, all - allBefore >= Self.leastTicks, stolen >= stolenBefore
        {
            stealShare = min(1, Double(stolen - stolenBefore) / Double(all - allBefore))
        }
        if let busyBefore = before.busyTicks, let busy = after.busyTicks, let allBefore = before.allTicks,
            let all = after.allTicks, all >= allBefore, all - allBefore >= Self.leastTicks, busy >= busyBefore,
            after.ownTicks >= before.ownTicks
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
                "CPU steal was \(Self.percent(stealShare)), the cores' time that the host gave to others: times and "
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
