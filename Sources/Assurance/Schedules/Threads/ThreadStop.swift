import CThreadControl
import TrialModel

/// Why threads of an order never end: each waits for another thread, or for an event that never occurs.
struct ThreadStop {
    /// One sentence for each thread.
    let text: String

    /// The stop as a finding.
    var finding: EndFinding { EndFinding(promise: .noLostCaller, what: text, explains: true) }

    /// - Parameters:
    ///   - ending: how the run ended.
    ///   - schedule: the schedule, still in the state of the stop.
    ///   - hasLostCallers: whether a caller has not ended that should have; otherwise only the strategy's own threads
    ///     wait for work, which is not a fault.
    init?(_ ending: ThreadSchedule.Ending, _ schedule: ThreadSchedule, _ names: ThreadNames, hasLostCallers: Bool) {
        switch ending {
        case .outside: return nil
        case .misuse(let thread, let what):
            let place = ThreadTimeline(schedule, names)
            text = "\(place.name(thread)) \(what)" + (schedule.events.last.map { place.suffix($0) } ?? "")
        case .endless(let what):
            let place = ThreadTimeline(schedule, names)
            text = "livelock: \(what); " + schedule.threads.map { place.situation($0) }.joined(separator: "; ")
        case .quiet:
            guard hasLostCallers else { return nil }
            let place = ThreadTimeline(schedule, names)
            let waiting = schedule.threads.filter { $0.object != 0 }
            let isCircle = Self.isCircle(waiting, schedule)
            text =
                (isCircle ? "deadlock: " : "no thread wakes the waiting ones: ")
                + waiting.map { place.situation($0) }.joined(separator: "; ")
        }
    }

    /// Whether threads wait for each other: from one to the owner of the object it waits for, and so on, back to
    /// itself.
    private static func isCircle(_ waiting: [thread_status], _ schedule: ThreadSchedule) -> Bool {
        waiting.contains { first in
            var thread = first
            for _ in waiting {
                let object = schedule.object(thread.object)
                let owner = object.owner >= 0 ? Int(object.owner) : object.sharers.trailingZeroBitCount
                if owner == Int(first.thread) { return true }
                guard let next = waiting.first(where: { Int($0.thread) == owner }) else { return false }
                thread = next
            }
            return false
        }
    }
}
