import Foundation
import Platform

/// The kernel's data on this process and the machine, from files that only Linux has: elsewhere nothing can be read.
enum ProcessFiles {
    /// The resident memory of this process in bytes, now and at its peak. Allocates only one buffer, so that a reading
    /// hardly counts itself.
    static func residentBytes() -> (now: UInt64?, peak: UInt64?) {
        withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 8) { buffer in
            let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return (nil, rusage.ofThisProcess().residentBytesMax) }
            defer { close(file) }
            let count = read(file, buffer.baseAddress, buffer.count)
            let status = UnsafeRawBufferPointer(rebasing: buffer[..<max(count, 0)])
            return (kibibytes("\nVmRSS:", in: status), kibibytes("\nVmHWM:", in: status))
        }
    }

    /// Resets the peak of the resident memory.
    static func resetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    /// The processor's name.
    static func processorModel() -> String? {
        text(of: "/proc/cpuinfo").flatMap { field("model name", in: $0) }
    }

    /// The system's own name and version.
    static func systemName() -> String? {
        guard let line = text(of: "/etc/os-release").flatMap({ field("PRETTY_NAME", in: $0, separator: "=") })
        else { return nil }
        return String(line.drop { $0 == "\"" }.prefix { $0 != "\"" })
    }

    /// The machine's memory in bytes.
    static func machineMemoryBytes() -> UInt64? {
        text(of: "/proc/meminfo")?.utf8.withContiguousStorageIfAvailable {
            kibibytes("MemTotal:", in: UnsafeRawBufferPointer($0))
        } ?? nil
    }

    /// Clock ticks of all cores since the machine started: all ticks, those in which a core worked, and the stolen ones,
    /// in which the host ran another guest although this machine was ready to run.
    static func ticks() -> (stolen: UInt64, busy: UInt64, all: UInt64)? {
        guard let line = text(of: "/proc/stat")?.split(separator: "\n").first else { return nil }
        let columns = line.split(separator: " ")
        // The columns of guests of this machine are already included in earlier columns.
        let ticks = columns.dropFirst().prefix(8).compactMap { UInt64($0) }
        guard columns.first == "cpu", ticks.count == 8 else { return nil }
        // Idle cores, and those that wait for a disk, do no work.
        let all = ticks.reduce(0, &+)
        return (ticks[7], all &- ticks[3] &- ticks[4] &- ticks[7], all)
    }

    /// The frequencies of the slowest and the fastest core: from the scaling driver, or else from the processor.
    static func megahertz() -> ClosedRange<Double>? {
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
    }

    /// How often the calling thread was moved to another core since it started.
    static func migrationsOfThread() -> UInt64? {
        text(of: "/proc/thread-self/sched").flatMap { field("se.nr_migrations", in: $0) }
            .flatMap { UInt64($0) }
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
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmed: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let start = drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}

/// How long the threads of this process were ready to run while another thread had the processor.
///
/// From `/proc/self/task/*/schedstat` (Linux, Documentation/scheduler/sched-stats). On other systems all delays are 0,
/// so they cannot be distinguished from the process's own work.
///
/// An instance belongs to one thread. A reading costs about a microsecond per thread.
package struct ThreadDelays {
    /// Each thread, and its last value.
    private var others: [Int32: (thread: ThreadDelay, nanoseconds: UInt64)] = [:]
    private let own = ThreadDelay()

    /// Creates an instance for the calling thread and all other threads of its process.
    package init() {
        _ = othersLongest()
    }

    /// How long the thread that created this has waited for a processor since it started, in nanoseconds.
    package func ownNanoseconds() -> UInt64 { own.nanoseconds ?? 0 }

    /// The longest wait of any other thread since the last call, in nanoseconds; for a new thread since its start.
    package mutating func othersLongest() -> UInt64 {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var longest: UInt64 = 0
        var alive: Set<Int32> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let thread = Int32(name), thread != getpid() else { continue }
            alive.insert(thread)
            let known = others[thread] ?? (ThreadDelay(of: "/proc/self/task/\(thread)"), 0)
            guard let delay = known.thread.nanoseconds else { continue }
            longest = max(longest, delay - min(delay, known.nanoseconds))
            others[thread] = (known.thread, delay)
        }
        for thread in others.keys where !alive.contains(thread) { others[thread] = nil }
        return longest
    }
}

/// How long one thread was ready to run while another thread had the processor; see ``ThreadDelays``.
package final class ThreadDelay: Sendable {
    private let file: Int32

    fileprivate init(of folder: String) {
        file = open("\(folder)/schedstat", O_RDONLY | O_CLOEXEC)
    }

    /// The delay of the calling thread. It may be read on any thread.
    package convenience init() { self.init(of: "/proc/thread-self") }

    deinit {
        if file >= 0 { close(file) }
    }

    /// The delay since the thread started, in nanoseconds; `nil` when the system does not say it. Costs about a
    /// microsecond.
    package var nanoseconds: UInt64? {
        guard file >= 0 else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let words = buffer.prefix(count).split(separator: UInt8(ascii: " "))
            return words.count < 2 ? nil : UInt64(String(decoding: words[1], as: UTF8.self))
        }
    }
}
