import ArgumentParser
import CacheTrials
import Foundation
import Measurement
import Reports

/// `harness`: its goals, and its self-checks in real time.
struct HarnessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harness",
        abstract: "Measures what the harness costs, against its goals, and checks its own measurements in real time.",
        discussion: """
            Examples:
              scripts/benchmark harness
              scripts/benchmark harness --rounds 3 --format markdown > harness.md
              scripts/benchmark harness --loads --baseline before/.build/release/cache-trials

            Where wrk and nginx are installed, loads are measured in turns with theirs.
            A missed goal is reported, and is not an error: another machine, or other load
            on this one, may be the cause. A failed check is an error, and ends with exit
            code 1. Takes about four minutes; keep the machine idle meanwhile, because two
            clients need two free cores.
            """)

    @Option(help: ArgumentHelp("How often each goal is measured, from 1 to 100; values are medians.", valueName: "n"))
    var rounds = 5

    @Option(help: "The format of the tables.")
    var format = TableFormat.table

    @Option(
        help: ArgumentHelp("The cache-trials whose loads are measured. (default: this program)", valueName: "file"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "An older cache-trials, whose loads are measured alternately with the newer ones.", valueName: "file"))
    var baseline: String?

    @Flag(name: .customLong("loads"), help: "Measure only loads through the fixture server.")
    var loadsOnly = false

    func validate() throws {
        try NumberArgument.check(rounds, "rounds", in: 1...100)
    }

    func run() async throws {
        let machine = Machine.current()
        let noiseBefore = NoiseReading.current()
        let program = try program ?? ChildProgram.own()
        let originGoals = OriginGoals(program: program, baseline: baseline, rounds: rounds)
        if loadsOnly { return try finish(machine, noiseBefore, try await originGoals.measure(), []) }

        StandardError.write("overhead, \(rounds * 2) rounds of 0.7 s")
        var goals = await OverheadGoals.measure(rounds: rounds * 2)
        goals += try await ArrivalGoals.measure(rounds: rounds)
        goals += try await originGoals.measure()
        goals += try await MemoryGoals.measure()
        StandardError.write("checks in real time, 25 s")
        try finish(machine, noiseBefore, goals, try await SelfChecks.measure())
    }

    /// Prints the tables.
    ///
    /// - Throws: exit code 1 when a check failed.
    private func finish(_ machine: Machine, _ noiseBefore: NoiseReading, _ goals: [Goal], _ checks: [Check]) throws {
        let noise = MachineNoise(from: noiseBefore, to: .current())
        let tables = [HarnessTables.machine(machine, noise), HarnessTables.goals(goals), HarnessTables.checks(checks)]
        print(tables.rendered(as: format), terminator: "")
        if !machine.optimized {
            StandardError.write("warning: built without optimisation; the goals are those of a release build")
        }
        for warning in noise.warnings { StandardError.write("warning: \(warning)") }
        if checks.contains(where: { !$0.holds }) { throw ExitCode(1) }
    }
}
