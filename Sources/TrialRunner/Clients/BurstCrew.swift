import CacheStrategies
import Foundation
import Measurement
import Origins
import Payloads
import TrialModel

/// The callers of one client's bursts: threads that wait, are released together, and load the same key.
final class BurstCrew<Strategy: SynchronousCacheStrategy>: @unchecked Sendable
where Strategy.Key: TrialKey, Strategy.Value == Payload {
    // Every access to the variables happens while `condition` is held; the constants are Sendable.

    /// How one caller's load ended.
    private struct Answer {
        var result: Result<Loaded<Payload>, any Error>
        var span: TimeSpan
    }

    /// Where one caller leaves its answer.
    private final class Slot: @unchecked Sendable {
        // Written by its caller before it signals `done`; read by the client after it has waited for all signals.
        var answer: Answer?
    }

    private let condition = NSCondition()
    private var generation = 0
    private var key: UInt32 = 0
    private var dismissed = false
    /// Signalled by each caller when it has its answer, and when it ends. Not the condition: a caller that took that after its load
    /// would be ordered before those that only wake up, and a sanitizer would see no race between them.
    private let done = DispatchSemaphore(value: 0)
    private let slots: [Slot]

    private let work: PhaseWork<Strategy>

    init(_ work: PhaseWork<Strategy>) {
        self.work = work
        slots = (0..<work.phase.burstWidth).map { _ in Slot() }
        for (index, slot) in slots.enumerated() {
            DedicatedThreads.start(name: "caller \(index)") { [self] in serve(slot) }
        }
    }

    /// Releases all callers on a key, waits for the last answer, and books each.
    func burst(key: UInt32, account: inout ClientAccount) {
        condition.withLock {
            self.key = key
            generation += 1
            condition.broadcast()
        }
        for _ in slots { done.wait() }
        for (index, slot) in slots.enumerated() {
            guard let answer = slot.answer else { continue }
            switch answer.result {
            case .success(let loaded):
                account.lookedUp(
                    .burst, key, loaded.value, Outcome(loaded.outcome), answer.span, caller: index + 1)
            case .failure(let error):
                account.failed(.burst, key, error, answer.span, caller: index + 1)
            }
            slot.answer = nil
        }
    }

    /// Ends the threads, and waits until what they allocated is counted.
    func dismiss() {
        condition.withLock {
            dismissed = true
            condition.broadcast()
        }
        for _ in slots { done.wait() }
    }

    /// The life of one caller.
    private func serve(_ slot: Slot) {
        var served = 0
        while let key = nextKey(after: served) {
            served += 1
            slot.answer = load(key)
            done.signal()
        }
        MemoryMeter.settleThread()
        done.signal()
    }

    /// Waits for the next burst; `nil` when the crew is dismissed.
    private func nextKey(after served: Int) -> UInt32? {
        condition.withLock {
            while generation == served, !dismissed { condition.wait() }
            return generation == served ? nil : key
        }
    }

    private func load(_ number: UInt32) -> Answer {
        let key = work.keys[Int(number)]
        let origin = work.origin
        let start = Nanoclock.now()
        let result = Result {
            try work.strategy.loadBlocking(key) { try origin.fetchBlocking(UInt64(number), deadline: nil) }
        }
        return Answer(result: result, span: TimeSpan(start, Nanoclock.now()))
    }
}
