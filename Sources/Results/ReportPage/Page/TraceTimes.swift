import Reports
import TrialModel

/// Charts of a trace over its time.
enum TraceTimes {
    /// The hit ratio of each policy over time, a chart for each size.
    static func hitRatios(_ rows: [ReplayIntervalRow], _ trace: String) -> [LineChart] {
        rows.grouped(by: \.capacity).compactMap { size, rows -> LineChart? in
            guard Set(rows.map(\.startNanoseconds)).count > 1 else { return nil }
            let scale = TimeScale(rows.map { Double($0.startNanoseconds) / 1e9 })
            let series = rows.grouped(by: \.policy).map { policy, rows in
                let points = rows.compactMap { row in
                    row.hitRatio.map { LineChart.Point(x: scale.value(Double(row.startNanoseconds) / 1e9), y: $0) }
                }
                return LineChart.Series(strategy: policy, pieces: [points])
            }
            return LineChart(
                title: "Hit ratio over time, \(trace), \(MissRatioCurves.label(size))", x: scale.axis,
                y: .share("hits per request"), series: series)
        }
    }
}

/// An axis of seconds in a unit that suits their span.
struct TimeScale {
    private let seconds: Double
    let axis: Axis

    /// - Parameter values: seconds.
    init(_ values: [Double]) {
        let span = values.max() ?? 0
        let units: [(name: String, seconds: Double)] = [("days", 86_400), ("hours", 3_600), ("minutes", 60)]
        let unit = units.first { span >= 3 * $0.seconds } ?? ("seconds", 1)
        let seconds = unit.seconds
        self.seconds = seconds
        axis = .linear("\(unit.name) since the first request", values.map { $0 / seconds }, text: TickText.count)
    }

    func value(_ seconds: Double) -> Double { seconds / self.seconds }
}
