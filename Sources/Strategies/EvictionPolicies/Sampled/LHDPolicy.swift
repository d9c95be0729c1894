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
struct LHDPolicy: SampledPolicy, ~Copyable {
    /// What is known about an object.
    struct Life: EntryNote {
        /// The number of the last request, without the bits above 2^32.
        var used: UInt32 = 0
        /// The coarse ages at the last hit, and at the one before.
        var lastAge: UInt16 = 0
        var ageBefore: UInt16 = 20_000
        var isProtected = false
    }

    var table = EntryTable<Life, TraceEntry>(queueCount: 1)
    var budget: Budget
    var model = HitDensityModel()
    /// The number of the present request.
    var time: UInt32 = 0
    var untilUpdate: Int
    let interval: Int
    let sample: Int
    /// The weight that may still be protected.
    var protectable: Int64
    /// The smoothed density of the victims.
    var victimDensity: Float = 0
    /// A ring of objects that were admitted with a low density; the last place is written next.
    var suspects = [ObjectID](repeating: .max, count: 8)
    var nextSuspect = 0
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        interval = settings.count(Self.intervalParameter)
        sample = settings.count(Self.sampleParameter)
        untilUpdate = interval
        protectable = Int64(budget.share(0.01))
    }

    static var intervalParameter: PolicyParameter {
        PolicyParameter("interval", .count, 16...1e9, standard: 1_048_576, "requests between updates of the densities")
    }

    static var sampleParameter: PolicyParameter {
        PolicyParameter("sample", .count, 1...1024, standard: 32, "random objects of which the worst is evicted")
    }

    @inline(__always)
    func density(_ entry: UInt32) -> Float {
        let life = table.notes[Int(entry)]
        let age = model.age(time &- life.used)
        if age == HitDensityModel.ages &- 1 { return -.greatestFiniteMagnitude }
        let density = model.density(group(life), age) / Float(table.charge(entry))
        return life.isProtected ? density + 1 : density
    }

    /// The class of an object.
    @inline(__always)
    func group(_ life: Life) -> Int { HitDensityModel.group(Int(life.lastAge) &+ Int(life.ageBefore)) }

    mutating func use(_ entry: UInt32) {
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
    @inline(__always)
    mutating func touch(_ entry: UInt32) -> Bool {
        table.notes[Int(entry)].used = time
        let isDrawn = random.next() &>> 59 == 0
        let isProtected = isDrawn && protectable > 0 && model.updates < 50
        table.notes[Int(entry)].isProtected = isProtected
        if isProtected { protectable &-= Int64(table.charge(entry)) }
        return isDrawn
    }

    @inline(__always)
    mutating func advance() {
        time &+= 1
        untilUpdate &-= 1
        guard untilUpdate == 0 else { return }
        untilUpdate = interval
        model.update(residentCount: budget.count)
    }

    /// Unlike an eviction it teaches the policy nothing.
    mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        let before = random
        defer { random = before }
        return table.object(lowest().0)
    }

    mutating func nextVictim() -> UInt32 {
        let (victim, density) = lowest()
        victimDensity = 0.9 * victimDensity + 0.1 * density
        // What follows removes the victim, and may give its entry to another object at once.
        let life = table.notes[Int(victim)]
        model.count(model.evictions, group(life), model.age(time &- life.used))
        release(victim)
        return victim
    }

    /// The object with the lowest density of the sample and the suspects.
    mutating func lowest() -> (UInt32, Float) {
        var victim: UInt32 = 0
        var least = Float.greatestFiniteMagnitude
        var bits: UInt64 = 0
        for index in 0..<(model.updates > 50 ? sample : min(sample, 8)) {
            let entry = drawEntry(index, &bits)
            let density = density(entry)
            if density < least || victim == 0 { (victim, least) = (entry, density) }
        }
        for object in suspects {
            let entry = table.entry(of: object)
            guard entry != 0 else { continue }
            let density = density(entry)
            if density < least { (victim, least) = (entry, density) }
        }
        return (victim, least)
    }

    @inline(__always)
    mutating func enter(_ entry: UInt32) {
        table.notes[Int(entry)] = Life()
        if !touch(entry), density(entry) < victimDensity {
            suspects[nextSuspect] = table.object(entry)
            nextSuspect = (nextSuspect &+ 1) & 7
        }
        advance()
    }

    /// Ends the protection of an object.
    @inline(__always)
    mutating func release(_ entry: UInt32) {
        guard table.notes[Int(entry)].isProtected else { return }
        table.notes[Int(entry)].isProtected = false
        protectable &+= Int64(table.charge(entry))
    }

    mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].isProtected { protectable &+= Int64(old) &- Int64(charge) }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    /// Removes an object; the last entry's object moves into the gap.
    mutating func takeOut(_ entry: UInt32) {
        release(entry)
        budget.subtract(table.charge(entry))
        table.dropFillingGap(entry)
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lhd", summary: "evicts, of 32 random objects, the one with the least expected hits for its space",
            source: "Beckmann, Chen and Cidon, NSDI 2018",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.04 pp on OLTP and cloudPhysicsIO, 0.15 on P3 and smaller \
                traces, less than those of different seeds, which are up to 0.9 apart on P3 (means of 2 or 3 seeds)
                """,
            advice: """
                Take it for long traces of objects of different size. It learns only after each interval of 1,048,576 \
                requests; before the first it goes by age, much as LRU does, so choose a shorter interval for a \
                shorter trace. It keeps 4 MB of statistics, and an eviction reads 40 entries.
                """,
            parameters: [intervalParameter, sampleParameter])
    }
}
