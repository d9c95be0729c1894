import Foundation
import Measurement

/// Threads that belong to the harness. A blocking strategy driven from a shared pool can starve that pool: a barrier
/// queue then stalls for several seconds.
enum DedicatedThreads {
    /// A client needs little stack, and a phase may have a thousand clients.
    private static let stackByteCount = 1 << 19

    /// Runs a body on each of `count` threads and returns the results in order.
    static func run<Result: Sendable>(
        count: Int, _ body: @escaping @Sendable (Int) -> Result
    ) async -> [Result] {
        let results = Results<Result>(count: count)
        await withCheckedContinuation { continuation in
            results.whenComplete { continuation.resume() }
            for index in 0..<count {
                start(name: "client \(index)") {
                    let result = body(index)
                    // Whether the thread has ended when memory is read depends on timing.
                    MemoryMeter.settleThread()
                    results.set(index, result)
                }
            }
        }
        // The results are not passed through the continuation: if it is resumed before its task has suspended, Thread
        // Sanitizer (Swift 6.3) sees no happens-before edge between the two.
        return results.all
    }

    /// Starts one thread.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.stackSize = stackByteCount
        thread.start()
    }

    /// Collects one result from each thread and reports when all have arrived.
    private final class Results<Result: Sendable>: @unchecked Sendable {
        // Every access to the variables happens while `lock` is held.
        private let lock = NSLock()
        private var slots: [Result?]
        private var missing: Int
        private var complete: (@Sendable () -> Void)?

        init(count: Int) {
            slots = Array(repeating: nil, count: count)
            missing = count
        }

        /// Sets a callback that runs once, after the last result; it runs at once when no result is awaited.
        func whenComplete(_ body: @escaping @Sendable () -> Void) {
            lock.withLock { complete = body }
            if lock.withLock({ missing == 0 }) { body() }
        }

        func set(_ index: Int, _ result: Result) {
            let body: (@Sendable () -> Void)? = lock.withLock {
                slots[index] = result
                missing -= 1
                return missing == 0 ? complete : nil
            }
            body?()
        }

        /// The results in order.
        var all: [Result] { lock.withLock { slots.compactMap { $0 } } }
    }
}
