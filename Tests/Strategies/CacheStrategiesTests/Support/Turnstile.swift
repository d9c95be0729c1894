import Foundation

/// Holds callers back until it is opened, and reports their arrival. For tests that need an order.
final class Turnstile: @unchecked Sendable {
    // Sound although unchecked: all state is accessed only while the condition's lock is held.
    private let condition = NSCondition()
    private var isOpen = false
    private var arrived = 0
    private var held: [CheckedContinuation<Void, Never>] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Releases all callers, now and later.
    func open() {
        let released = condition.withLock {
            isOpen = true
            condition.broadcast()
            defer { held = [] }
            return held
        }
        for continuation in released { continuation.resume() }
    }

    /// Suspends until the turnstile is open. Ignores cancellation.
    func pass() async {
        await withCheckedContinuation { continuation in
            let passes = condition.withLock {
                arrive()
                if !isOpen { held.append(continuation) }
                return isOpen
            }
            if passes { continuation.resume() }
        }
    }

    /// Blocks the thread until the turnstile is open.
    func passBlocking() {
        condition.withLock {
            arrive()
            while !isOpen { condition.wait() }
        }
    }

    /// Whether callers pass without waiting.
    var isOpenNow: Bool { condition.withLock { isOpen } }

    /// The number of callers that have arrived so far.
    var arrivals: Int { condition.withLock { arrived } }

    /// Suspends until this many callers have arrived in total.
    func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = condition.withLock {
                if arrived < count { watchers.append((count, continuation)) }
                return arrived >= count
            }
            if isThere { continuation.resume() }
        }
    }

    private func arrive() {
        arrived += 1
        for watcher in watchers where watcher.count <= arrived { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= arrived }
    }
}

/// Runs `body` on its own thread, so that it may block without blocking tasks.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Suspends until a condition holds. It imposes no order: the condition is certain to become true.
func until(_ condition: @Sendable () async -> Bool) async {
    while !(await condition()) { await Task.yield() }
}
