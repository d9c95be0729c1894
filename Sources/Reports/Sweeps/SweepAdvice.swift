import Foundation

/// The number of clients beyond which a strategy gains nothing.
struct Saturation: Hashable {
    let x: Double
    let certainty: SweepCertainty

    /// A rise by more than this share is a gain.
    static let gain = 0.05

    /// The first value after which no median of the throughput is more than 5 % higher. `nil` where that is the last
    /// value, and where the harness may be the limit.
    ///
    /// It is sure when, at each following value, no repetition is more than 5 % above any repetition at this value.
    init?(_ curve: SweepCurve) {
        let samples = curve.samples
        let found = samples.indices.first { index in
            samples[(index + 1)...].allSatisfy {
                $0.spread.median <= samples[index].spread.median * (1 + Self.gain)
            }
        }
        guard let found, found < samples.count - 1, samples[found...].allSatisfy({ !$0.isAtLeast }) else { return nil }
        x = samples[found].x
        let repetitions = samples[found...].map(\.repetitions.count).min() ?? 0
        let isApart = samples[(found + 1)...].allSatisfy {
            $0.spread.high <= samples[found].spread.low * (1 + Self.gain)
        }
        certainty = SweepCertainty(
            isSure: isApart && repetitions >= SweepCertainty.enough, isExact: false, repetitions: repetitions)
    }
}

/// The knee of a curve that rises ever more slowly: the point farthest from the line between its ends.
///
/// After Satopää, Albrecht, Irwin and Raghavan, "Finding a 'Kneedle' in a Haystack", 2011. Both axes are scaled from 0
/// to 1, the horizontal one after a logarithm where values span more than a factor of 20.
package struct Knee: Hashable, Sendable {
    /// The value at the knee, and the figure there.
    package let x: Double
    package let y: Double
    /// The gain from doubling the value, by linear interpolation between the neighbours; `nil` where the double is
    /// beyond the last value.
    package let doublingGain: Double?
    /// The gain from the knee to the last value.
    package let lastGain: Double
    package let lastX: Double

    /// A point nearer than this to the line between the ends is no knee: the curve is nearly that line.
    private static let smallestDistance = 0.1
    private static let widestLinear = 20.0

    /// - Parameters:
    ///   - points: at least four, in ascending order, from 0 up.
    ///   - smallestRise: a curve that rises by less is flat.
    package init?(_ points: [(x: Double, y: Double)], smallestRise: Double = 0.02) {
        guard points.count >= 4, let first = points.first, let last = points.last, last.x > first.x,
            last.y - first.y >= smallestRise
        else { return nil }
        let isLogarithmic = first.x > 0 && last.x / first.x > Self.widestLinear
        func scaled(_ x: Double) -> Double {
            isLogarithmic ? log(x / first.x) / log(last.x / first.x) : (x - first.x) / (last.x - first.x)
        }
        let distances = points.map { ($0.y - first.y) / (last.y - first.y) - scaled($0.x) }
        guard let most = distances.max(), most >= Self.smallestDistance, let index = distances.firstIndex(of: most)
        else { return nil }
        let knee = points[index]
        (x, y) = (knee.x, knee.y)
        lastX = last.x
        lastGain = last.y - knee.y
        let twice = 2 * knee.x
        let after = points.firstIndex { $0.x >= twice }
        doublingGain = after.map { after in
            let (low, high) = (points[after - 1], points[after])
            let share = (scaled(twice) - scaled(low.x)) / (scaled(high.x) - scaled(low.x))
            return low.y + share * (high.y - low.y) - knee.y
        }
    }

    /// The least and the greatest gain from doubling the value between two neighbouring points; `nil` where a curve is
    /// flat.
    static func gainsPerDoubling(
        _ points: [(x: Double, y: Double)], smallestRise: Double = 0.02
    ) -> ClosedRange<Double>? {
        guard points.count >= 4, let first = points.first, let last = points.last, first.x > 0,
            last.y - first.y >= smallestRise
        else { return nil }
        let gains = zip(points, points.dropFirst()).map { ($1.y - $0.y) / log2($1.x / $0.x) }
        return gains.min().flatMap { low in gains.max().map { low...$0 } }
    }

    /// The knee of a curve.
    init?(_ curve: SweepCurve) { self.init(curve.samples.map { ($0.x, $0.spread.median) }) }
}
