import Foundation
import TrialModel

/// Resumes tasks at their times: one thread that sleeps for all of them.
///
/// Not `Task.sleep`, whose timers came 60 microseconds to milliseconds late.
final class DueTimer: @unchecked Sendable {
    private typealias Sleeper = (time: UInt64, continuation: CheckedContinuation<UInt64, Never>)

    // Every access to `sleepers` and `isStopped` happens while `condition` is held.
    private let condition = NSCondition()
    /// The first one due comes first. They arrive nearly in this order.
    private var sleepers: [Sleeper] = []
    private var isStopped = false

    init() {
        DedicatedThreads.start(name: "due timer") { [self] in serve() }
    }

    /// Suspends until a time on the clock; not at all when it is over.
    ///
    /// - Returns: when the timer's thread saw that it was due; the task may have to wait for its own thread after that.
    @discardableResult
    nonisolated(nonsending) func sleep(until time: UInt64) async -> UInt64 {
        let now = Nanoclock.now()
        if now >= time { return now }
        return await withCheckedContinuation { continuation in
            condition.withLock {
                let place = (sleepers.lastIndex { $0.time <= time } ?? -1) + 1
                sleepers.insert((time, continuation), at: place)
                if place == 0 { condition.signal() }
            }
        }
    }

    /// Ends the thread, once nobody sleeps any more.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func serve() {
        while let due = nextDue() {
            let now = Nanoclock.now()
            for sleeper in due { sleeper.continuation.resume(returning: now) }
        }
    }

    /// Waits for the next time and takes all who are due then; `nil` when nobody will come any more.
    private func nextDue() -> [Sleeper]? {
        condition.withLock {
            while true {
                guard let first = sleepers.first else {
                    if isStopped { return nil }
                    condition.wait()
                    continue
                }
                let now = Nanoclock.now()
                if first.time <= now {
                    let count = sleepers.firstIndex { $0.time > now } ?? sleepers.count
                    defer { sleepers.removeFirst(count) }
                    return Array(sleepers[..<count])
                }
                _ = condition.wait(until: Date(timeIntervalSinceNow: Double(first.time - now) / 1e9))
            }
        }
    }
}
