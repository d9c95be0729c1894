import Foundation
import Measurement
import TimedStrategies
import TrialModel

/// The callers of one client's bursts: threads that wait, are released together and load the same key.
final class BurstWorkers: @unchecked Sendable {
    // Every access to the variables happens while `condition` is held; the constants are Sendable.

    /// Where one caller leaves its answer.
    private final class Slot: @unchecked Sendable {
        // Written by its caller before it signals `done`; read by the client after it has waited for all signals.
        var answer: TimedAnswer?
    }

    private let condition = NSCondition()
    private var generation = 0
    private var key: UInt32 = 0
    private var dismissed = false
    /// Signalled by each caller when it has its answer, and when it ends. It is not the condition: a caller that took
    /// the condition after its load would be ordered before callers that only wake up, and a sanitizer would see no
    /// race between them.
    private let done = DispatchSemaphore(value: 0)
    private let slots: [Slot]

    /// - Parameter notes: the client's own note, followed by those of its callers. Empty where load stages are not
    ///   recorded.
    init(_ work: PhaseWork, notes: [LoadNote] = []) {
        slots = (0..<work.phase.burstWidth).map { _ in Slot() }
        for (index, slot) in slots.enumerated() {
            DedicatedThreads.start(name: "caller \(index)") { [self] in
                // The kernel is released before the thread's memory is counted.
                serve(slot, work.kernel(noting: notes.isEmpty ? nil : notes[index + 1]))
                MemoryMeter.settleThread()
                done.signal()
            }
        }
    }

    /// Releases all callers on one key, and waits for the last answer.
    ///
    /// - Returns: the answers, in the order of the callers.
    func burst(on key: UInt32) -> [TimedAnswer] {
        condition.withLock {
            self.key = key
            generation += 1
            condition.broadcast()
        }
        for _ in slots { done.wait() }
        return slots.compactMap { slot in
            defer { slot.answer = nil }
            return slot.answer
        }
    }

    /// Ends the threads, and waits until their allocations are counted.
    func dismiss() {
        condition.withLock {
            dismissed = true
            condition.broadcast()
        }
        for _ in slots { done.wait() }
    }

    /// Serves one caller's bursts until the workers are dismissed.
    private func serve(_ slot: Slot, _ kernel: TimedKernel) {
        var served = 0
        while let key = nextKey(after: served) {
            served += 1
            slot.answer = kernel.blocking?(.load, key, nil, nil)
            done.signal()
        }
    }

    /// Waits for the next burst; `nil` when the workers are dismissed.
    private func nextKey(after served: Int) -> UInt32? {
        condition.withLock {
            while generation == served, !dismissed { condition.wait() }
            return generation == served ? nil : key
        }
    }
}
