import ArgumentParser

/// How many schedules a run explores in place of trials.
struct ExplorationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The same as --mode explored: runs this many schedules of each strategy whose callers are tasks, from 1 to 10000000, in place of trials. (default of the mode: 10000)",
            valueName: "n"))
    var explore: Int?

    @Option(
        help: ArgumentHelp(
            "The seed of the first schedule; the others have those that follow. (default: the scenario's)",
            valueName: "n"))
    var exploreSeed: UInt64?

    func validate() throws {
        if let explore, !(1...10_000_000).contains(explore) {
            throw ValidationError("'--explore \(explore)': a whole number from 1 to 10000000 is allowed.")
        }
    }
}
