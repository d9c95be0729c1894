/// How the orders of an exploration are chosen.
package enum OrderChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Every thread or task that can continue is equally likely.
    case random
    /// Threads have random priorities, which drop at a few random steps: this finds errors that need few switches in
    /// the right places (PCT: Burckhardt, Kothari, Musuvathi and Nagarakatti, ASPLOS 2010).
    case pct
    /// Every step has a random priority, which is drawn again when another step on the same object comes first: orders
    /// that differ in what threads see are about equally likely (partial-order sampling: Yuan, Yang and Gu, CAV 2018).
    case pos
    /// All orders of a script in which threads are preempted at most twice, those with the fewest preemptions first
    /// (Musuvathi and Qadeer, PLDI 2007). Time that passes although a thread could run counts like a preemption.
    case preemptions
}

/// What runs the callers of a script, and so what is ordered.
package enum ScheduleCarrier: String, Codable, Hashable, Sendable {
    case tasks, threads
}

/// The order of one schedule.
struct ScheduleOrder {
    var seed: UInt64
    /// `nil` lets the seed decide: mostly between random choice and partial-order sampling, at times for priorities.
    var choice: OrderChoice?
    /// For ``OrderChoice/preemptions``: the choice at each point where several threads can continue.
    var choices: [UInt8] = []
    /// Whether the steps of threads are recorded.
    var isTraced = false
}
