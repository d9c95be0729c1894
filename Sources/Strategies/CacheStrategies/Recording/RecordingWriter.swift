import Foundation
import Locks
import Platform

/// The thread that writes a recording: it empties the stripes, puts the requests in order, and writes their lines.
///
/// Only this thread touches the file. Any error ends the recording and nothing else.
@usableFromInline
final class RecordingWriter<Key: Hashable & Sendable>: @unchecked Sendable {
    // Sound although unchecked: `condition` guards the group below it; the next group belongs to the thread alone.
    let stripes: RecordingStripes<Key>
    private let condition = NSCondition()
    private var currentState = RecordingState.recording
    private var isWanted = false
    private var isClosing = false
    private var hasEnded = false
    private var byteCount = 0

    private let descriptor: Int32
    private let options: RecordingOptions
    private let lines: RecordingLines<Key>
    private var fills = FillMatcher<Key>()
    /// In the order of their times up to `matchedCount`; later ones came while the stripes were being emptied.
    private var pending = ContiguousArray<RecordedRequest<Key>>()
    private var matchedCount = 0
    /// How long a miss waits for its insert, in nanoseconds; below, how many requests wait at most.
    private static var fillTime: UInt64 { 2_000_000_000 }
    private static var heldCountMax: Int { 1 << 18 }
    private var usedStripes = [Bool](repeating: false, count: RecordingStripes<Key>.stripeCount)
    private var bytes: [UInt8] = []
    private var writtenCount = 0

    /// A writer that owns an open file.
    init(descriptor: Int32, stripes: RecordingStripes<Key>, options: RecordingOptions) {
        self.descriptor = descriptor
        self.stripes = stripes
        self.options = options
        lines = RecordingLines(keys: options.keys, start: Nanoclock.now())
    }

    /// Starts the thread, which keeps the writer alive until it has ended.
    func start() {
        let thread = Thread { self.run() }
        thread.name = "trace recorder"
        thread.start()
    }

    var state: RecordingState { condition.withLock { currentState } }

    /// Bytes in the file.
    var writtenByteCount: Int { condition.withLock { byteCount } }

    /// Wakes the thread because many requests wait.
    @usableFromInline
    func wake() {
        condition.withLock {
            isWanted = true
            condition.signal()
        }
    }

    /// Asks the thread to write the rest and end; if `waiting`, waits until it has.
    func close(waiting: Bool) {
        condition.withLock {
            isClosing = true
            condition.broadcast()
            while waiting, !hasEnded { condition.wait() }
        }
    }

    private func run() {
        blockFileSignals()
        bytes.append(contentsOf: RecordingLines<Key>.header.utf8)
        var result: RecordingState? = bytes.count > options.fileByteLimit ? .full : nil
        while result == nil {
            let isLast = waitForWork()
            if isLast { stripes.close(keepingRequests: true) }
            result = writeWaiting(all: isLast) ?? (isLast ? .closed : nil)
        }
        stripes.close(keepingRequests: false)
        // The last write may report its error only now.
        if Foundation.close(descriptor) != 0, result == .closed { result = .failed(errno) }
        condition.withLock {
            currentState = result ?? .closed
            hasEnded = true
            condition.broadcast()
        }
    }

    /// - Returns: whether the recording is being closed.
    private func waitForWork() -> Bool {
        let seconds = max(options.flushInterval, .milliseconds(1)) / .seconds(1)
        return condition.withLock {
            if !isWanted, !isClosing { _ = condition.wait(until: .deadline(in: seconds)) }
            isWanted = false
            return isClosing
        }
    }

    /// Writes the waiting requests.
    ///
    /// - Parameter all: if false, requests that came while the stripes were being emptied are kept for the next time,
    ///   because older ones may still be in a stripe that was emptied before them.
    /// - Returns: why the recording ends, if it does.
    private func writeWaiting(all: Bool) -> RecordingState? {
        let moment = all ? .max : Nanoclock.now()
        stripes.takeAll(into: &pending, usedStripes: &usedStripes)
        // One busy thread adds them in order already.
        let new = pending[matchedCount...]
        if zip(new, new.dropFirst()).contains(where: { $0.nanoseconds > $1.nanoseconds }) {
            pending[matchedCount...].sort { $0.nanoseconds < $1.nanoseconds }
        }
        let end = pending[matchedCount...].firstIndex { $0.nanoseconds > moment } ?? pending.endIndex
        matchedCount = fills.match(&pending, matchedCount..<end)
        var leaving = matchedCount
        if !all {
            let old = moment - min(Self.fillTime, moment)
            leaving = pending[..<matchedCount].firstIndex { $0.nanoseconds > old } ?? matchedCount
            leaving = max(leaving, matchedCount - Self.heldCountMax)
        }
        let requests = pending[..<leaving]
        pending.removeSubrange(..<leaving)
        matchedCount -= leaving
        fills.leave(leaving)
        for request in requests {
            let lineStart = bytes.count
            lines.append(request, to: &bytes)
            guard writtenCount + bytes.count <= options.fileByteLimit else {
                bytes.removeSubrange(lineStart...)
                return flush() ?? .full
            }
            if bytes.count >= 1 << 16, let failure = flush() { return failure }
        }
        return flush()
    }

    private func flush() -> RecordingState? {
        var failure: RecordingState?
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    failure = .failed(count < 0 ? errno : EIO)
                    return
                }
                rest = rest.dropFirst(count)
                writtenCount += count
            }
        }
        bytes.removeAll(keepingCapacity: true)
        condition.withLock { byteCount = writtenCount }
        return failure
    }

    /// A file that grows over the process's limit raises a signal that would end the app; blocked, it is only an error.
    private func blockFileSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
