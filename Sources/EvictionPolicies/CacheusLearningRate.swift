/// The learning rate of ``CacheusPolicy``, which it adapts after each period of as many requests as the cache has
/// entries.
///
/// It starts at sqrt(2 ln 2 / period). Where the hit ratio and the rate last changed in the same direction, the rate is
/// raised in proportion to its change, in opposite directions lowered; where the rate did not change and the hit ratio
/// fell, it is changed at random. After 10 periods without any hits, or in which the hit ratio fell without being
/// followed by a change, it starts again. Hit ratios and rates are compared with three decimals.
@usableFromInline
struct CacheusLearningRate {
    /// The rate; 0 before it is first needed.
    @usableFromInline
    var rate = 0.0
    @usableFromInline
    var hits = 0
    @usableFromInline
    var requests = 0
    private var first = 0.0
    private var rateBefore = 0.0
    private var ratioBefore = 0.0
    private var emptyPeriods = 0
    private var worsePeriods = 0

    @usableFromInline
    init() {}

    /// Chooses the first rate.
    @usableFromInline
    mutating func start(period: Int) {
        rate = (2 * 0.693_147_180_559_945_3 / Double(max(period, 1))).squareRoot()
        first = min(max(rate, 0.001), 1)
    }

    /// Adapts the rate to the hits of the period.
    @usableFromInline
    @inline(never)
    mutating func endPeriod(_ period: Int, _ random: inout RandomStream) {
        if rate == 0 { start(period: period) }
        let ratio = Self.rounded(Double(hits) / Double(requests))
        let ratioChange = Self.rounded(ratio - ratioBefore)
        let rateChange = Self.rounded(rate) - Self.rounded(rateBefore)
        rateBefore = rate
        ratioBefore = ratio
        (hits, requests) = (0, 0)
        if rateChange != 0, ratioChange != 0 {
            let step = rate * abs(rateChange)
            rate = (rateChange > 0) == (ratioChange > 0) ? min(rate + step, 1) : max(rate - step, 0.001)
            (emptyPeriods, worsePeriods) = (0, 0)
            return
        }
        if ratioChange > 0 { return }
        if ratioChange < 0 { worsePeriods += 1 }
        if ratioChange < 0 || ratio == 0 { emptyPeriods += 1 }
        if emptyPeriods >= 10 {
            rate = first
            emptyPeriods = 0
        } else if ratioChange < 0 {
            if worsePeriods >= 10 {
                rate = first
                worsePeriods = 0
            } else {
                changeAtRandom(&random)
            }
        }
    }

    private mutating func changeAtRandom(_ random: inout RandomStream) {
        if rate >= 1 {
            rate = 0.9
        } else if rate <= 0.001 {
            rate = 0.005
        } else {
            rate = random.fraction() < 0.5 ? min(rate * 1.25, 1) : max(rate * 0.75, 0.001)
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
