import ArgumentParser
import TrialModel

/// `check`: whether strategies keep their promises.
struct CheckCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks strategies against their promises, in trials that record every operation.",
        discussion: """
            Examples:
              \(ThisProgram.name) check Scenarios --smoke
              \(ThisProgram.name) check Scenarios/contended.yaml --strategies actor,lru
              \(ThisProgram.name) check Scenarios --shard 2/4 --output results/2

            A check records every operation, and then judges whether some order of them
            explains what the callers saw. It probes the strategy for promises that no
            trial shows, and draws the smallest example of a broken one. consistency.csv
            says what was checked. Times are longer than those of a run.

            Exits with 3 when a sound strategy breaks a promise.
            """)

    @OptionGroup var trials: TrialArguments

    @Flag(help: "Cut every phase to a small number of operations.")
    var smoke = false

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    @OptionGroup(title: "Servers that already run") var servers: ServerArguments

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws { try shard.check(trials.output) }

    func carryOut() async throws -> TrialExitCode {
        var request = try trials.request(try trials.read(sweep: sweep.sweep))
        (request.check, request.smoke, request.shard) = (true, smoke, shard.shard)
        try sweep.announce(request.plan())
        return try await trials.work(request, servers: servers).carryOut(format: trials.output.format)
    }
}
