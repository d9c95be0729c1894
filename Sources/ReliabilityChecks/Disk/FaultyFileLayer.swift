package import CacheStrategies
package import Foundation

/// The real folder, whose n-th call fails, once or from then on; or from whose n-th call on nothing happens any more,
/// as after a kill.
///
/// It doesn't wait for the device: only a loss of power could show it, and thousands of cases would wait for one disk.
package final class FaultyFileLayer: FileLayer, @unchecked Sendable {
    // `@unchecked`: everything mutable is touched under the lock only.
    private let layer: POSIXFileLayer
    private let access = NSLock()
    private var plan: Plan?
    private var calls = 0
    private var fired = 0
    private var shortens = false
    private var opened = 0
    private var holding: (name: String, call: HeldCall)?

    /// How a call fails.
    package enum Failure: Sendable, Hashable {
        /// With an error number.
        case error(Int32)
        /// A write takes half of its bytes. Other calls succeed.
        case shortWrite
        /// A write takes half of its bytes; from then on nothing happens.
        case death
    }

    private struct Plan {
        let call: Int
        let failure: Failure
        let isPersistent: Bool
    }

    package init(directory: URL) throws(FileLayerError) { layer = try POSIXFileLayer(directory: directory) }

    /// Fails the call of this number, counted from now, and those after it if `isPersistent`.
    package func arm(call: Int, _ failure: Failure, isPersistent: Bool) {
        access.withLock {
            plan = Plan(call: call, failure: failure, isPersistent: isPersistent || failure == .death)
            calls = 0
            fired = 0
        }
    }

    /// Fails the call of this number with an error number.
    package func arm(call: Int, code: Int32, isPersistent: Bool) {
        arm(call: call, .error(code), isPersistent: isPersistent)
    }

    /// Lets all calls through again; answers how many failed.
    @discardableResult
    package func disarm() -> Int {
        access.withLock {
            plan = nil
            return fired
        }
    }

    /// Calls from when the layer was armed until it was disarmed.
    package var callCount: Int { access.withLock { calls } }

    /// Holds the next call of this name up until it is released.
    package func hold(_ call: String) -> HeldCall {
        let held = HeldCall()
        access.withLock { self.holding = (call, held) }
        return held
    }

    /// A call that waits until it is released.
    package final class HeldCall: Sendable {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let releasing = DispatchSemaphore(value: 0)

        /// Waits until the call has come.
        package func reached() async {
            var iterator = arrivals.stream.makeAsyncIterator()
            _ = await iterator.next()
        }

        /// Lets the call go on.
        package func release() { releasing.signal() }

        fileprivate func pass() {
            arrivals.continuation.yield()
            releasing.wait()
        }
    }

    /// Lets reads and writes do a few bytes each time.
    package func shortenTransfers() { access.withLock { shortens = true } }

    /// Files that were opened and not closed.
    package var openCount: Int { access.withLock { opened } }

    /// Counts a call; answers how it is to fail, if it is.
    private func count(_ call: String) -> Failure? {
        let held = access.withLock { () -> HeldCall? in
            guard let holding, holding.name == call else { return nil }
            self.holding = nil
            return holding.call
        }
        held?.pass()
        return access.withLock {
            guard let plan else { return nil }
            calls += 1
            guard calls == plan.call || calls > plan.call && plan.isPersistent else { return nil }
            if plan.failure == .shortWrite, call != "write" { return nil }
            fired += 1
            return plan.failure
        }
    }

    private var isDeadAlready: Bool {
        access.withLock { plan.map { $0.failure == .death && calls > $0.call } ?? false }
    }

    private func check(_ call: String) throws(FileLayerError) {
        switch count(call) {
        case nil, .shortWrite: return
        case .error(let code): throw FileLayerError(code: code, call: call)
        case .death: throw FileLayerError(code: SystemErrors.ioFailure, call: call)
        }
    }

    private func opening(_ file: FileDescriptor) -> FileDescriptor {
        access.withLock { opened += 1 }
        return file
    }

    private var transferMax: Int { access.withLock { shortens ? 7 : Int.max } }

    package func names() throws(FileLayerError) -> [String] {
        try check("list")
        return try layer.names()
    }

    package func create(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try check("create")
        return opening(try layer.create(name))
    }

    package func open(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try check("open")
        return opening(try layer.open(name))
    }

    package func append(to name: String) throws(FileLayerError) -> FileDescriptor {
        try check("open")
        return opening(try layer.append(to: name))
    }

    package func truncate(_ file: FileDescriptor, toByteCount byteCount: Int) throws(FileLayerError) {
        try check("ftruncate")
        try layer.truncate(file, toByteCount: byteCount)
    }

    package func information(_ file: FileDescriptor) throws(FileLayerError) -> FileInformation {
        try check("fstat")
        return try layer.information(file)
    }

    package func read(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileLayerError) -> Int {
        try check("read")
        return try layer.read(file, into: .init(rebasing: buffer.prefix(transferMax)))
    }

    package func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(FileLayerError) -> Int {
        let failure = count("write")
        let half = UnsafeRawBufferPointer(rebasing: buffer.prefix((buffer.count + 1) / 2))
        switch failure {
        case nil: return try layer.write(file, .init(rebasing: buffer.prefix(transferMax)))
        case .shortWrite: return try layer.write(file, half)
        case .error(let code):
            // A full disk takes some of the bytes first; an interrupted call has taken none.
            if code != SystemErrors.interrupted { _ = try layer.write(file, half) }
            throw FileLayerError(code: code, call: "write")
        case .death:
            if !isDeadAlready { _ = try layer.write(file, half) }
            throw FileLayerError(code: SystemErrors.ioFailure, call: "write")
        }
    }

    package func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        try check("fsync")
    }

    package func close(_ file: FileDescriptor) throws(FileLayerError) {
        access.withLock { opened -= 1 }
        try layer.close(file)
        try check("close")
    }

    package func rename(_ name: String, to newName: String) throws(FileLayerError) {
        try check("rename")
        try layer.rename(name, to: newName)
    }

    package func remove(_ name: String) throws(FileLayerError) {
        try check("unlink")
        try layer.remove(name)
    }

    package func lock(_ name: String) throws(FileLayerError) -> Bool {
        try check("flock")
        return try layer.lock(name)
    }

    package func unlock() { layer.unlock() }
}
