import Reports
import TrialModel

/// The results of the policies on one trace: miss-ratio curves by size, and a table.
struct MissRatioCurves {
    let trace: String
    let rows: [ReplayRow]

    /// Those of each trace.
    static func all(_ rows: [ReplayRow]) -> [MissRatioCurves] {
        rows.grouped(by: \.trace).map { MissRatioCurves(trace: $0, rows: $1) }
    }

    static let explanation =
        "Lower is better. The optimum uses the future requests: no policy that takes every new key can be below it."

    /// A description of the trace.
    var caption: String {
        guard let first = rows.first else { return "" }
        let sample =
            first.sampleRate < 1
            ? " A sample of \(Quantity.percent(first.sampleRate)) of the keys, with errors of up to "
                + "\(Quantity.percent(rows.compactMap(\.hitRatioError).max() ?? 0))." : ""
        let warmUp =
            first.warmUpShare.map {
                " The caches were filled by a warm-up, the first \(Quantity.percent($0)) of the trace, which is not "
                    + "counted."
            } ?? ""
        return
            "\(Quantity.count(first.requests)) requests, \(policies.count) policies, \(sizes.count) sizes.\(warmUp)\(sample)"
    }

    private var policies: [String] { rows.map(\.policy).distinct }

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
            title: trace, caption: caption, of: rows.grouped(by: \.policy),
            [TableColumn("policy") { .text($0.key) }]
                + chosen.map { size in
                    TableColumn("hits, \(Self.label(size))", name: "hit_ratio", .right) { policy in
                        .ratio(policy.elements.first { $0.capacity == size }?.hitRatio)
                    }
                }
                + [
                    TableColumn("requests/s", name: "requests_per_second", .right) {
                        .rate($0.elements.compactMap(\.requestsPerSecond).median)
                    }
                ])
    }

    static func label(_ size: Capacity) -> String {
        if let bytes = size.bytes { return Quantity.bytes(UInt64(clamping: bytes)) }
        return size.entries.map { Quantity.count(UInt64(clamping: $0)) } ?? "no limit"
    }
}
