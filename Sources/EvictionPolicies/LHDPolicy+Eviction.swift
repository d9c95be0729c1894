extension LHDPolicy {
    @inlinable
    package mutating func nextVictim() -> UInt32 {
        let (victim, density) = lowest()
        victimDensity = 0.9 * victimDensity + 0.1 * density
        // What follows removes the victim, and may give its entry to another object at once.
        let life = table.notes[Int(victim)]
        model.count(model.evictions, group(life), model.age(time &- life.used))
        release(victim)
        return victim
    }

    /// The object with the lowest density of the sample and the suspects.
    @inlinable
    mutating func lowest() -> (UInt32, Float) {
        var victim: UInt32 = 0
        var least = Float.greatestFiniteMagnitude
        let count = UInt64(budget.count)
        var bits: UInt64 = 0
        for index in 0..<(model.updates > 50 ? sample : min(sample, 8)) {
            // A draw is enough for two objects.
            bits = index & 1 == 0 ? random.next() : bits &>> 32
            let entry = 1 &+ RandomStream.scale(bits, below: count)
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

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same objects again.
        let before = random
        defer { random = before }
        return table.object(lowest().0)
    }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {
        table.notes[Int(entry)] = Life()
        if !touch(entry), density(entry) < victimDensity {
            suspects[nextSuspect] = table.object(entry)
            nextSuspect = (nextSuspect &+ 1) & 7
        }
        advance()
    }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) { enter(entry) }

    /// Ends the protection of an object.
    @inlinable
    @inline(__always)
    mutating func release(_ entry: UInt32) {
        guard table.notes[Int(entry)].isProtected else { return }
        table.notes[Int(entry)].isProtected = false
        protectable &+= Int64(table.charge(entry))
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].isProtected { protectable &+= Int64(old) &- Int64(charge) }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    /// Removes an object; the last entry's object moves into the gap.
    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        release(entry)
        budget.subtract(table.charge(entry))
        table.dropFillingGap(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        model.reset()
        (time, untilUpdate, victimDensity, nextSuspect) = (0, interval, 0, 0)
        protectable = Int64(budget.share(0.01))
        for index in suspects.indices { suspects[index] = .max }
        random.restart()
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = (1..<max(table.entryCount, 1)).map { UInt32($0) }
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
        let protected = table.charge(of: entries.filter { table.notes[Int($0)].isProtected })
        guard protectable + Int64(protected) == Int64(budget.share(0.01)) else {
            throw PolicyInvariantViolation("\(protected) is protected, and \(protectable) may still be")
        }
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lhd", summary: "evicts, of 32 random objects, the one with the least expected hits for its space",
            source: "Beckmann, Chen and Cidon, NSDI 2018",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.04 points on OLTP and cloudPhysicsIO, 0.15 on P3 and smaller \
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
