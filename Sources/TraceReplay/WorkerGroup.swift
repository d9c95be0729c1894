import Dispatch
import EvictionPolicies
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One policy at one size, on its way through a trace.
final class Run: @unchecked Sendable {
    // Sound although unchecked: one worker at a time takes a run, and all workers are joined before the next block.

    let policy: ReplayPolicy
    let capacity: PolicyCapacity
    private let replay: PolicyReplay?
    private var counts = ReplayCounts()
    private var nanoseconds: UInt64 = 0

    init(_ policy: ReplayPolicy, _ capacity: PolicyCapacity) {
        self.policy = policy
        self.capacity = capacity
        replay = PolicyReplay(policy, capacity: capacity)
    }

    func advance(_ block: ReplayBlock) {
        guard let replay else { return }
        let start = ReplayClock.now()
        replay.advance(block)
        nanoseconds &+= ReplayClock.now() &- start
    }

    /// Replays the optimum, which knows when each object comes again.
    func finish(nextRequests: [UInt32]) {
        guard policy == .optimal, case .entries(let entries) = capacity else { return }
        let start = ReplayClock.now()
        var optimum = OptimalReplay(entries: entries, requestCount: nextRequests.count)
        var hits: UInt64 = 0
        for next in nextRequests { hits &+= optimum.request(next: next) ? 1 : 0 }
        counts.requests = UInt64(nextRequests.count)
        counts.hits = hits
        nanoseconds &+= ReplayClock.now() &- start
    }

    var result: TraceReplay.Result {
        let (entries, bytes): (Int?, UInt64?) =
            switch capacity {
            case .entries(let entries): (entries, nil)
            case .weight(let bytes): (nil, bytes)
            }
        return TraceReplay.Result(
            policy: policy, capacityEntries: entries, capacityBytes: bytes, counts: replay?.result ?? counts,
            nanoseconds: nanoseconds)
    }
}

/// Threads that take runs off a list, one after the other, until a block has been through all of them.
struct WorkerGroup {
    private let runs: [Run]
    private let workers: Int

    init(_ runs: [Run], jobs: Int) {
        self.runs = runs
        workers = min(jobs, max(1, runs.count))
    }

    /// Hands a block to every run.
    func advance(_ block: ReplayBlock) {
        perform { $0.advance(block) }
    }

    /// Replays the optimum over all requests, in order.
    func finish(optimal objects: [UInt32]) {
        let next = OptimalReplay.nextRequests(of: objects)
        perform { $0.finish(nextRequests: next) }
    }

    private func perform(_ body: @Sendable (Run) -> Void) {
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

/// The time that only goes forward, in nanoseconds.
enum ReplayClock {
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// Adds up the stretches of time in which a trace is read.
struct PhaseClock {
    private(set) var reading: UInt64 = 0
    private var start = ReplayClock.now()

    mutating func readingStarts() { start = ReplayClock.now() }

    mutating func readingStops() { reading &+= ReplayClock.now() &- start }
}
