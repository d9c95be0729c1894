import TrialModel

extension ScenarioRanking {
    /// The memory that strategies released under memory pressure, and the cost of releasing it; `nil` where no phase
    /// begins with memory pressure.
    package var pressureTable: Table? {
        let rows = completed { $0.pressure != nil }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), memory pressure",
                caption:
                    "Given back: bytes released within 100 ms, and bytes still released at the end of the phase. "
                    + "Back after: operations until the hit ratio reached 90 % of the ratio before.",
                of: rows, Self.pressureColumns)
    }

    private static var pressureColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("level") { .text($0.results.first?.pressure?.level.rawValue) },
            TableColumn("strategy") { .text($0.strategy) },
            TableColumn("asked", name: "responds") { .word($0.results.first?.pressure?.responds == true) },
            .median("held", \PressureRow.bytesBefore, isSpare: true),
            .median("given back", \PressureRow.bytesGivenBack),
            TableColumn("share", name: "share_given_back", .right) { .ratio($0.median(\.pressure?.shareGivenBack)) },
            .median("at the end", \PressureRow.bytesGivenBackAtEnd, isSpare: true),
            .median("answer", \PressureRow.responseNanoseconds, isSpare: true),
            .median("hits after", \PressureRow.hitRatioAfter),
            .median("back after", \PressureRow.operationsToRecovery),
            .median("in flight", \PressureRow.loadsInFlight, isSpare: true),
            .median("failed", \PressureRow.loadsFailed),
            .median("restarted", \PressureRow.loadsRestarted),
        ]
    }
}
