import Reports
import TrialModel

/// The parts of hits and loads: hits by tier, and the time of loads by stage.
struct PartCharts {
    let ranking: ScenarioRanking
    let palette: Palette

    /// Charts for each phase; empty where nothing of this was measured.
    var html: String {
        let charts = ranking.phases { _ in true }.flatMap { phase in
            [
                tiers(in: phase).map { Figure.html($0, caption: Self.tierCaption, palette) },
                stages(in: phase).map { Figure.html($0, caption: Self.stageCaption, palette) },
            ].compactMap(\.self)
        }
        return charts.isEmpty ? "" : Markup.text("h3", [:], "Hits by tier, loads by stage") + Markup.figures(charts)
    }

    private static let tierCaption = "Medians of the repetitions. The rest up to 100 % is misses."
    private static let stageCaption =
        "The mean load that fetched, over all repetitions. The time before the fetch is the lookup and the wait for "
        + "other callers; after the decoding comes the insert."

    private static let notReported = "not reported"

    /// Hits by tier, where a strategy reports several tiers.
    func tiers(in phase: String) -> BarChart? {
        let own = ranking.results.filter { $0.trial.key.phase == phase }
        let seen = Set(own.flatMap { $0.tierHitRates.map(\.tier) })
        let tiers = HitTier.allCases.filter { seen.contains(.only($0)) }
        guard tiers.count > 1 else { return nil }
        let rows = ranking.completed(phase).compactMap { own -> BarChart.Row? in
            guard let all = own.median(\.hitRate?.hitRatio) else { return nil }
            let shares = tiers.map { tier in
                own.results.compactMap { result -> Double? in
                    guard !result.tierHitRates.isEmpty else { return nil }
                    return result.tierHitRates.first { $0.tier == .only(tier) }?.hitRatio ?? 0
                }.median ?? 0
            }
            return BarChart.Row(strategy: own.strategy, values: shares + [max(0, all - shares.reduce(0, +))])
        }
        return BarChart(
            title: "Hits by tier, \(phase)", axis: .share("lookups"), parts: tiers.map(\.rawValue) + [Self.notReported],
            rows: rows, text: TickText.percent)
    }

    /// The mean time of each stage of loads that fetched.
    func stages(in phase: String) -> BarChart? {
        let stages: [Stage] = [.beforeFetch, .fetch, .decode, .afterDecode]
        let rows = ranking.completed(phase).compactMap { completed -> BarChart.Row? in
            let own = completed.results.flatMap(\.stages).filter { $0.operation == .load && $0.outcome == .miss }
            let values = stages.map { stage -> Double in
                let rows = own.filter { $0.stage == stage }
                let count = rows.reduce(0.0) { $0 + Double($1.count) }
                return count > 0 ? rows.reduce(0.0) { $0 + Double($1.totalNanoseconds) } / count : 0
            }
            return values.contains { $0 > 0 } ? BarChart.Row(strategy: completed.strategy, values: values) : nil
        }
        guard !rows.isEmpty else { return nil }
        let sums = rows.map { $0.values.reduce(0, +) }
        return BarChart(
            title: "Time of a load by stage, \(phase)",
            axis: .linear("time of a load", sums, text: TickText.duration),
            parts: ["before the fetch", "fetch", "decoding", "after it"], rows: rows, text: TickText.duration)
    }
}
