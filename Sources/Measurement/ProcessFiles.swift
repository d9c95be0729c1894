#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kernel's data on this process and the machine. This file contains every call that works on Linux only.
enum ProcessFiles {
    /// The resident memory of this process in bytes, now and at its peak. Allocates only one buffer, so that a reading
    /// hardly counts itself.
    static func residentBytes() -> (now: UInt64?, peak: UInt64?) {
        #if os(Linux)
            withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 8) { buffer in
                let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return (nil, nil) }
                defer { close(file) }
                let count = read(file, buffer.baseAddress, buffer.count)
                let status = UnsafeRawBufferPointer(rebasing: buffer[..<max(count, 0)])
                return (kibibytes("\nVmRSS:", in: status), kibibytes("\nVmHWM:", in: status))
            }
        #else
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { return (nil, nil) }
            return (nil, UInt64(exactly: usage.ru_maxrss))
        #endif
    }

    /// Resets the peak of the resident memory.
    static func resetPeak() {
        #if os(Linux)
            let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = write(file, "5", 1)
            close(file)
        #endif
    }

    /// The processor's name.
    static func processorModel() -> String? {
        #if os(Linux)
            return text(of: "/proc/cpuinfo").flatMap { field("model name", in: $0) }
        #else
            return nil
        #endif
    }

    /// The system's own name and version.
    static func systemName() -> String? {
        #if os(Linux)
            guard let line = text(of: "/etc/os-release").flatMap({ field("PRETTY_NAME", in: $0, separator: "=") })
            else { return nil }
            return String(line.drop { $0 == "\"" }.prefix { $0 != "\"" })
        #else
            return nil
        #endif
    }

    /// The machine's memory in bytes.
    static func machineMemoryBytes() -> UInt64? {
        #if os(Linux)
            return text(of: "/proc/meminfo")?.utf8.withContiguousStorageIfAvailable {
                kibibytes("MemTotal:", in: UnsafeRawBufferPointer($0))
            } ?? nil
        #else
            return nil
        #endif
    }

    /// Clock ticks of all cores since the machine started: all ticks, those in which a core worked, and the stolen ones,
    /// in which the host ran another guest although this machine was ready to run.
    static func ticks() -> (stolen: UInt64, busy: UInt64, all: UInt64)? {
        #if os(Linux)
            guard let line = text(of: "/proc/stat")?.split(separator: "\n").first else { return nil }
            let columns = line.split(separator: " ")
            // The columns of guests of this machine are already included in earlier columns.
            let ticks = columns.dropFirst().prefix(8).compactMap { UInt64($0) }
            guard columns.first == "cpu", ticks.count == 8 else { return nil }
            // Idle cores, and those that wait for a disk, do no work.
            let all = ticks.reduce(0, &+)
            return (ticks[7], all &- ticks[3] &- ticks[4] &- ticks[7], all)
        #else
            return nil
        #endif
    }

    /// The frequencies of the slowest and the fastest core: from the scaling driver, or else from the processor.
    static func megahertz() -> ClosedRange<Double>? {
        #if os(Linux)
            var frequencies: [Double] = []
            for core in 0..<1_024 {
                guard let text = text(of: "/sys/devices/system/cpu/cpu\(core)/cpufreq/scaling_cur_freq") else { break }
                if let kilohertz = UInt64(text.filter(\.isNumber)) { frequencies.append(Double(kilohertz) / 1_000) }
            }
            if frequencies.isEmpty, let information = text(of: "/proc/cpuinfo") {
                for line in information.split(separator: "\n") where line.hasPrefix("cpu MHz") {
                    if let number = line.split(separator: ":").last, let megahertz = Double(number.trimmed) {
                        frequencies.append(megahertz)
                    }
                }
            }
            let known = frequencies.filter { $0.isFinite && $0 > 0 && $0 < 1e6 }
            guard let low = known.min(), let high = known.max() else { return nil }
            return low...high
        #else
            return nil
        #endif
    }

    /// How often the calling thread was moved to another core since it started.
    static func migrationsOfThread() -> UInt64? {
        #if os(Linux)
            return text(of: "/proc/thread-self/sched").flatMap { field("se.nr_migrations", in: $0) }
                .flatMap { UInt64($0) }
        #else
            return nil
        #endif
    }

    /// The value of a line `name: value`.
    static func field(_ name: String, in text: String, separator: Character = ":") -> String? {
        for line in text.split(separator: "\n") {
            guard let end = line.firstIndex(of: separator) else { continue }
            guard line[..<end].trimmed == name else { continue }
            return line[line.index(after: end)...].trimmed
        }
        return nil
    }

    /// The value in KiB after a name, converted to bytes.
    static func kibibytes(_ name: StaticString, in text: UnsafeRawBufferPointer) -> UInt64? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard name.count < text.count else { return nil }
        let starts = 0..<text.count - name.count
        guard let start = starts.first(where: { text[$0..<$0 + name.count].elementsEqual(name) }) else { return nil }
        var number: UInt64?
        for byte in text[(start + name.count)...] {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t"), number == nil { continue }
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { break }
            let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
            // No machine has 2^53 KiB.
            guard !overflows, tens < 1 << 53 else { return nil }
            number = tens + UInt64(byte - UInt8(ascii: "0"))
        }
        return number.map { $0 * 1024 }
    }

    #if os(Linux)
        /// The text of a file without a size, such as those of `/proc`, up to 1 MiB.
        private static func text(of path: String) -> String? {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            while bytes.count < 1 << 20 {
                let count = read(file, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    #endif
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmed: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let start = drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}
