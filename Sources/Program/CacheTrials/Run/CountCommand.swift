import ArgumentParser
import Locks
import TrialModel
import TrialSessions

/// `count`: instructions instead of time.
struct CountCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Counts the instructions of each operation, which a busy machine hardly changes.",
        discussion: """
            Examples:
              \(ThisProgram.name) count Scenarios/operations.yaml --strategies lru,sieve
              \(ThisProgram.name) count Scenarios/operations.yaml --strategies lru --profile

            Callgrind counts, which is part of Valgrind: apt-get install valgrind.
            Phases with one client are counted; the origin answers from memory.
            instructions_per_operation goes into latency.csv, and counted_by names what
            was counted. --cache-sim counts misses of simulated caches, and --profile
            keeps the functions with the most instructions.
            """)

    @OptionGroup var trials: TrialArguments

    @OptionGroup var printing: FormatArguments<RunFormat>

    @Flag(help: "Also simulate the processor's caches, and count their misses.")
    var cacheSim = false

    @Flag(help: "Keep each strategy's functions with the most instructions.")
    var profile = false

    @OptionGroup(title: "Sweep") var sweep: SweepArguments

    func carryOut() async throws -> TrialExitCode {
        let read = try trials.read(sweep: sweep.sweep)
        try ScenarioArguments.refuseChecked(read, for: "count", because: "records would count as instructions")
        var request = try trials.request(try counted(read))
        let callgrind = try callgrind()
        request.isCounted = true
        // Callgrind's counts repeat exactly, so one repetition is enough.
        request.repetitions = request.repetitions ?? 1
        try sweep.announce(request.plan())
        var work = trials.work(request)
        work.callgrind = callgrind
        return try await work.carryOut(format: printing.format)
    }

    /// The scenarios that have something to count.
    ///
    /// - Throws: ``Refusal`` where none has.
    private func counted(_ files: [ScenarioArguments.File]) throws -> [ScenarioArguments.File] {
        let some = files.filter { $0.scenario.counted().phases.contains(where: \.isCounted) }
        let others = files.map(\.scenario.point).filter { point in !some.contains { $0.scenario.point == point } }
            .map(\.description)
        let rule = "no phase in which one client sends one operation after the other"
        guard !some.isEmpty else {
            throw Refusal("\(others.joined(separator: ", ")): \(rule); Scenarios/operations.yaml has some", .usage)
        }
        if !others.isEmpty { StandardError.write("note: left out, with \(rule): \(others.joined(separator: ", "))") }
        return some
    }

    /// Callgrind, with the options of the command line.
    ///
    /// - Throws: ``HarnessError`` that says what is missing, and what to do.
    private func callgrind() throws -> Callgrind {
        guard Surroundings.current != nil || ThisProgram.hasSynchronousMain.withLock({ $0 }) else {
            throw HarnessError(
                "Callgrind needs a main that is not async; in the program's @main type, write 'static func main() {' "
                    + "and 'CacheTrialsCommand.main(adding: ...)', without async and await")
        }
        var callgrind = try Callgrind()
        callgrind.simulatesCaches = cacheSim
        callgrind.keepsProfile = profile
        return callgrind
    }
}
