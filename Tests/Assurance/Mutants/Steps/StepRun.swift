import Dispatch
import Foundation

/// The next access of a thread to shared memory.
struct Step {
    /// An address, or the number of an entry.
    var place: UInt
    var isWrite: Bool
    /// For messages.
    var name: String
    /// Whether the step is useful only after another actor has left: a writer checks again.
    var awaitsLeaving = false
    /// Whether a reader leaves.
    var isLeaving = false

    /// Whether both orders of the two steps have the same result.
    func isIndependent(of other: Step) -> Bool { place != other.place || !(isWrite || other.isWrite) }
}

/// One run of a few threads. One thread runs at a time, from one access to shared memory to the next.
///
/// A thread that reaches an access asks `choose` for the next thread, and hands over. So the machine's scheduler
/// decides nothing.
final class StepRun: @unchecked Sendable {
    // Sound although unchecked: all properties are accessed by the one thread that has the turn, and semaphores pass
    // the turn on. Before and after the run, only the thread that waits for it accesses them.
    private let turns: [DispatchSemaphore]
    private let ended = DispatchSemaphore(value: 0)
    private let choose: ([Int: Step]) -> Int
    private(set) var pending: [Int: Step] = [:]
    private var active: Int
    /// The steps that were taken, in order.
    private(set) var trace: [(actor: Int, step: Step)] = []

    /// - Parameter choose: picks the actor whose step is taken among the waiting ones; never called with none.
    init(actorCount: Int, choose: @escaping ([Int: Step]) -> Int) {
        turns = (0..<actorCount).map { _ in DispatchSemaphore(value: 0) }
        active = actorCount
        self.choose = choose
    }

    /// How many steps were taken.
    var time: Int { trace.count }

    /// Runs all actors to their end, each on one of the threads.
    func run(_ actors: [@Sendable () -> Void], on threads: [StepThread]) {
        let parked = DispatchSemaphore(value: 0)
        for (actor, body) in actors.enumerated() {
            pending[actor] = Step(place: UInt.max - UInt(actor), isWrite: false, name: "begins")
            let context = StepContext(run: self, actor: actor)
            threads[actor].start { [turns] in
                parked.signal()
                turns[actor].wait()
                StepContext.$current.withValue(context) { body() }
                self.end(actor)
            }
            parked.wait()
        }
        next()
        ended.wait()
    }

    /// Waits until the actor's next step may be taken.
    func take(_ step: Step, by actor: Int) {
        pending[actor] = step
        if let chosen = next(from: actor), chosen != actor { turns[actor].wait() }
    }

    private func end(_ actor: Int) {
        active -= 1
        if active == 0 { ended.signal() } else { next() }
    }

    /// Whether another actor has left since this actor took its last step.
    private func hasLeft(since actor: Int) -> Bool {
        trace.reversed().prefix { $0.actor != actor }.contains { $0.step.isLeaving }
    }

    /// Passes the turn to the chosen actor, unless that is the caller.
    @discardableResult
    private func next(from actor: Int? = nil) -> Int? {
        let worthwhile = pending.filter { actor, step in !step.awaitsLeaving || hasLeft(since: actor) }
        let chosen = choose(worthwhile.isEmpty ? pending : worthwhile)
        if let step = pending.removeValue(forKey: chosen) { trace.append((chosen, step)) }
        if chosen != actor { turns[chosen].signal() }
        return chosen
    }
}

/// The actor that takes steps on this thread; `nil` where nothing is stepped.
struct StepContext: Sendable {
    @TaskLocal static var current: StepContext?

    let run: StepRun
    let actor: Int
}

/// A thread that is reused from run to run, because starting one costs more than a run.
final class StepThread: @unchecked Sendable {
    // Sound although unchecked: `work` is accessed by the thread that starts it, then by this thread; the semaphore
    // orders them.
    private let wake = DispatchSemaphore(value: 0)
    private var work: (@Sendable () -> Void)?

    init() {
        Thread.detachNewThread { [self] in
            while true {
                wake.wait()
                guard let work = self.work else { return }
                work()
            }
        }
    }

    func start(_ body: @escaping @Sendable () -> Void) {
        work = body
        wake.signal()
    }

    /// Ends the thread.
    func stop() {
        work = nil
        wake.signal()
    }
}
