/// How the orders of an exploration are chosen.
package enum OrderChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Whatever could go on is as likely to as all else.
    case random
    /// Threads have random priorities, which fall at a few random steps: finds what needs few switches in the right
    /// places (PCT: Burckhardt, Kothari, Musuvathi and Nagarakatti, ASPLOS 2010).
    case pct
    /// All orders of a script in which a thread is interrupted at most twice, those with the fewest interruptions first
    /// (Musuvathi and Qadeer, PLDI 2007).
    case preemptions
}

/// What carries the callers of a script, and so what is put in order.
package enum ScheduleCarrier: String, Codable, Hashable, Sendable {
    case tasks, threads
}

/// The order of one schedule.
struct ScheduleOrder {
    var seed: UInt64
    /// `nil` lets the seed say whether it is random or by priorities.
    var choice: OrderChoice?
    /// For ``OrderChoice/preemptions``: which way to go at each point where several threads could go on.
    var choices: [UInt8] = []
    /// Whether the steps of threads are written down.
    var isTraced = false

    init(seed: UInt64, choice: OrderChoice? = nil, choices: [UInt8] = [], isTraced: Bool = false) {
        self.seed = seed
        self.choice = choice
        self.choices = choices
        self.isTraced = isTraced
    }
}
