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
            StandardError.write("warning: built without optimisation; these figures say nothing about a release build")
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
        let parts = [
            ("empty loop", calibration.emptyLoop), ("clock read", calibration.clockRead),
            ("record", calibration.record), ("floor: two clock reads and a record", calibration.floor),
        ].map { name, samples in [TableCell.text(name), .empty, .empty] + figures(samples) }
        let loops = calibration.loops.filter { $0.loop.clients == 1 }.map { loop, samples in
            [
                TableCell.text("loop with none\(loop.suspends ? ", as if it suspended" : "")"),
                .text(loop.keys.rawValue), .text(loop.driver.rawValue),
            ]
                + figures(samples) + [number(calibration.ratiosToFloor[loop]?.median, places: 3)]
        }
        return Table(
            title: "cost of an operation", caption: "ns: the median of the rounds, the lowest and the highest",
            columns: [
                TableColumn("what"), TableColumn("keys"), TableColumn("driver"), TableColumn("ns", .right),
                TableColumn("lowest", name: "ns_lowest", .right), TableColumn("highest", name: "ns_highest", .right),
                TableColumn("× floor", name: "ratio_to_floor", .right),
            ],
            rows: parts + loops)
    }

    private static func clients(_ calibration: Calibration) -> Table {
        Table(
            title: "two clients",
            caption:
                "integer keys; throughput as a multiple of one client's; cores that two computing threads had",
            columns: [
                TableColumn("what"), TableColumn("driver"), TableColumn("× one client", name: "ratio_to_one", .right),
                TableColumn("lowest", name: "ratio_lowest", .right),
                TableColumn("highest", name: "ratio_highest", .right),
                TableColumn("free cores", name: "free_cores", .right),
                TableColumn("× for a free core", name: "ratio_per_free_core", .right),
            ],
            rows: calibration.twoClients.map { pair in
                [.text("two clients"), .text(pair.driver.rawValue)]
                    + figures(pair.multiple, places: 3)
                    + [pair.freeCores.median, pair.perFreeCore.median].map { number($0, places: 3) }
            })
    }

    private static func timers(_ calibration: Calibration) -> Table {
        Table(
            title: "waiting for a due time", caption: "lateness of a client that sleeps until 1 ms from now",
            columns: [
                TableColumn("what"), TableColumn("driver"), TableColumn("p50", name: "late_p50_ns", .right),
                TableColumn("p99", name: "late_p99_ns", .right), TableColumn("longest", name: "late_max_ns", .right),
            ],
            rows: calibration.lateness.map { lateness in
                let summary = lateness.summary
                return [.text("lateness"), .text(lateness.driver.rawValue)]
                    + [summary?.p50, summary?.p99, summary?.max].map(duration)
            })
    }

    private static func noise(_ calibration: Calibration) -> Table {
        let noise = calibration.noise
        func row(_ what: String, _ unit: String, _ cell: TableCell) -> [TableCell] { [.text(what), cell, .text(unit)] }
        return Table(
            title: "noise during the calibration", caption: "empty when this machine does not report it",
            columns: [TableColumn("what"), TableColumn("figure", .right), TableColumn("unit")],
            rows: [
                row("cores' time that the host gave to others", "share", number(noise.stealShare, places: 6)),
                row("cores' time for other processes", "share", number(noise.othersShare, places: 6)),
                row("involuntary context switches", "", .integer(noise.involuntarySwitches)),
                row(
                    "moves of the measuring thread to another core", "",
                    calibration.migrations.map(TableCell.integer) ?? .empty),
                row("slowest core", "MHz", number(noise.megahertz?.lowerBound, places: 0)),
                row("fastest core", "MHz", number(noise.megahertz?.upperBound, places: 0)),
            ])
    }

    private static func figures(_ samples: Calibration.Samples, places: Int = 2) -> [TableCell] {
        [samples.median, samples.lowest, samples.highest].map { number($0, places: places) }
    }

    private static func number(_ value: Double?, places: Int) -> TableCell {
        guard let value, value.isFinite else { return .empty }
        return TableCell(DecimalText.fixed(value, places: places), value: .number(value, places: places))
    }

    private static func duration(_ nanoseconds: UInt64?) -> TableCell {
        guard let nanoseconds else { return .empty }
        return TableCell(Quantity.duration(nanoseconds: nanoseconds), value: .integer(nanoseconds))
    }
}
