import Reports
import TrialModel

/// The throughput of both sides in one phase, slice by slice, one round after another.
///
/// Slices with the same round and number were measured right after each other, so they share a position on the
/// horizontal axis.
struct SliceSeries: Sendable {
    /// The two phases that are drawn together.
    struct Place: Hashable, Sendable {
        var baseline: RowKey
        var candidate: RowKey

        init(_ row: ComparisonRow) {
            baseline = RowKey(scenario: row.scenario, strategy: row.baselineStrategy, phase: row.phase)
            candidate = RowKey(scenario: row.scenario, strategy: row.strategy, phase: row.phase)
        }

        /// The description of the two phases.
        var name: String {
            let partner = baseline == candidate ? "" : ", against \(baseline.strategy)"
            return "\(candidate)\(partner)"
        }
    }

    /// The time of a slice: its round and number.
    private struct Moment: Hashable, Comparable {
        var round: Int
        var slice: UInt64

        init(_ row: SliceRow) {
            round = row.key.repetition
            slice = row.slice
        }

        static func < (left: Moment, right: Moment) -> Bool {
            left.round == right.round ? left.slice < right.slice : left.round < right.round
        }
    }

    /// The names of the lines.
    static let sides = ["baseline", "candidate"]

    let place: Place
    let chart: LineChart
    /// The number of slices, and the meaning of a point.
    let caption: String

    /// `nil` where a side has no slices, or the baseline did no operations in most of them. O(n log n) in the slices.
    init?(_ place: Place, baseline: [SliceRow], candidate: [SliceRow]) {
        let moments = Set((baseline + candidate).map(Moment.init)).sorted()
        let level = baseline.map(\.throughputPerSecond).median ?? 0
        guard moments.count > 1, !candidate.isEmpty, level > 0 else { return nil }
        let size = LineChart.neighbours(of: moments.count)
        let positions = Dictionary(uniqueKeysWithValues: zip(moments, moments.indices))
        let series = zip(Self.sides, [baseline, candidate]).map { name, slices in
            LineChart.Series(strategy: name, pieces: [Self.points(slices, positions, size: size, level: level)])
        }
        let starts = Self.starts(moments)
        // At most ten texts, so that they don't touch.
        let stride = max(1, (starts.count + 9) / 10)
        let heights = series.flatMap { $0.pieces.joined() }.map(\.y)
        self.place = place
        chart = LineChart(
            title: "Throughput of \(place.name)",
            x: Axis(
                title: "paired blocks, one after another", scale: .linear, range: 0...Double(moments.count),
                ticks: starts.enumerated().filter { $0.offset % stride == 0 }.map(\.element)),
            y: .linear(
                "throughput, 100 % is \(Quantity.rate(level))/s", heights, fromZero: false, text: TickText.percent),
            series: series)
        caption =
            "\(Quantity.many(starts.count, "paired block")), \(Quantity.many(moments.count, "slice")): "
            + LineChart.meaning(ofNeighbours: size)
    }

    /// Medians of neighbouring slices, as shares of the baseline's level.
    private static func points(
        _ slices: [SliceRow], _ positions: [Moment: Int], size: Int, level: Double
    ) -> [LineChart.Point] {
        var parts: [Int: [Double]] = [:]
        for slice in slices {
            guard let position = positions[Moment(slice)] else { continue }
            parts[position / size, default: []].append(slice.throughputPerSecond / level)
        }
        return parts.sorted { $0.key < $1.key }.compactMap { part, shares in
            shares.median.map {
                LineChart.Point(x: (Double(part) + 0.5) * Double(size), y: $0)
            }
        }
    }

    /// Where each round starts, with its number.
    private static func starts(_ moments: [Moment]) -> [Axis.Tick] {
        var starts: [Axis.Tick] = []
        var round: Int?
        for (index, moment) in moments.enumerated() where moment.round != round {
            starts.append(Axis.Tick(value: Double(index), text: String(moment.round)))
            round = moment.round
        }
        return starts
    }
}
