import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The machine that a run happened on, as it was at that moment; what can't be read is `nil`.
package struct Machine: Codable, Hashable, Sendable {
    /// Its name in the network.
    package var host: String
    /// The processor's name.
    package var processorModel: String?
    /// Cores that the process may use.
    package var coreCount: Int
    /// The processor's architecture, such as `x86_64`.
    package var architecture: String
    /// The kernel's name and version.
    package var kernel: String
    /// The system's name and version, such as `Debian GNU/Linux 12 (bookworm)`.
    package var operatingSystem: String
    /// The memory of the machine in bytes.
    package var memoryBytes: UInt64
    /// The Swift compiler that built the program; of a later one than is known here, the last one known.
    package var swiftVersion: String
    /// Whether the program was built with optimisation.
    package var optimized: Bool
    /// The allocator whose figures stand in `memory.csv`.
    package var allocator: String?
    /// Threads that ran or were ready to run, as an average of the last minute.
    package var loadAverage: Double?
    /// Clock ticks since the machine started that its host gave to others. Two readings show whether a run was
    /// disturbed.
    package var stealTicks: UInt64?

    /// The machine at hand, now.
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

    /// The load of the last minute.
    package static func currentLoadAverage() -> Double? {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : nil
    }

    private static var isOptimized: Bool {
        var optimized = true
        // The condition of an assertion runs in builds without optimisation only.
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
