import CacheStrategies
package import Foundation
package import PersistentStrategies
import Platform

/// A real folder on which the n-th call fails, once or from then on; it records the changes, from which
/// ``FolderJournal`` computes what a loss of power leaves.
///
/// It does not sync to the device: only a real power loss could show the difference, and thousands of cases would wait
/// for one disk.
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
    private var changes = FolderJournal()

    /// The way in which a call fails.
    package enum Failure: Sendable, Hashable {
        /// The call fails with an error number.
        case error(Int32)
        /// A write transfers half of its bytes. Other calls succeed.
        case shortWrite
    }

    private struct Plan {
        let call: Int
        let failure: Failure
        let isPersistent: Bool
    }

    package init(directory: URL) throws(FileLayerError) { layer = try POSIXFileLayer(directory: directory) }

    /// Makes the call with this number fail, counted from now, and all later ones if `isPersistent`.
    package func arm(call: Int, _ failure: Failure, isPersistent: Bool) {
        access.withLock {
            plan = Plan(call: call, failure: failure, isPersistent: isPersistent)
            calls = 0
            fired = 0
        }
    }

    /// Makes the call with this number fail with an error number.
    package func arm(call: Int, code: Int32, isPersistent: Bool) {
        arm(call: call, .error(code), isPersistent: isPersistent)
    }

    /// Makes all calls succeed again; returns how many failed.
    @discardableResult
    package func disarm() -> Int {
        access.withLock {
            plan = nil
            return fired
        }
    }

    /// The number of calls between arming and disarming the layer.
    package var callCount: Int { access.withLock { calls } }

    /// Holds the next call with this name until it is released.
    package func hold(_ call: String) -> HeldCall {
        let held = HeldCall()
        access.withLock { self.holding = (call, held) }
        return held
    }

    /// A call that waits until it is released.
    package final class HeldCall: Sendable {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let releasing = DispatchSemaphore(value: 0)

        /// Waits until the call has arrived.
        package func reached() async {
            var iterator = arrivals.stream.makeAsyncIterator()
            _ = await iterator.next()
        }

        /// Releases the call.
        package func release() { releasing.signal() }

        fileprivate func pass() {
            arrivals.continuation.yield()
            releasing.wait()
        }
    }

    /// Makes each read and write transfer only a few bytes.
    package func shortenTransfers() { access.withLock { shortens = true } }

    /// Files that were opened and not closed.
    package var openCount: Int { access.withLock { opened } }

    /// Counts a call; returns how it must fail, or `nil`.
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

    private func check(_ call: String) throws(FileLayerError) {
        switch count(call) {
        case nil, .shortWrite: return
        case .error(let code): throw FileLayerError(code: code, call: call)
        }
    }

    private func opening(
        _ file: FileDescriptor, _ change: (inout FolderJournal, FileDescriptor) -> Void = { _, _ in }
    ) -> FileDescriptor {
        access.withLock {
            opened += 1
            change(&changes, file)
        }
        return file
    }

    /// The changes to the folder.
    var journal: FolderJournal {
        get { access.withLock { changes } }
        set { access.withLock { changes = newValue } }
    }

    private var transferMax: Int { access.withLock { shortens ? 7 : Int.max } }

    package func forEachName(_ body: (String) -> Void) throws(FileLayerError) {
        try check("list")
        try layer.forEachName(body)
    }

    package func create(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try check("create")
        return opening(try layer.create(name)) { $0.create(name, as: $1) }
    }

    package func open(_ name: String) throws(FileLayerError) -> FileDescriptor {
        try check("open")
        return opening(try layer.open(name))
    }

    package func append(to name: String) throws(FileLayerError) -> FileDescriptor {
        try check("open")
        return opening(try layer.append(to: name)) { $0.append(to: name, as: $1) }
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
        case nil: return try transfer(.init(rebasing: buffer.prefix(transferMax)), to: file)
        case .shortWrite: return try transfer(half, to: file)
        case .error(let code):
            // A full disk accepts some of the bytes first; an interrupted call has accepted none.
            if code != SystemErrors.interrupted { _ = try transfer(half, to: file) }
            throw FileLayerError(code: code, call: "write")
        }
    }

    private func transfer(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(FileLayerError) -> Int {
        let count = try layer.write(file, bytes)
        access.withLock { changes.write(file, .init(rebasing: bytes.prefix(count))) }
        return count
    }

    package func synchronize(_ file: FileDescriptor) throws(FileLayerError) {
        try check("fsync")
        access.withLock { changes.synchronize(file) }
    }

    package func synchronizeNames() throws(FileLayerError) {
        try check("fsync")
        access.withLock { changes.synchronizeNames() }
    }

    package func close(_ file: FileDescriptor) throws(FileLayerError) {
        access.withLock {
            opened -= 1
            changes.close(file)
        }
        try layer.close(file)
        try check("close")
    }

    package func rename(_ name: String, to newName: String) throws(FileLayerError) {
        try check("rename")
        try layer.rename(name, to: newName)
        access.withLock { changes.rename(name, to: newName) }
    }

    package func remove(_ name: String) throws(FileLayerError) {
        try check("unlink")
        try layer.remove(name)
        access.withLock { changes.remove(name) }
    }

    package func lock(_ name: String) throws(FileLayerError) -> Bool {
        try check("flock")
        return try layer.lock(name)
    }

    package func unlock() { layer.unlock() }
}
