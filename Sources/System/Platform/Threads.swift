/// A number that no other living thread has.
@inlinable
@inline(__always)
package func threadNumber() -> UInt64 {
    #if canImport(Darwin)
        UInt64(UInt(bitPattern: pthread_self()))
    #else
        UInt64(pthread_self())
    #endif
}

/// Makes a waiting writer go before later readers, which otherwise could keep it out forever, where the system does not
/// do so anyway.
@usableFromInline
package func preferWriters(_ attributes: inout pthread_rwlockattr_t) {
    #if canImport(Glibc)
        pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    #endif
}

/// Whether no thread of this process but the caller can run: each waits for another one, for a time or for the outside. False
/// where the system does not say.
package func allThreadsWait() -> Bool {
    #if canImport(Glibc)
        guard let folder = opendir("/proc/self/task") else { return false }
        defer { closedir(folder) }
        var running = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard UInt32(name) != nil else { continue }
            let file = open("/proc/self/task/\(name)/stat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            var text = [UInt8](repeating: 0, count: 128)
            let count = read(file, &text, text.count)
            // The state follows the name, which ends with the last bracket and may contain others.
            guard count > 0, let end = text[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
                return false
            }
            // Runnable, or waiting for a disk.
            if [UInt8(ascii: "R"), UInt8(ascii: "D")].contains(text[end + 2]) { running += 1 }
        }
        return running <= 1
    #else
        false
    #endif
}
