import ArgumentParser
import Schedules

/// How many schedules a run explores instead of trials.
struct ExplorationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The same as --mode explored: runs small scripts in this many orders of each strategy's tasks or threads, from 1 to 10000000, instead of trials. (default of the mode: 10000)",
            valueName: "n"))
    var explore: Int?

    @Option(
        help: ArgumentHelp(
            "The seed of the first schedule; the others count up from it. (default: the scenario's)",
            valueName: "n"))
    var exploreSeed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How orders of threads are chosen: random; pct, which switches at few places; or preemptions, which tries all orders of a scenario's script with at most two. (default: random and pct in turn)",
            valueName: "choice"))
    var exploreOrders: OrderChoice?

    func validate() throws {
        if let explore, !(1...10_000_000).contains(explore) {
            throw ValidationError("'--explore \(explore)': a whole number from 1 to 10000000 is allowed.")
        }
    }
}

extension OrderChoice: ExpressibleByArgument {}
