package import CSpans
import CacheStrategies
import Foundation
import Locks
import Synchronization
package import TrialModel

/// Counts the instructions of a trial's phases, in sequence, in the trial's process.
package protocol PhaseCounter: Sendable {
    /// Counts single operations; `nil` when the whole process is counted.
    var spans: (any SpanCounter)? { get }

    /// Resets the counts.
    func begin() throws

    /// The counts since ``begin()``; `nil` when the parent process reads them.
    func end() -> InstructionTally?
}

/// Counts the operations that one client sends in sequence, from a thread that does not change within an operation.
package protocol SpanCounter: Sendable {
    /// Calls the body, which is an operation; `isBare` means that it goes to the cache that does nothing.
    func count(_ kind: OperationKind, isBare: Bool, _ body: spans_body, _ context: UnsafeMutableRawPointer)

    /// Calls the body within an operation without counting it.
    func leaveOut(_ body: spans_body, _ context: UnsafeMutableRawPointer)
}

extension Strategy {
    /// Whether the whole process must be counted, because the strategy also works in tasks or threads of its own.
    package var isCountedAsWhole: Bool { suspends || declaration.worksInBackground }

    /// The counter of the strategy's instructions.
    ///
    /// - Parameter event: the event that the kernel counts; `nil` when Callgrind runs this process and counts.
    package func counter(of event: CounterEvent?) -> any PhaseCounter {
        guard let event else { return CallgrindMarks(isWhole: isCountedAsWhole) }
        return isCountedAsWhole ? ProcessCounter(event) : OperationCounter(event)
    }
}

/// Marker functions that Callgrind finds by name.
private struct CallgrindMarks: PhaseCounter, SpanCounter {
    let isWhole: Bool

    var spans: (any SpanCounter)? { isWhole ? nil : self }

    func begin() { cache_trials_phase_begins() }

    func end() -> InstructionTally? {
        cache_trials_phase_ends()
        return nil
    }

    func count(_ kind: OperationKind, isBare: Bool, _ body: spans_body, _ context: UnsafeMutableRawPointer) {
        switch kind {
        case .read: (isBare ? cache_trials_bare_read : cache_trials_counted_read)(body, context)
        case .load: (isBare ? cache_trials_bare_load : cache_trials_counted_load)(body, context)
        case .write: (isBare ? cache_trials_bare_write : cache_trials_counted_write)(body, context)
        case .remove: (isBare ? cache_trials_bare_remove : cache_trials_counted_remove)(body, context)
        case .clear: (isBare ? cache_trials_bare_clear : cache_trials_counted_clear)(body, context)
        case .burst, .prefetch: preconditionFailure(TimedKernel.isNoCall)
        }
    }

    func leaveOut(_ body: spans_body, _ context: UnsafeMutableRawPointer) { cache_trials_uncounted(body, context) }
}

/// Reads the kernel's counter of the client's thread before each operation and after it.
///
/// Reading takes equally many instructions around the cache that does nothing, so they are subtracted with its
/// operations.
final class OperationCounter: PhaseCounter, SpanCounter {
    private struct State {
        var counter: KernelCounter?
        /// The thread of the counter. A client that is a task may continue on another thread after an operation.
        var thread: CInt = 0
        var tally = InstructionTally(method: .hardware)
    }

    private let event: CounterEvent
    private let state = Locked(State())
    // Accessed within operations, where the instructions of a lock would be counted.
    private let descriptor = Atomic<CInt>(-1)
    private let leftOut = Atomic<UInt64>(0)

    init(_ event: CounterEvent) { self.event = event }

    var spans: (any SpanCounter)? { self }

    func begin() { state.withLock { $0 = State() } }

    func end() -> InstructionTally? {
        state.withLock { state in
            state.counter = nil
            return state.tally
        }
    }

