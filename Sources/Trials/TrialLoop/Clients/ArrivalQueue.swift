import Foundation
import Locks
import TrialModel
import WorkloadGeneration

/// The operations of an open-loop phase, in the order in which they are due. Its clients take them in turn.
///
/// There is one queue, and not a share for each client, because an operation must not wait for one client while another
/// is free. Clients use the queue before an operation is due, outside of what is timed. In a backlog that is part of the
/// response time, so operations are drawn before the clients start: all of them, or the first ``room``, and a thread of its
/// own draws the others ahead of the clients.
final class ArrivalQueue: Sendable {
    /// An operation, and when it is due.
    struct Arrival: Sendable {
        let operation: WorkloadGeneration.Operation
        /// In nanoseconds from the start of the phase.
        let due: UInt64
    }

    /// How many operations are drawn ahead; 3 MB.
    static let room = 1 << 16

    private let supply: ArrivalSupply

    /// `nil` when the phase is a closed loop.
    init?(scenario: Scenario, phaseIndex: Int, trace: TraceWorkload?) {
        guard let schedule = ArrivalSchedule(scenario: scenario, phaseIndex: phaseIndex, trace: trace) else {
            return nil
        }
        let stream = OperationStream(scenario: scenario, phaseIndex: phaseIndex, client: nil, trace: trace)
        supply = ArrivalSupply(
            ArrivalDrawing(schedule: schedule, stream: stream, end: scenario.phases[phaseIndex].deadline(from: 0)))
        supply.fill()
        if !supply.isComplete { supply.startFilling() }
    }

    deinit { supply.end() }

    /// How many operations are drawn and not taken.
    var readyCount: Int { supply.readyCount }

    /// The next operation that is due before the phase ends.
    func next() -> Arrival? { supply.next() }

    /// Takes the operations that no client has taken, and returns their number; 0 in a phase that counts operations.
    func drain() -> UInt64 { supply.drain() }
}

/// Draws arrivals.
private struct ArrivalDrawing {
    var schedule: ArrivalSchedule
    var stream: OperationStream
    /// When the phase ends, in nanoseconds from its start.
    let end: UInt64
    /// Whether there are no more.
    var isOver = false

    mutating func next() -> ArrivalQueue.Arrival? {
        guard !isOver else { return nil }
        var ahead = schedule
        let due = ahead.next()
        guard due < end, let operation = stream.next() else {
            isOver = true
            return nil
        }
        schedule = ahead
        return ArrivalQueue.Arrival(operation: operation, due: due)
    }

    /// Counts the others by their due times alone.
    mutating func countRest() -> UInt64 {
        defer { isOver = true }
        guard !isOver, end < .max else { return 0 }
        var count: UInt64 = 0
        while schedule.next() < end { count += 1 }
        return count
    }
}

/// What is drawn ahead, in chunks, so that who fills holds up who takes for a moment only.
private final class ArrivalSupply: Sendable {
    private struct Ready {
        var chunks: [[ArrivalQueue.Arrival]] = []
        /// How many of the first chunk are taken.
        var taken = 0
        var isComplete = false
        var isEnded = false

        var count: Int { chunks.reduce(0) { $0 + $1.count } - taken }

        /// Takes the next arrival.
        ///
        /// - Returns: whether there are no more, and whether a chunk was emptied.
        mutating func take() -> (ArrivalQueue.Arrival?, isOver: Bool, hasEmptied: Bool) {
            guard let first = chunks.first else { return (nil, isComplete || isEnded, false) }
            let arrival = first[taken]
            taken += 1
            guard taken == first.count else { return (arrival, false, false) }
            chunks.removeFirst()
            taken = 0
            return (arrival, false, true)
        }
    }

    /// About 0.1 ms of drawing.
    private static let chunk = 1 << 10

    /// Locked before ``ready``, by who draws.
    private let drawing: Locked<ArrivalDrawing>
    private let ready = Locked(Ready())
    private let emptied = DispatchSemaphore(value: 0)
    private let endsByClock: Bool

    init(_ drawing: sending ArrivalDrawing) {
        endsByClock = drawing.end < .max
        self.drawing = Locked(drawing)
    }

    var isComplete: Bool { ready.withLock { $0.isComplete } }
    var readyCount: Int { ready.withLock { $0.count } }

    func next() -> ArrivalQueue.Arrival? {
        while true {
            let (arrival, isOver, hasEmptied) = ready.withLock { $0.take() }
            if hasEmptied { emptied.signal() }
            if arrival != nil || isOver { return arrival }
            // Clients are faster than the thread that fills.
            draw(ifFewerThan: 1)
        }
    }

    /// Draws until there is no more room.
    func fill() {
        while draw(ifFewerThan: ArrivalQueue.room) {}
    }

    /// Draws a chunk, if fewer operations than that are ready.
    ///
    /// - Returns: whether it did.
    @discardableResult
    private func draw(ifFewerThan count: Int) -> Bool {
        drawing.withLock { drawing in
            guard ready.withLock({ $0.count < count && !$0.isComplete && !$0.isEnded }) else { return false }
            var chunk: [ArrivalQueue.Arrival] = []
            chunk.reserveCapacity(Self.chunk)
            while chunk.count < Self.chunk, let arrival = drawing.next() { chunk.append(arrival) }
            let isOver = drawing.isOver
            ready.withLock { [chunk] ready in
                if !chunk.isEmpty { ready.chunks.append(chunk) }
                ready.isComplete = isOver
            }
            return true
        }
    }

    /// Fills on a thread until everything is drawn, or until the end.
    func startFilling() {
        let thread = Thread { [self] in
            while !ready.withLock({ $0.isComplete || $0.isEnded }) {
                fill()
                emptied.wait()
            }
        }
        thread.name = "arrivals"
        thread.start()
    }

    /// Ends the thread.
    func end() {
        ready.withLock { $0.isEnded = true }
        emptied.signal()
    }

    func drain() -> UInt64 {
        guard endsByClock else { return 0 }
        let rest = drawing.withLock { $0.countRest() }
        return ready.withLock { ready in
            defer { (ready.chunks, ready.taken, ready.isComplete) = ([], 0, true) }
            return rest + UInt64(ready.count)
        }
    }
}
