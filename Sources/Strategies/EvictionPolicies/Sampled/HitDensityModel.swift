/// The statistics of ``LHDPolicy``: for each class of objects and each age, how many hits an object may still expect
/// for the time that it stays resident.
///
/// Ages are times since the last use, divided by a power of two so that they are below 20,000. All counts fade by 10 %
/// at each update.
struct HitDensityModel: ~Copyable {
    static var ages: Int { 20_000 }
    static var classes: Int { 16 }
    static var cells: Int { 16 * 20_000 }

    /// By class, then age: the expected hits in a unit of coarse time.
    let densities: UnsafeMutablePointer<Float>
    let hits: UnsafeMutablePointer<Float>
    let evictions: UnsafeMutablePointer<Float>
    /// By class, the number of ages up to the oldest that ever was counted.
    let reach: UnsafeMutablePointer<Int>
    /// The logarithm of the requests in a unit of coarse time.
    var shift: UInt64 = 10
    /// The smoothed number of resident objects, with what it must be divided by.
    var residents: (sum: Float, mass: Float) = (0, 0)
    var updates = 0

    init() {
        densities = .allocate(capacity: Self.cells)
        hits = .allocate(capacity: Self.cells)
        evictions = .allocate(capacity: Self.cells)
        reach = .allocate(capacity: Self.classes)
        for counts in [hits, evictions, densities] { counts.initialize(repeating: 0, count: Self.cells) }
        reach.initialize(repeating: 0, count: Self.classes)
    }

    deinit {
        densities.deallocate()
        hits.deallocate()
        evictions.deallocate()
        reach.deallocate()
    }

    /// The age in coarse time after a number of requests; the last age means "that or older".
    @inline(__always)
    func age(_ requests: UInt32) -> Int { min(Int(UInt64(requests) &>> shift), Self.ages &- 1) }

    /// The density of a class at an age. Before the first update it falls with age and rises with the
    /// class, whose number in the authors' program begins with 16.
    @inline(__always)
    func density(_ group: Int, _ age: Int) -> Float {
        updates == 0 ? Float(group &+ 17) / Float(age &+ 1) : densities[group &* Self.ages &+ age]
    }

    /// The class of an object by the sum of the ages at its last two hits: the higher, the younger it was.
    @inline(__always)
    static func group(_ ages: Int) -> Int {
        if ages == 0 { return 15 }
        var (ages, group) = (ages, 0)
        while ages < Self.ages, group < 15 {
            ages &*= 2
            group &+= 1
        }
        return group
    }

    /// Counts a hit or an eviction of an object at an age.
    @inline(__always)
    func count(_ counts: UnsafeMutablePointer<Float>, _ group: Int, _ age: Int) {
        counts[group &* Self.ages &+ age] += 1
        reach[group] = max(reach[group], age &+ 1)
    }

    /// Fades the counts, adapts the coarseness of time, and computes the densities. O(classes × ages that occurred).
    @inline(never)
    mutating func update(residentCount: Int) {
        for group in 0..<Self.classes {
            for cell in group * Self.ages..<group * Self.ages + reach[group] {
                hits[cell] *= 0.9
                evictions[cell] *= 0.9
            }
        }
        residents = (residents.sum * 0.9 + Float(residentCount), residents.mass * 0.9 + 1)
        if updates == 5 || updates == 25 { adaptShift() }
        for group in 0..<Self.classes where reach[group] > 0 { computeDensities(group) }
        updates += 1
    }

    /// From the oldest age to the youngest: the hits at this age and later, divided by the time that the objects then
    /// stay in total.
    private func computeDensities(_ group: Int) {
        var (laterHits, events, lifetime): (Float, Float, Float) = (0, 0, 0)
        for cell in (group * Self.ages..<group * Self.ages + reach[group]).reversed() {
            laterHits += hits[cell]
            events += hits[cell] + evictions[cell]
            lifetime += events
            densities[cell] = events > 1e-5 ? laterHits / lifetime : 0
        }
    }

    /// Makes a unit of coarse time so long that the last age is 100 times the number of resident objects.
    private mutating func adaptShift() {
        let wanted = residents.sum / residents.mass / (0.01 * Float(Self.ages))
        var next: UInt64 = 1
        while Float(1 << next) < wanted { next += 1 }
        residents = (residents.sum * 8, residents.mass * 8)
        for counts in [hits, evictions] {
            for group in 0..<Self.classes where reach[group] > 0 {
                Self.rescale(counts + group * Self.ages, from: shift, to: next)
            }
        }
        // Where counts are spread, they may be at any age.
        if next < shift { for group in 0..<Self.classes where reach[group] > 0 { reach[group] = Self.ages } }
        shift = next
    }

    /// Spreads or collects the counts of a class; the last age keeps its own.
    private static func rescale(_ counts: UnsafeMutablePointer<Float>, from old: UInt64, to new: UInt64) {
        let last = Self.ages - 1
        if new > old {
            let factor = 1 << (new - old)
            for age in 0..<last {
                let start = age * factor
                var sum: Float = 0
                if start < last { for cell in start..<min(start + factor, last) { sum += counts[cell] } }
                counts[age] = sum
            }
        } else if new < old {
            let factor = 1 << (old - new)
            for age in Self.ages / factor..<last { counts[last] += counts[age] }
            for age in (0..<last).reversed() { counts[age] = counts[age / factor] / Float(factor) }
        }
    }
}
