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

    private let condition = NSCondition()
    private var generation = 0
    private var key: UInt32 = 0
    private var answers: [Answer] = []
    private var dismissed = false

    private let work: PhaseWork<Strategy>
    private let width: Int

    init(_ work: PhaseWork<Strategy>) {
        self.work = work
        width = work.phase.burstWidth
        for index in 0..<width {
            DedicatedThreads.start(name: "caller \(index)") { [self] in serve() }
        }
    }

    /// Releases all callers on a key, waits for the last answer, and books each.
    func burst(key: UInt32, account: inout ClientAccount) {
        condition.lock()
        self.key = key
        answers.removeAll(keepingCapacity: true)
        generation += 1
        condition.broadcast()
        while answers.count < width { condition.wait() }
        let answers = answers
        condition.unlock()
        for answer in answers {
            switch answer.result {
            case .success(let loaded):
                account.lookedUp(.burst, key, loaded.value, Outcome(loaded.outcome), answer.span)
            case .failure(let error):
                account.failed(.burst, key, error, answer.span)
            }
        }
    }

    /// Ends the threads.
    func dismiss() {
        condition.withLock {
            dismissed = true
            condition.broadcast()
        }
    }

    /// The life of one caller.
    private func serve() {
        var served = 0
        while let key = nextKey(after: served) {
            served += 1
            let answer = load(key)
            condition.withLock {
                answers.append(answer)
                if answers.count == width { condition.broadcast() }
            }
        }
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
