import ArgumentParser
import Measurement
import Reports
import TrialLoop
import TrialModel

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
        try NumberArgument.check(rounds, "rounds", in: 1...1000)
    }

    func run() async throws {
        let calibration = await Calibration.measure(rounds: rounds)
        let machine = Machine.current()
        let tables = CalibrationTables.tables(calibration)
        try StandardOutput.write(tables.rendered(as: format, width: StandardOutput.width))
        if !machine.optimized {
            StandardError.write("warning: built without optimisation; these values do not apply to a release build")
        }
        for warning in calibration.noise.warnings {
            StandardError.write("warning: \(warning)")
        }
    }
}

/// A calibration for people and programs: costs, scaling to two clients, timers, noise.
enum CalibrationTables {
    static func tables(_ calibration: Calibration) -> [Table] {
        [costs(calibration), clients(calibration), timers(calibration), noise(calibration)]
    }

    private static func costs(_ calibration: Calibration) -> Table {
        typealias Line = (what: String, keys: String?, driver: String?, samples: Calibration.Samples, ratio: Double?)
        let parts: [Line] = [
            ("empty loop", calibration.emptyLoop), ("clock read", calibration.clockRead),
            ("record", calibration.record), ("floor: two clock reads and a record", calibration.floor),
        ].map { ($0, nil, nil, $1, nil) }
        let loops: [Line] = calibration.loops.filter { $0.loop.clients == 1 }.map { loop, samples in
            (
                "loop with none\(loop.suspends ? ", as if it suspended" : "")", loop.keys.rawValue,
                loop.driver.rawValue,
                samples, calibration.ratiosToFloor[loop]?.median
            )
        }
        return Table(
            title: "cost of an operation", caption: "ns: the median of the rounds, the lowest and the highest",
            of: parts + loops,
            [
                TableColumn("what") { .text($0.what) }, TableColumn("keys") { .text($0.keys) },
                TableColumn("driver") { .text($0.driver) },
                TableColumn("ns", .right) { .decimal($0.samples.median, places: 2) },
                TableColumn("lowest", name: "ns_lowest", .right) { .decimal($0.samples.lowest, places: 2) },
                TableColumn("highest", name: "ns_highest", .right) { .decimal($0.samples.highest, places: 2) },
                TableColumn("× floor", name: "ratio_to_floor", .right) { .decimal($0.ratio, places: 3) },
            ])
    }

    private static func clients(_ calibration: Calibration) -> Table {
        Table(
            title: "two clients",
            caption:
                "integer keys; throughput as a multiple of one client's; cores that two computing threads had",
            of: calibration.twoClients,
            [
                TableColumn("what") { _ in .text("two clients") }, TableColumn("driver") { .text($0.driver.rawValue) },
                TableColumn("× one client", name: "ratio_to_one", .right) { .decimal($0.multiple.median, places: 3) },
                TableColumn("lowest", name: "ratio_lowest", .right) { .decimal($0.multiple.lowest, places: 3) },
                TableColumn("highest", name: "ratio_highest", .right) { .decimal($0.multiple.highest, places: 3) },
                TableColumn("free cores", name: "free_cores", .right) { .decimal($0.freeCores.median, places: 3) },
                TableColumn("× for a free core", name: "ratio_per_free_core", .right) {
                    .decimal($0.perFreeCore.median, places: 3)
                },
            ])
    }

    private static func timers(_ calibration: Calibration) -> Table {
        Table(
            title: "waiting for a due time", caption: "lateness of a client that sleeps until 1 ms from now",
            of: calibration.lateness,
            [
                TableColumn("what") { _ in .text("lateness") }, TableColumn("driver") { .text($0.driver.rawValue) },
                TableColumn("p50", name: "late_p50_ns", .right) { .duration($0.summary?.p50) },
                TableColumn("p99", name: "late_p99_ns", .right) { .duration($0.summary?.p99) },
                TableColumn("longest", name: "late_max_ns", .right) { .duration($0.summary?.max) },
            ])
    }

    private static func noise(_ calibration: Calibration) -> Table {
        let noise = calibration.noise
        let figures: [(what: String, unit: String, cell: TableCell)] = [
            ("cores' time that the host gave to others", "share", .decimal(noise.stealShare, places: 6)),
            ("cores' time for other processes", "share", .decimal(noise.othersShare, places: 6)),
            ("involuntary context switches", "", .integer(noise.involuntarySwitches)),
            ("moves of the measuring thread to another core", "", .integer(calibration.migrations)),
            ("slowest core", "MHz", .decimal(noise.megahertz?.lowerBound, places: 0)),
            ("fastest core", "MHz", .decimal(noise.megahertz?.upperBound, places: 0)),
        ]
        return Table(
            title: "noise during the calibration", caption: "empty when this machine does not report it",
            of: figures,
            [
                TableColumn("metric", name: "what") { .text($0.what) },
                TableColumn("value", name: "figure", .right) { $0.cell },
                TableColumn("unit") { .text($0.unit) },
            ])
    }
}
