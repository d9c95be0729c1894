import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
