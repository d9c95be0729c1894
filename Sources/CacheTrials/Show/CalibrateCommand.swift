import ArgumentParser
import Measurement
import Reports
import TrialLoop
import TrialSessions

/// `calibrate`: measures what the harness itself costs on this machine.
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measures what the harness itself costs on this machine, and how noisy the machine is.",
        discussion: """
            Examples:
              \(ThisProgram.name) calibrate
              \(ThisProgram.name) calibrate --format csv > calibration.csv
              \(ThisProgram.name) calibrate --rounds 31

            The floor is two clock reads and recording the time between them: the
            least that a timed operation can cost. The loops are those of a run, with
            a strategy that does nothing, one client and reads only; their time beyond
            the floor is choosing keys, checking answers and bookkeeping, and is not part
            of what is timed. Figures are medians of interleaved rounds, which take about
            0.8 s each.

            Run it on a machine that does nothing else: two clients need two free
            cores. Warnings go to standard error.
            """)

    @Option(help: ArgumentHelp("How many rounds, from 1 to 1000.", valueName: "n"))
    var rounds = 9

    @Option(help: "The format of the tables.")
    var format = TableFormat.table

    func validate() throws {
        guard (1...1000).contains(rounds) else {
            throw ValidationError("'--rounds \(rounds)': a whole number from 1 to 1000 is allowed.")
        }
    }

    func run() async throws {
        let calibration = await Calibration.measure(rounds: rounds)
        let machine = Machine.current()
        let tables = CalibrationTables.tables(calibration)
        try StandardOutput.write(tables.rendered(as: format, width: StandardOutput.width))
        if !machine.optimized {
            StandardError.write("warning: built without optimisation; these figures say nothing about a release build")
        }
        for warning in calibration.noise.warnings {
            StandardError.write("warning: \(warning)")
        }
    }
}
