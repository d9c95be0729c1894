import Locks
import TrialModel
import WorkloadGeneration

/// The operations of an open-loop phase, in the order in which they are due. Its clients take them in turn.
///
/// There is one queue, and not a share for each client, because an operation must not wait for one client while another
/// is free. Clients use the queue before an operation is due, outside of what is timed.
final class ArrivalQueue: Sendable {
    /// An operation, and when it is due.
    struct Arrival: Sendable {
        let operation: WorkloadGeneration.Operation
        /// In nanoseconds from the start of the phase.
        let due: UInt64
    }

    private struct State {
        var schedule: ArrivalSchedule
        var stream: OperationStream
    }

    private let state: Locked<State>
    /// When the phase ends, in nanoseconds from its start.
    private let end: UInt64

    /// `nil` when the phase is a closed loop.
    init?(scenario: Scenario, phaseIndex: Int, trace: TraceWorkload?) {
        guard let schedule = ArrivalSchedule(scenario: scenario, phaseIndex: phaseIndex, trace: trace) else {
            return nil
        }
        let stream = OperationStream(scenario: scenario, phaseIndex: phaseIndex, client: nil, trace: trace)
        state = Locked(State(schedule: schedule, stream: stream))
        end = scenario.phases[phaseIndex].deadline(from: 0)
    }

    /// The next operation that is due before the phase ends.
    func next() -> Arrival? {
        state.withLock { state in
            var ahead = state.schedule
            let due = ahead.next()
            guard due < end, let operation = state.stream.next() else { return nil }
            state.schedule = ahead
            return Arrival(operation: operation, due: due)
        }
    }

    /// Takes the operations that no client has taken, and returns their number.
    func drain() -> UInt64 {
        guard end < .max else { return 0 }
        return state.withLock { state in
            var count: UInt64 = 0
            while state.schedule.next() < end { count += 1 }
            return count
        }
    }
}
