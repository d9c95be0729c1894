import Foundation
import TrialModel

/// Resumes tasks, and cancels loads, at their due times: one thread sleeps for all of them.
///
/// `Task.sleep` is not used, because its timers fired 60 microseconds to milliseconds late.
final class DueTimer: @unchecked Sendable {
    private typealias Sleeper = (time: UInt64, place: UInt64, wake: @Sendable (UInt64) -> Void)

    // Every access to the variables happens while `condition` is held.
    private let condition = NSCondition()
    /// The sleepers, the first one due first. They arrive nearly in this order.
    private var sleepers: [Sleeper] = []
    private var count: UInt64 = 0
    private var isStopped = false

    init() {
        DedicatedThreads.start(name: "due timer") { [self] in serve() }
    }

    /// Suspends until a time on the clock; does not suspend when that time is past.
    ///
    /// - Returns: when the timer's thread saw that the task was due; after that, the task may still wait for its own
    ///   thread.
    @discardableResult
    nonisolated(nonsending) func sleep(until time: UInt64) async -> UInt64 {
        let now = Nanoclock.now()
        if now >= time { return now }
        return await withCheckedContinuation { continuation in
            call(at: time) { continuation.resume(returning: $0) }
        }
    }

    /// Calls a function on the timer's thread at a time on the clock, or soon after.
    ///
    /// - Returns: what ``forget(_:)`` takes.
    @discardableResult
    func call(at time: UInt64, _ wake: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
        condition.withLock {
            count += 1
            let index = (sleepers.lastIndex { $0.time <= time } ?? -1) + 1
            sleepers.insert((time, count, wake), at: index)
            if index == 0 { condition.signal() }
            return count
        }
    }

    /// Drops a call that is not due yet.
    func forget(_ place: UInt64) {
        condition.withLock {
            if let index = sleepers.firstIndex(where: { $0.place == place }) { sleepers.remove(at: index) }
            if isStopped { condition.signal() }
        }
    }

    /// Ends the thread once no task sleeps any more.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func serve() {
        while let due = nextDue() {
            let now = Nanoclock.now()
            for sleeper in due { sleeper.wake(now) }
        }
    }

    /// Waits for the next due time and takes all sleepers that are due then; `nil` once the timer is stopped and no
    /// sleeper is left.
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
