import Dispatch
import Foundation

/// What a thread is about to do to memory that it shares.
struct Step {
    /// An address, or the number of an entry.
    var place: UInt
    var isWrite: Bool
    /// For messages.
    var name: String
    /// Whether the step is worth taking only after another actor has left: a writer looks again.
    var awaitsLeaving = false
    /// Whether a reader leaves.
    var isLeaving = false

    /// Whether both come to the same, whichever is first.
    func isIndependent(of other: Step) -> Bool { place != other.place || !(isWrite || other.isWrite) }
}

/// One run of a few threads, of which one goes on at a time, from one access to shared memory to the next.
///
/// Whoever comes to an access asks `choose` who is next, and hands over. So nothing is left to the machine.
final class StepRun: @unchecked Sendable {
    // Sound although unchecked: all properties are touched by the one thread that has the turn, and semaphores hand it
    // over; before and after the run, by the thread that waits for it.
    private let turns: [DispatchSemaphore]
    private let ended = DispatchSemaphore(value: 0)
    private let choose: ([Int: Step]) -> Int
    private(set) var pending: [Int: Step] = [:]
    private var active: Int
    /// The steps that were taken, in order.
    private(set) var trace: [(actor: Int, step: Step)] = []

    /// - Parameter choose: which actor's step is taken, of those that wait; never called with none.
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

    /// Whether another actor has left since this one took its last step.
    private func hasLeft(since actor: Int) -> Bool {
        trace.reversed().prefix { $0.actor != actor }.contains { $0.step.isLeaving }
    }

    /// Gives the turn to the one chosen, unless that is who asks.
    @discardableResult
    private func next(from actor: Int? = nil) -> Int? {
        let worthwhile = pending.filter { actor, step in !step.awaitsLeaving || hasLeft(since: actor) }
        let chosen = choose(worthwhile.isEmpty ? pending : worthwhile)
        if let step = pending.removeValue(forKey: chosen) { trace.append((chosen, step)) }
        if chosen != actor { turns[chosen].signal() }
        return chosen
    }
}

/// Who takes steps on this thread; `nil` where nothing is stepped.
struct StepContext: Sendable {
    @TaskLocal static var current: StepContext?

    let run: StepRun
    let actor: Int
}

/// A thread that goes from one run to the next, because to start one costs more than a run.
final class StepThread: @unchecked Sendable {
    // Sound although unchecked: `work` is touched by the one who starts it, then by the thread, in the semaphore's order.
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

    /// Lets the thread end.
    func stop() {
        work = nil
        wake.signal()
    }
}
