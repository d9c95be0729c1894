/// LHD, least hit density: evicts, of some random objects, the one that promises the fewest hits for the space and time
/// that it takes.
///
/// N. Beckmann, H. Chen, A. Cidon: LHD: Improving Cache Hit Rate by Maximizing Hit Density, NSDI 2018. The densities
/// are measured, see ``HitDensityModel``, for 16 classes of objects by the ages at their last two hits, and computed
/// again after 2^20 requests. The victim is the lowest of 32 random objects (8 before the 51st update) and of the last
/// 8 admitted ones that were below the average victim. Some objects, with up to 1 % of the capacity, are protected, so
/// that long times between uses are seen at all.
///
/// Variant: the simulator of the paper's authors, as in libcachesim. Time counts hits and admissions; the random
/// numbers come from a fixed seed. On OLTP with 1,000 entries 66.56 % miss, in libcachesim 66.54 % (LRU 67.17 %): that
/// trace ends before the first update. With an interval of 10,000 requests 61.98 % miss.
///
/// Weights: the density is divided by the size; objects are evicted until the new one fits. An eviction costs
/// O(sample).
@usableFromInline
package struct LHDPolicy: ExchangePolicy, ~Copyable {
    /// What is known about an object.
    @usableFromInline
    package struct Life: EntryNote {
        /// The number of the last request, without the bits above 2^32.
        @usableFromInline
        var used: UInt32 = 0
        /// The coarse ages at the last hit, and at the one before.
        @usableFromInline
        var lastAge: UInt16 = 0
        @usableFromInline
        var ageBefore: UInt16 = 20_000
        @usableFromInline
        var isProtected = false

        @inlinable
        package init() {}
    }

    /// Queue 0 is never used: entries 1 to `count` are the resident objects.
    @usableFromInline
    package var table = EntryTable<Life, TraceEntry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    var model = HitDensityModel()
    /// The number of the present request.
    @usableFromInline
    var time: UInt32 = 0
    @usableFromInline
    var untilUpdate: Int
    @usableFromInline
    let interval: Int
    @usableFromInline
    let sample: Int
    /// The weight that may still be protected.
    @usableFromInline
    var protectable: Int64 = 0
    /// The smoothed density of the victims.
    @usableFromInline
    var victimDensity: Float = 0
    /// A ring of objects that were admitted with a low density; the last place is written next.
    @usableFromInline
    var suspects: [ObjectID]
    @usableFromInline
    var nextSuspect = 0
    @usableFromInline
    var random: RandomStream

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        self.init(capacity: capacity, settings: settings, seed: 0)
    }

    /// A policy that evicts the same objects whenever it has the same seed.
    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings, seed: UInt64) {
        budget = Budget(capacity)
        interval = settings.count(Self.intervalParameter)
        sample = settings.count(Self.sampleParameter)
        untilUpdate = interval
        suspects = Array(repeating: .max, count: 8)
        random = RandomStream(seed: seed)
        protectable = Int64(budget.share(0.01))
    }

    @usableFromInline static var intervalParameter: PolicyParameter {
        PolicyParameter("interval", .count, 16...1e9, standard: 1_048_576, "requests between updates of the densities")
    }

    @usableFromInline static var sampleParameter: PolicyParameter {
        PolicyParameter("sample", .count, 1...1024, standard: 32, "random objects of which the worst is evicted")
    }

    @inlinable
    @inline(__always)
    func density(_ entry: UInt32) -> Float {
        let life = table.notes[Int(entry)]
        let age = model.age(time &- life.used)
        if age == HitDensityModel.ages &- 1 { return -.greatestFiniteMagnitude }
        let density = model.density(group(life), age) / Float(table.charge(entry))
        return life.isProtected ? density + 1 : density
    }

    /// The class of an object.
    @inlinable
    @inline(__always)
    func group(_ life: Life) -> Int { HitDensityModel.group(Int(life.lastAge) &+ Int(life.ageBefore)) }

    @inlinable
    package mutating func use(_ entry: UInt32) {
        var life = table.notes[Int(entry)]
        let age = model.age(time &- life.used)
        model.count(model.hits, group(life), age)
        if life.isProtected { protectable &+= Int64(table.charge(entry)) }
        life.ageBefore = life.lastAge
        life.lastAge = UInt16(truncatingIfNeeded: age)
        table.notes[Int(entry)] = life
        _ = touch(entry)
        advance()
    }

    /// Notes the time of a request, and protects the object at random. True when it was drawn.
    @inlinable
    @inline(__always)
    mutating func touch(_ entry: UInt32) -> Bool {
        table.notes[Int(entry)].used = time
        let isDrawn = random.next() &>> 59 == 0
        let isProtected = isDrawn && protectable > 0 && model.updates < 50
        table.notes[Int(entry)].isProtected = isProtected
        if isProtected { protectable &-= Int64(table.charge(entry)) }
        return isDrawn
    }

    @inlinable
    @inline(__always)
    mutating func advance() {
        time &+= 1
        untilUpdate &-= 1
        guard untilUpdate == 0 else { return }
        untilUpdate = interval
        model.update(residentCount: budget.count)
    }
}
