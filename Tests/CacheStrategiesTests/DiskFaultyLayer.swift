import CacheStrategies
import Foundation

/// The real folder, whose n-th call fails, once or from then on.
///
/// It doesn't wait for the device: only a loss of power could show it, and hundreds of tests would wait for one disk.
final class DiskFaultyLayer: FileLayer, @unchecked Sendable {
    // `@unchecked`: everything mutable is touched under the lock only.
    private let layer: POSIXFileLayer
    private let access = NSLock()
    private var callsLeft = Int.max
    private var code: Int32 = 0
    private var isPersistent = false
    private var shortens = false
    private var fired = 0
    private var opened = 0
    private var gate: (call: String, gate: Gate)?

    init(directory: URL) throws(FileLayerError) { layer = try POSIXFileLayer(directory: directory) }

    /// Fails the call of this number, counted from now, and those after it if `isPersistent`.
    func arm(call: Int, code: Int32, isPersistent: Bool) {
        access.withLock {
            callsLeft = call
            self.code = code
            self.isPersistent = isPersistent
            fired = 0
        }
    }

    /// Lets all calls through again; answers how many failed.
    func disarm() -> Int {
        access.withLock {
            callsLeft = Int.max
            return fired
        }
    }

    /// Holds the next call of this name up until the gate is opened.
    func hold(_ call: String) -> Gate {
        let gate = Gate()
        access.withLock { self.gate = (call, gate) }
        return gate
    }

    /// Where one call waits.
    final class Gate: Sendable {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let opening = DispatchSemaphore(value: 0)

        /// Waits until the call has come.
        func reached() async {
            var iterator = arrivals.stream.makeAsyncIterator()
            _ = await iterator.next()
        }

        func open() { opening.signal() }

        fileprivate func pass() {
            arrivals.continuation.yield()
            opening.wait()
        }
    }

    /// Lets reads and writes do a few bytes each time.
    func shortenTransfers() { access.withLock { shortens = true } }

    /// Files that were opened and not closed.
    var openCount: Int { access.withLock { opened } }

    private func count(_ call: String) throws(FileLayerError) {
        let held = access.withLock { () -> Gate? in
            guard let gate, gate.call == call else { return nil }
            self.gate = nil
            return gate.gate
        }
        held?.pass()
        let fails = access.withLock {
            guard callsLeft != Int.max else { return false }
            callsLeft -= 1
            guard callsLeft == 0 || callsLeft < 0 && isPersistent else { return false }
            fired += 1
            return true
        }
        if fails { throw FileLayerError(code: code, call: call) }
    }

    private func opening(_ file: FileDescriptor) -> FileDescriptor {
        access.withLock { opened += 1 }
        return file
    }

    private var transferMax: Int { access.withLock { shortens ? 7 : Int.max } }

    func names() throws(FileLayerError) -> [String] {
        try count("list")
        return try layer.names()
    }

    func create(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try count("create")
        return opening(try layer.create(name))
    }

    func open(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try count("open")
        return opening(try layer.open(name))
    }

    func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation {
        try count("fstat")
        return try layer.information(file)
    }

    func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(FileLayerError) -> Int {
        try count("read")
        return try layer.read(file, into: .init(rebasing: buffer.prefix(transferMax)))
    }

    func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int {
        do {
            try count("write")
        } catch {
            // A full disk takes some of the bytes first.
            _ = try layer.write(file, .init(rebasing: buffer.prefix(buffer.count / 2)))
            throw error
        }
        return try layer.write(file, .init(rebasing: buffer.prefix(transferMax)))
    }

    func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        try count("fsync")
    }

    func close(_ file: FileDescriptor) throws(FileLayerError) {
        access.withLock { opened -= 1 }
        try layer.close(file)
        try count("close")
    }

    func rename(_ name: String, to newName: String) throws(FileLayerError) {
        try count("rename")
        try layer.rename(name, to: newName)
    }

    func remove(_ name: String) throws(FileLayerError) {
        try count("unlink")
        try layer.remove(name)
    }

    func lock(_ name: String) throws(FileLayerError) -> Bool {
        try count("flock")
        return try layer.lock(name)
    }

    func unlock() { layer.unlock() }
}
