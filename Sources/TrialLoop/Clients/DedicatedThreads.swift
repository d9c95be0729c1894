import Foundation
import Measurement

/// Threads of the harness's own. A blocking strategy driven from a shared pool can starve that pool: a barrier queue
/// stalls for whole seconds there.
enum DedicatedThreads {
    /// A client needs little stack, and a phase may have a thousand clients.
    private static let stackByteCount = 1 << 19

    /// Runs a body on each of `count` threads and returns what they returned, in order.
    static func run<Result: Sendable>(
        count: Int, _ body: @escaping @Sendable (Int) -> Result
    ) async -> [Result] {
        let results = Results<Result>(count: count)
        await withCheckedContinuation { continuation in
            results.whenComplete { continuation.resume() }
            for index in 0..<count {
                start(name: "client \(index)") {
                    let result = body(index)
                    // Whether the thread has ended when memory is read is left to chance.
                    MemoryMeter.settleThread()
                    results.set(index, result)
                }
            }
        }
        // Not handed over by the continuation: where that is resumed before its task has suspended, Thread Sanitizer
        // (Swift 6.3) sees no order between the two.
        return results.all
    }

    /// Starts one thread.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.stackSize = stackByteCount
        thread.start()
    }

    /// Collects one result from each thread and tells when all are there.
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

        /// Sets what is called once, with the last result; at once when none is awaited.
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
