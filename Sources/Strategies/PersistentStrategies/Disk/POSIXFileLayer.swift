import CacheStrategies
package import Foundation
import Locks
import Platform

/// The real folder: every call is one system call, relative to the descriptor of the folder.
package final class POSIXFileLayer: FileLayer {
    private let folder: Int32
    /// The lock's descriptor, if the lock is held.
    private let lockHolder = Locked<Int32?>(nil)
    /// Descriptors that are open only to be closed when a file needs one and the process has no more.
    private let spares = Locked<[Int32]>([])
    private let spareCount: Int

    /// Opens a folder.
    ///
    /// The path to the folder may contain symbolic links; no call follows one below the folder.
    ///
    /// - Parameters:
    ///   - directory: the folder.
    ///   - creating: whether the folder and its parents are created if they don't exist.
    ///   - spareCount: the number of files that can be open at once even when the rest of the process, or of the system,
    ///     leaves no descriptor. Between the moment that a spare one is closed and the moment that the file is opened,
    ///     another thread can take it.
    package init(directory: URL, creating: Bool = true, spareCount: Int = 0) throws(FileLayerError) {
        self.spareCount = spareCount
        let path = directory.path
        do {
            if creating { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }
        } catch {
            // An error of creating the folder shows when it is opened, with the system's own number.
        }
        folder = Platform.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileLayerError(code: errno, call: "open folder") }
        refillSpares()
    }

    deinit {
        unlock()
        for spare in spares.withLock({ $0 }) { _ = Platform.close(spare) }
        _ = Platform.close(folder)
    }

    /// Reads the folder through a descriptor of its own: `readdir`.
    package func forEachName(_ body: (String) -> Void) throws(FileLayerError) {
        // A descriptor of its own, because reading a folder moves the descriptor's position.
        let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            let code = errno
            if descriptor >= 0 { _ = Platform.close(descriptor) }
            throw FileLayerError(code: code, call: "list")
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileLayerError(code: errno, call: "list") }
                return
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { body(name) }
        }
    }

    /// `openat` with `O_CREAT`, `O_EXCL` and `O_NOFOLLOW`; only the user can read and write the file.
    package func create(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, "create")
    }

    /// `openat` with `O_NOFOLLOW` and `O_NONBLOCK`.
    package func open(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, "open")
    }

    /// `openat` with `O_APPEND`, `O_NOFOLLOW` and `O_NONBLOCK`.
    package func append(to name: String) throws(FileLayerError) -> FileDescriptor {
        try open(name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, "open")
    }

    /// `fstat`.
    package func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation {
        var status = stat()
        _ = try check(fstat(file.number, &status), "fstat")
        return FileInformation(isRegularFile: status.st_mode & S_IFMT == S_IFREG, size: Int(status.st_size))
    }

    /// `read`.
    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileLayerError) -> Int {
        try check(Platform.read(file.number, buffer.baseAddress, buffer.count), "read")
    }

    /// `write`.
    package func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int {
        try check(Platform.write(file.number, buffer.baseAddress, buffer.count), "write")
    }

    /// `fsync`.
    package func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        _ = try check(fsync(file.number), "fsync")
    }

    /// `fsync` of the folder.
    package func synchronizeNames() throws(FileLayerError) {
        _ = try check(fsync(folder), "fsync")
    }

    /// `close`.
    package func close(_ file: FileDescriptor) throws(FileLayerError) {
        defer { refillSpares() }
        _ = try check(Platform.close(file.number), "close")
    }

    /// `renameat`.
    package func rename(_ name: String, to newName: String) throws(FileLayerError) {
        _ = try check(renameat(folder, name, folder, newName), "rename")
    }

    /// `unlinkat`; for a folder, again with `AT_REMOVEDIR`.
    package func remove(_ name: String) throws(FileLayerError) {
        guard unlinkat(folder, name, 0) != 0 else { return }
        let code = errno
        // For a folder Linux returns EISDIR, Darwin EPERM.
        guard code == EISDIR || code == EPERM else { throw FileLayerError(code: code, call: "unlink") }
        _ = try check(unlinkat(folder, name, AT_REMOVEDIR), "unlink")
    }

    /// `flock` on a separate file, which is created if it doesn't exist and never removed.
    package func lock(_ name: String) throws(FileLayerError) -> Bool {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = try check(openat(folder, name, flags, 0o600), "open lock")
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            _ = Platform.close(descriptor)
            guard code == EWOULDBLOCK else { throw FileLayerError(code: code, call: "flock") }
            return false
        }
        lockHolder.withLock { $0 = descriptor }
        return true
    }

    /// `flock`, then `close`. Does nothing without a lock.
    package func unlock() {
        guard let descriptor = lockHolder.withLock({ $0.take() }) else { return }
        // Unlocked before it is closed: a child process that is just starting may share the descriptor.
        _ = flock(descriptor, LOCK_UN)
        _ = Platform.close(descriptor)
    }

    /// Opens a file, in place of a spare descriptor if there is no other.
    private func open(_ name: String, _ flags: Int32, _ call: String) throws(FileLayerError) -> FileDescriptor {
        while true {
            do throws(FileLayerError) {
                return FileDescriptor(number: try check(openat(folder, name, flags, 0o600), call))
            } catch {
                guard SystemErrors.isShortage(error.code), let spare = spares.withLock({ $0.popLast() }) else {
                    throw error
                }
                _ = Platform.close(spare)
            }
        }
    }

    private func refillSpares() {
        spares.withLock { spares in
            while spares.count < spareCount {
                // Opened anew: a duplicate takes no place in the system's table of open files, and would free none.
                let spare = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                guard spare >= 0 else { return }
                spares.append(spare)
            }
        }
    }

    private func check<Number: SignedInteger>(_ result: Number, _ call: String) throws(FileLayerError) -> Number {
        guard result >= 0 else { throw FileLayerError(code: errno, call: call) }
        return result
    }
}
