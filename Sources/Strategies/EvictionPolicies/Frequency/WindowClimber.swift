/// Finds a good size for the window of ``WTinyLFUPolicy``, sample by sample.
///
/// Up to 4,096 entries it changes the window, compares hit ratios, and reverses when the last change did not help:
/// the simple hill climber of G. Einziger, O. Eytan, R. Friedman, B. Manes: Adaptive Software Cache Management,
/// Middleware 2018. With the parameters of Caffeine's simulator: a sample is 10 requests for each entry of the
/// capacity; a step is 1/16 of the capacity, but at least 2, and shrinks by 2 % each time; a hit ratio that changes
/// by 5 points resets the step to the large one. Small caches (512 entries) first enlarge the window, the others
/// first shrink it; small ones shrink steps by 0.5 %, and take longer samples as steps shrink, up to 4 times as long.
///
/// Larger caches see few such samples. In samples of 4 requests for each entry they compare the hits for each unit of
/// the capacity in the window and in the main part, and move 3 % of the capacity, times the natural logarithm of the
/// ratio, to the part with more hits: 30 % at most, and the window keeps 2 %. That is the density law of Caffeine
/// 3.3, without its probes and audits.
@usableFromInline
struct WindowClimber {
    @usableFromInline
    var requests = 0
    @usableFromInline
    var hits = 0
    /// The number of those hits that were in the window.
    @usableFromInline
    var windowHits = 0
    @usableFromInline
    var lastHitRatio = 0.0
    /// The next step as a share of the capacity.
    @usableFromInline
    var step = WindowClimber.firstStep
    @usableFromInline
    var enlarges: Bool
    @usableFromInline
    let isSmall: Bool
    /// The rest of earlier steps after rounding to whole units.
    @usableFromInline
    var remainder = 0.0

    @usableFromInline static var firstStep: Double { @inlinable get { 0.0625 } }
    @usableFromInline static var largestByHitRatio: Int { @inlinable get { 4096 } }

    @inlinable
    init(isSmall: Bool) {
        self.isSmall = isSmall
        enlarges = isSmall
    }

    /// The number of requests in the current sample, for a cache of `entries` entries.
    @inlinable
    @inline(__always)
    func sampleSize(entries: Int) -> Int {
        if entries > Self.largestByHitRatio { return entries &* 4 }
        let size = max(entries, 1) &* 10
        guard isSmall else { return size }
        return Int(Double(size) * min(max(Self.firstStep / step, 1), 4))
    }

    /// Ends a sample.
    ///
    /// - Parameters:
    ///   - limit: the capacity.
    ///   - window: the window's part of the capacity.
    ///   - entries: the number of entries that fit into the capacity.
    /// - Returns: the change of the window's size; negative to shrink it.
    @inlinable
    mutating func climb(limit: UInt64, window: UInt64, entries: Int) -> Int64 {
        let isLarge = entries > Self.largestByHitRatio
        remainder += isLarge ? changeByDensity(limit: Double(limit), window: Double(window)) : changeByHitRatio(limit)
        let whole = remainder.rounded(.towardZero)
        remainder -= whole
        requests = 0
        hits = 0
        windowHits = 0
        return Int64(whole)
    }

    @inlinable
    mutating func changeByHitRatio(_ limit: UInt64) -> Double {
        let hitRatio = Double(hits) / Double(max(requests, 1))
        if hitRatio < lastHitRatio { enlarges.toggle() }
        if abs(hitRatio - lastHitRatio) >= 0.05 { step = Self.firstStep }
        let amount = max(step * Double(limit), step == Self.firstStep ? 2 : 0)
        lastHitRatio = hitRatio
        step *= isSmall ? 0.995 : 0.98
        return enlarges ? amount : -amount
    }

    @inlinable
    func changeByDensity(limit: Double, window: Double) -> Double {
        // A part without hits counts as if it had a few, so that the ratio stays finite.
        let least = Double(max(4, requests &>> 10)) / 8
        let windowDensity = max(Double(windowHits), least) / max(window, 1)
        let mainDensity = max(Double(hits &- windowHits), least) / max(limit - window, 1)
        let ratio = logarithm(windowDensity / mainDensity)
        let change = min(max(0.03 * ratio, -0.3), 0.3) * limit
        return max(change, 0.02 * limit - window)
    }

    /// The natural logarithm of a positive number, to a few digits, so that the module needs no library for it.
    @inlinable
    func logarithm(_ value: Double) -> Double {
        // log(m 2^e), with artanh's series for m in [1, 2).
        let ratio = (value.significand - 1) / (value.significand + 1)
        let square = ratio * ratio
        let series = 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9)))
        return 2 * ratio * series + Double(value.exponent) * 0.693_147_180_559_945_3
    }
}