    func count(_ kind: OperationKind, isBare: Bool, _ body: spans_body, _ context: UnsafeMutableRawPointer) {
        openOnThisThread()
        let descriptor = descriptor.load(ordering: .relaxed)
        let before = KernelCounter.read(descriptor)
        body(context)
        let after = KernelCounter.read(descriptor)
        let leftOut = leftOut.exchange(0, ordering: .relaxed)
        guard let before, let after else { return note("the kernel's counter cannot be read") }
        // The counter has been open since the thread's first operation, so this applies to all operations.
        if let trouble = after.trouble { note(trouble) }
        let taken = after.value &- before.value
        let sum = InstructionTally.Calls(calls: 1, instructions: taken - min(leftOut, taken))
        state.withLock { state in
            if isBare {
                state.tally.bare[kind, default: .init()].add(sum)
            } else {
                state.tally.operations[kind, default: .init()].add(sum)
            }
        }
    }

    func leaveOut(_ body: spans_body, _ context: UnsafeMutableRawPointer) {
        let descriptor = descriptor.load(ordering: .relaxed)
        // The count includes parts of the first and of the last reading, which add up to one reading.
        let first = KernelCounter.read(descriptor)
        let before = KernelCounter.read(descriptor)
        body(context)
        let after = KernelCounter.read(descriptor)
        guard let first, let before, let after else { return }
        let reading = before.value &- first.value
        leftOut.wrappingAdd(after.value &- first.value &+ reading, ordering: .relaxed)
    }

    private func openOnThisThread() {
        let thread = cache_trials_thread()
        state.withLock { state in
            guard state.counter == nil || state.thread != thread else { return }
            (state.counter, state.thread) = (nil, thread)
            do {
                state.counter = try KernelCounter(event)
            } catch {
                state.tally.trouble = state.tally.trouble ?? "\(error)"
            }
            descriptor.store(state.counter?.descriptor ?? -1, ordering: .relaxed)
        }
    }

    private func note(_ trouble: String) {
        state.withLock { $0.tally.trouble = $0.tally.trouble ?? trouble }
    }
}

/// Reads the kernel's counters of all threads, before a phase and after it.
final class ProcessCounter: PhaseCounter {
    private struct State {
        var counters: [KernelCounter] = []
        var start = cache_trials_reading()
    }

    private let event: CounterEvent
    private let state = Locked(State())

    init(_ event: CounterEvent) { self.event = event }

    var spans: (any SpanCounter)? { nil }

    func begin() throws {
        try state.withLock { state in
            state.counters = try Self.onAllThreads(event)
            state.start = try Self.sum(state.counters)
        }
    }

    func end() -> InstructionTally? {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        var tally = InstructionTally(method: .hardwareProcess)
        do {
            let end = try Self.sum(state.counters)
            tally.trouble = end.trouble
            tally.process = .init(instructions: end.value - min(state.start.value, end.value))
        } catch {
            tally.trouble = "\(error)"
        }
        return tally
    }

    private static func sum(_ counters: [KernelCounter]) throws -> cache_trials_reading {
        var sum = cache_trials_reading()
        for counter in counters {
            guard let reading = KernelCounter.read(counter.descriptor) else {
                throw HarnessError("the kernel's counter cannot be read")
            }
            sum.value &+= reading.value
            sum.enabled &+= reading.enabled
            sum.running &+= reading.running
        }
        return sum
    }

    /// A counter for each thread, including the threads that it starts later.
    private static func onAllThreads(_ event: CounterEvent) throws -> [KernelCounter] {
        for _ in 0..<100 {
            let threads = try Self.threads()
            let counters = try threads.compactMap { try onThread($0, event) }
            // A thread started in between is counted twice if its parent was already counted, otherwise not at all.
            if try Self.threads() == threads { return counters }
        }
        throw HarnessError("threads start and end too fast to open the kernel's counter on all of them")
    }

    /// The counter of a thread; `nil` when the thread has ended, such as a main thread handed over to Dispatch.
    private static func onThread(_ thread: CInt, _ event: CounterEvent) throws -> KernelCounter? {
        do {
            return try KernelCounter(event, thread: thread, inherits: true)
        } catch KernelCounterError.refused(ESRCH) {
            return nil
        }
    }

    /// The kernel's numbers of this process's threads.
    private static func threads() throws -> Set<CInt> {
        Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { CInt($0) })
    }
}

extension cache_trials_reading {
    /// Why the count is incomplete; `nil` when it is complete.
    var trouble: String? {
        running == enabled
            ? nil
            : "the kernel's counter counted for \(running) of \(enabled) ns, because other programs use the counters"
    }
}
