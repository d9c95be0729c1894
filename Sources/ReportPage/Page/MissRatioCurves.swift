import Reports
import TrialModel

/// The results of the policies on one trace: miss-ratio curves by size, and a table.
struct MissRatioCurves {
    let trace: String
    let rows: [ReplayRow]

    static let explanation = "Lower is better. The optimum knows the future: no policy can be below it."

    /// A description of the trace.
    var caption: String {
        guard let first = rows.first else { return "" }
        let sample =
            first.sampleRate < 1
            ? " A sample of \(Quantity.percent(first.sampleRate)) of the keys, with errors of up to "
                + "\(Quantity.percent(rows.compactMap(\.hitRatioError).max() ?? 0))." : ""
        return "\(Quantity.count(first.requests)) requests, \(policies.count) policies, \(sizes.count) sizes.\(sample)"
    }

    private var policies: [String] {
        var seen: Set<String> = []
        return rows.map(\.policy).filter { seen.insert($0).inserted }
    }

    private var sizes: Set<Capacity> { Set(rows.map(\.capacity)) }

    /// A chart for sizes in entries, and one for sizes in bytes.
    var charts: [LineChart] {
        [
            chart("Miss ratio by size", "entries, log", TickText.count) { $0.bytes == nil ? $0.entries : nil },
            chart("Miss ratio by size in bytes", "bytes, log", TickText.bytes) { $0.bytes },
        ].compactMap(\.self)
    }

    private func chart(
        _ title: String, _ unit: String, _ tick: (Double) -> String, _ size: (Capacity) -> Int?
    ) -> LineChart? {
        let series = policies.compactMap { policy -> LineChart.Series? in
            let points = rows.filter { $0.policy == policy }.compactMap { row -> LineChart.Point? in
                guard let size = size(row.capacity), size > 0, let ratio = row.hitRatio else { return nil }
                return LineChart.Point(x: Double(size), y: 1 - ratio)
            }.sorted { $0.x < $1.x }
            return points.isEmpty ? nil : LineChart.Series(strategy: policy, pieces: [points])
        }
        let points = series.flatMap { $0.pieces.joined() }
        guard !points.isEmpty else { return nil }
        return LineChart(
            title: "\(title), \(trace)",
            x: .logarithmic("size of the cache in \(unit)", points.map(\.x), isTight: true, text: tick),
            y: .linear("misses per request", points.map(\.y), text: TickText.percent), series: series)
    }

    /// Hit ratios at no more than five sizes, from the smallest to the largest.
    var table: Table {
        let ordered = sizes.sorted { ($0.bytes ?? 0, $0.entries ?? 0) < ($1.bytes ?? 0, $1.entries ?? 0) }
        let last = max(1, ordered.count - 1)
        let chosen = ordered.count <= 5 ? ordered : (0..<5).map { ordered[$0 * last / 4] }
        return Table(
            title: trace, caption: caption,
            columns: [TableColumn("policy")]
                + chosen.map { TableColumn("hits, \(Self.label($0))", name: "hit_ratio", .right) }
                + [TableColumn("requests/s", name: "requests_per_second", .right)],
            rows: policies.map { policy in
                let own = rows.filter { $0.policy == policy }
                return [TableCell.text(policy)]
                    + chosen.map { size in TableCell.ratio(own.first { $0.capacity == size }?.hitRatio) }
                    + [Cell.rate(own.compactMap(\.requestsPerSecond).median)]
            })
    }

    private static func label(_ size: Capacity) -> String {
        if let bytes = size.bytes { return Quantity.bytes(UInt64(clamping: bytes)) }
        return size.entries.map { Quantity.count(UInt64(clamping: $0)) } ?? "no limit"
    }
}
