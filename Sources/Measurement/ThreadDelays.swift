#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How long the threads of this process were ready to run while another thread had the processor.
///
/// From `/proc/self/task/*/schedstat` (Linux, Documentation/scheduler/sched-stats). On other systems all delays are 0,
/// so they cannot be distinguished from the process's own work.
///
/// An instance belongs to one thread. A reading costs about a microsecond per thread.
package struct ThreadDelays: ~Copyable {
    #if os(Linux)
        /// An open file for each thread, and its last value.
        private var others: [Int32: (file: Int32, delay: UInt64)] = [:]
        private let own: Int32

        /// Creates an instance for the calling thread and all other threads of its process.
        package init() {
            own = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
            _ = othersLongest()
        }

        deinit {
            if own >= 0 { close(own) }
            for entry in others.values { close(entry.file) }
        }
    #else
        package init() {}
    #endif

    /// How long the thread that created this has waited for a processor since it started, in nanoseconds.
    package func ownNanoseconds() -> UInt64 {
        #if os(Linux)
            return Self.delay(own) ?? 0
        #else
            return 0
        #endif
    }

    /// The longest wait of any other thread since the last call, in nanoseconds; for a new thread since its start.
    package mutating func othersLongest() -> UInt64 {
        #if os(Linux)
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
                if others[thread] == nil {
                    let file = open("/proc/self/task/\(thread)/schedstat", O_RDONLY | O_CLOEXEC)
                    guard file >= 0 else { continue }
                    others[thread] = (file, 0)
                }
                guard let known = others[thread], let delay = Self.delay(known.file) else { continue }
                longest = max(longest, delay - min(delay, known.delay))
                others[thread] = (known.file, delay)
            }
            for (thread, entry) in others where !alive.contains(thread) {
                close(entry.file)
                others[thread] = nil
            }
            return longest
        #else
            return 0
        #endif
    }

    #if os(Linux)
        /// The second number of a file: nanoseconds in which the thread was ready but did not run.
        private static func delay(_ file: Int32) -> UInt64? {
            guard file >= 0 else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
                let count = pread(file, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { return nil }
                let words = buffer.prefix(count).split(separator: UInt8(ascii: " "))
                return words.count < 2 ? nil : UInt64(String(decoding: words[1], as: UTF8.self))
            }
        }
    #endif
}

/// Whether the caller runs on the process's main thread.
package func isMainThread() -> Bool {
    #if os(Linux)
        // On Linux, the main thread has the number of the process.
        var link = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &link, link.count)
        let thread = link.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        return String(decoding: thread, as: UTF8.self) == "\(getpid())/task/\(getpid())"
    #else
        pthread_main_np() == 1
    #endif
}
