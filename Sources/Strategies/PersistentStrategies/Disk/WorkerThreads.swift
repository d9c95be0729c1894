import CacheStrategies
import Foundation

/// A few dedicated threads that run jobs first in, first out.
///
/// File calls block, which threads of the shared pool must never do; and a job must not wait until a pool has a free
/// thread.
final class WorkerThreads: @unchecked Sendable {
    // `@unchecked`: everything mutable is touched only under the condition's lock.
    private let condition = NSCondition()
    private var jobs = FirstInFirstOut<@Sendable () -> Void>()
    private var isStopping = false
    private var runningThreads: Int
    private var onEnd: [@Sendable () -> Void] = []

    /// Starts the threads.
    init(name: String, count: Int) {
        runningThreads = count
        for number in 0..<count {
            let thread = Thread { self.work() }
            thread.name = "\(name)-\(number)"
            thread.start()
        }
    }

    /// Submits a job. O(1). When the threads have ended, the caller runs it itself, so that no job is lost.
    func submit(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        let hasThread = runningThreads > 0
        if hasThread {
            jobs.append(job)
            condition.signal()
        }
        condition.unlock()
        if !hasThread { job() }
    }

    /// Ends the threads when no job is left; doesn't wait for it.
    func stop() {
        condition.lock()
        isStopping = true
        condition.broadcast()
        condition.unlock()
    }

    /// Ends the threads when no job is left, and waits for it.
    func stopped() async {
        stop()
        await withCheckedContinuation { continuation in
            condition.lock()
            let hasEnded = runningThreads == 0
            if !hasEnded { onEnd.append { continuation.resume() } }
            condition.unlock()
            if hasEnded { continuation.resume() }
        }
    }

    private func work() {
        while let job = nextJob() { job() }
        condition.lock()
        let toCall = runningThreads == 0 ? onEnd : []
        if runningThreads == 0 { onEnd = [] }
        condition.unlock()
        for call in toCall { call() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let job = jobs.popFirst() { return job }
            if isStopping {
                // Counted down under the lock that found no job, so that no job is submitted after the last thread has
                // ended.
                runningThreads -= 1
                return nil
            }
            condition.wait()
        }
    }
}

/// A queue; both ends are O(1), amortised.
struct FirstInFirstOut<Element> {
    private var incoming: [Element] = []
    private var outgoing: [Element] = []

    var count: Int { incoming.count + outgoing.count }

    mutating func append(_ element: Element) { incoming.append(element) }

    /// Drops the elements that don't fit, the first one first. Linear in the elements.
    mutating func keep(where fits: (Element) -> Bool) {
        incoming = (outgoing.reversed() + incoming).filter(fits)
        outgoing = []
    }

    mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}
