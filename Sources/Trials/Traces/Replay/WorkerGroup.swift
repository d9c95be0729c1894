import Dispatch
import Synchronization

/// Threads that take runs from a list, one after the other, until all of them have processed a block.
struct WorkerGroup {
    private let runs: [any ReplayRun]
    private let workers: Int

    init(_ runs: [any ReplayRun], jobs: Int) {
        self.runs = runs
        workers = min(jobs, max(1, runs.count))
    }

    /// Calls `body` with every run, each on one thread, and waits for all.
    func perform(_ body: @Sendable (any ReplayRun) -> Void) {
        guard workers > 1 else {
            for run in runs { body(run) }
            return
        }
        let taken = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: workers) { _ in
            while true {
                let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < runs.count else { return }
                body(runs[index])
            }
        }
    }
}
