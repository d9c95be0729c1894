/// Finds a good size for the window of ``WTinyLFUPolicy``: changes it, compares hit ratios, and turns back when the last
/// change did no good.
///
/// G. Einziger, O. Eytan, R. Friedman, B. Manes: Adaptive Software Cache Management, Middleware 2018, the simple hill
/// climber, with the parameters of Caffeine's simulator: a sample is 10 requests for each entry of the capacity; a step
/// is 1/16 of the capacity at first and shrinks by 2 % each time; a hit ratio that moved by 5 points starts again with
/// large steps. Small caches (512 entries) first enlarge the window, shrink steps by 0.5 %, and take longer samples as
/// steps shrink, up to 4 times.
@usableFromInline
struct WindowClimber {
    @usableFromInline
    var requests = 0
    @usableFromInline
    var hits = 0
    @usableFromInline
    var lastHitRatio = 0.0
    /// The next step as a share of the capacity.
    @usableFromInline
    var step = WindowClimber.firstStep
    @usableFromInline
    var enlarges: Bool
    @usableFromInline
    let isSmall: Bool
    /// What whole units left over of earlier steps.
    @usableFromInline
    var remainder = 0.0

    @usableFromInline static var firstStep: Double { @inlinable get { 0.0625 } }

    @inlinable
    init(isSmall: Bool) {
        self.isSmall = isSmall
        enlarges = isSmall
    }

    /// How many requests the sample under way takes, for a cache of that many entries.
    @inlinable
    @inline(__always)
    func sampleSize(entries: Int) -> Int {
        let size = max(entries, 1) &* 10
        guard isSmall else { return size }
        return Int(Double(size) * min(max(Self.firstStep / step, 1), 4))
    }

    /// Ends a sample.
    ///
    /// - Returns: by how much to enlarge the window; negative to make it smaller.
    @inlinable
    mutating func climb(limit: UInt64) -> Int64 {
        let hitRatio = Double(hits) / Double(max(requests, 1))
        if hitRatio < lastHitRatio { enlarges.toggle() }
        if abs(hitRatio - lastHitRatio) >= 0.05 { step = Self.firstStep }
        let smallest = step == Self.firstStep ? 2.0 : 0
        let amount = max(step * Double(limit), smallest)
        remainder += enlarges ? amount : -amount
        let whole = remainder.rounded(.towardZero)
        remainder -= whole
        lastHitRatio = hitRatio
        requests = 0
        hits = 0
        step *= isSmall ? 0.995 : 0.98
        return Int64(whole)
    }
}
