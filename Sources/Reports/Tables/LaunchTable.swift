import TrialModel

/// The times and hits of launches: a short table below the ranked one, for each phase that opened the strategy again.
///
/// Figures are medians over the repetitions that completed. The rows have the order of the ranked table.
struct LaunchTable {
    let scenario: ScenarioPoint
    let results: [PhaseResult]
    /// The strategies, the first rank first.
    let strategies: [String]

    /// `nil` where no phase opens a strategy again.
    var table: Table? {
        let launches = results.map(\.trial).filter { $0.status == .completed && $0.hitsOfFirst100 != nil }
        var phases: [String] = []
        for phase in launches.map(\.key.phase) where !phases.contains(phase) { phases.append(phase) }
        guard !phases.isEmpty else { return nil }
        return Table(
            title: "\(scenario), launches",
            caption: "Time to open what was left on disk, then time to the first hit; medians.",
            columns: Self.columns,
            rows: phases.flatMap { phase in
                strategies.compactMap { strategy in
                    let own = launches.filter { $0.key.phase == phase && $0.key.trial.strategy == strategy }
                    return own.isEmpty ? nil : row(phase, strategy, own)
                }
            })
    }

    private static let columns = [
        TableColumn("phase"), TableColumn("strategy"), TableColumn("open", name: "open_ns", .right),
        TableColumn("first hit", name: "first_hit_ns", .right),
        TableColumn("hits of first 100", name: "hits_of_first_100", .right),
    ]

    private func row(_ phase: String, _ strategy: String, _ launches: [TrialRow]) -> [TableCell] {
        [
            .text(phase), .text(strategy), .duration(launches.compactMap(\.openNanoseconds).sorted().median),
            .duration(launches.compactMap(\.firstHitNanoseconds).sorted().median),
            .count(launches.compactMap(\.hitsOfFirst100).sorted().median),
        ]
    }
}
