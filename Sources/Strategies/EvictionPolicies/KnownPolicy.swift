/// A policy that replays know, and how its loop over requests is made.
///
/// This is the only list of them. Each is compiled for its own type, because a call for each request would cost more than
/// most policies.
package struct KnownPolicy: Sendable {
    /// How hits are found.
    package enum Work: Sendable {
        /// Decides request by request.
        case online(@Sendable (PolicyCapacity, PolicySettings, (any AdmissionPolicy)?) -> PolicyLoop)
        /// Knows the future.
        case clairvoyant(Clairvoyant)
    }

    /// A bound that is computed from the whole trace.
    package enum Clairvoyant: Sendable {
        case optimal
        case practical(PracticalOptimum.Bound)

        /// Whether it knows the future of objects of different size.
        package var weighs: Bool { if case .practical = self { true } else { false } }
    }

    package let declaration: PolicyDeclaration
    package let work: Work
    /// Why no admission can be in front of it; `nil` when one can.
    package let reasonAgainstAdmission: String?

    package var name: String { declaration.name }

    private init<Policy: TablePolicy & SendableMetatype & ~Copyable>(_ type: Policy.Type) {
        declaration = Policy.declaration
        reasonAgainstAdmission = Policy.comparesNewObjects ? "it decides itself which objects it admits" : nil
        work = .online { loop(over: Policy(capacity: $0, settings: $1), $2) }
    }

    /// A bound that never evicts, with a capacity of its own.
    private init(_ declaration: PolicyDeclaration, capacity: PolicyCapacity) {
        self.declaration = declaration
        reasonAgainstAdmission = "it is a bound"
        work = .online { _, settings, _ in loop(over: FIFOPolicy(capacity: capacity, settings: settings), nil) }
    }

    private init(_ declaration: PolicyDeclaration, _ work: Clairvoyant) {
        (self.declaration, self.work) = (declaration, .clairvoyant(work))
        reasonAgainstAdmission = "it is a bound"
    }

    package static let lru = KnownPolicy(LRUPolicy.self)
    package static let fifo = KnownPolicy(FIFOPolicy.self)
    package static let clock = KnownPolicy(CLOCKPolicy.self)
    package static let sieve = KnownPolicy(SIEVEPolicy.self)
    package static let s3FIFO = KnownPolicy(S3FIFOPolicy.self)
    package static let twoQueue = KnownPolicy(TwoQueuePolicy.self)
    package static let arc = KnownPolicy(ARCPolicy.self)
    package static let lfu = KnownPolicy(LFUPolicy.self)
    package static let wTinyLFU = KnownPolicy(WTinyLFUPolicy.self)
    package static let lirs = KnownPolicy(LIRSPolicy.self)
    package static let random = KnownPolicy(RandomPolicy.self)
    package static let none = KnownPolicy(
        PolicyDeclaration(
            name: "none", summary: "baseline: never caches", source: "a baseline", agreement: "no hit at all",
            advice: "What every request costs without a cache."), capacity: .entries(0))
    package static let unbounded = KnownPolicy(
        PolicyDeclaration(
            name: "unbounded", summary: "baseline: never evicts", source: "a baseline",
            agreement: "one miss for each different key", advice: "What a cache of any size could reach."),
        capacity: .entries(.max))
    package static let optimal = KnownPolicy(OptimalReplay.declaration, .optimal)

    package static let all: [KnownPolicy] = [
        lru, fifo, clock, sieve, s3FIFO, twoQueue, arc, lfu, wTinyLFU, lirs, KnownPolicy(SLRUPolicy.self),
        KnownPolicy(S4LRUPolicy.self), KnownPolicy(MQPolicy.self), KnownPolicy(LRUKPolicy.self),
        KnownPolicy(LFUDAPolicy.self), KnownPolicy(GDSFPolicy.self), KnownPolicy(CARPolicy.self),
        KnownPolicy(CLOCKProPolicy.self), KnownPolicy(Clock2QPlusPolicy.self), KnownPolicy(S4FIFOPolicy.self),
        KnownPolicy(HyperbolicPolicy.self), KnownPolicy(LHDPolicy.self), KnownPolicy(LeCaRPolicy.self),
        KnownPolicy(CacheusPolicy.self), random, none, unbounded, optimal,
        KnownPolicy(PracticalOptimum.declaration(of: .leastMisses), .practical(.leastMisses)),
        KnownPolicy(PracticalOptimum.declaration(of: .reachableMisses), .practical(.reachableMisses)),
    ]

    /// What can be in front of a policy.
    package static let admissions: [any AdmissionPolicy.Type] = [
        TinyLFUAdmission.self, SecondRequestAdmission.self, SizeAdmission.self, AdaptSizeAdmission.self,
    ]
}

/// Replays requests against one policy of one size. Whether each request hits is written to as many places as there are
/// requests; a removal never does.
package typealias PolicyLoop = (PolicyRequests, _ isHit: inout [Bool]) -> PolicyAnswers

/// Some requests of a replay, as a policy receives them.
package struct PolicyRequests {
    package var objects: [ObjectID]
    /// One weight for each request, or one for all.
    package var weights: [UInt64]
    /// Whether each request removes its object instead; empty when none does.
    package var removals: [Bool] = []
    /// Whether each request replaces the weight of its object where that is resident; empty when none does.
    package var replacements: [Bool] = []
    /// When entries expire; `nil` in a replay in which none does.
    package var lifetimes: PolicyLifetimes?

    package init(_ objects: [ObjectID], weights: [UInt64]) { (self.objects, self.weights) = (objects, weights) }
}

/// When the entries of a replay expire.
package struct PolicyLifetimes {
    /// When each request comes.
    package var times: [UInt64]
    /// From when on a value that each request puts into the cache is too old; the largest number for a value that stays right.
    package var deadlines: [UInt64]
    /// Whether each request writes, so that its deadline replaces that of a resident object; empty when none does.
    package var writes: [Bool]

    package init(times: [UInt64], deadlines: [UInt64], writes: [Bool]) {
        (self.times, self.deadlines, self.writes) = (times, deadlines, writes)
    }
}

/// What requests of a replay found.
package struct PolicyAnswers {
    package var hits = 0
    /// Lookups that found an entry whose lifetime was over; they are misses.
    package var expirations = 0
}

private func loop<Policy: TablePolicy & ~Copyable>(
    over policy: consuming Policy, _ admission: (any AdmissionPolicy)?
) -> PolicyLoop {
    var policy: Policy? = policy
    var deadlines: [UInt64] = []
    return { requests, isHit in
        // As a local variable its fields stay in registers, while those of a captured one would be read again after
        // each write to memory.
        guard var own = policy.take() else { return PolicyAnswers() }
        let weights = requests.weights
        precondition(isHit.count >= requests.objects.count)
        precondition(weights.count == 1 || weights.count >= requests.objects.count)
        var answers = PolicyAnswers()
        if let lifetimes = requests.lifetimes {
            answers = own.replay(requests, lifetimes, &deadlines, admission, &isHit)
        } else {
            answers.hits = requests.objects.withUnsafeBufferPointer { objects in
                weights.withUnsafeBufferPointer { weights in
                    isHit.withUnsafeMutableBufferPointer {
                        own.replay(objects, weights, requests.removals, requests.replacements, admission, $0)
                    }
                }
            }
        }
        policy = consume own
        return answers
    }
}

extension TablePolicy where Self: ~Copyable {
    /// The one loop over the requests of a replay: a lookup, and on a miss an insert, if the admission allows it. An object
    /// keeps the weight with which it was admitted, until a request replaces it. For the parameters see ``PolicyRequests``.
    @inline(__always)
    mutating func replay(
        _ objects: UnsafeBufferPointer<ObjectID>, _ weights: UnsafeBufferPointer<UInt64>, _ removals: [Bool],
        _ replacements: [Bool], _ admission: (any AdmissionPolicy)?, _ isHit: UnsafeMutableBufferPointer<Bool>
    ) -> Int {
        if objects.isEmpty { return 0 }
        let isUniform = weights.count == 1 || budget.countsEntries
        var charge = budget.charge(weights[0])
        // Where entries are counted, no weight matters.
        let replaced = budget.countsEntries ? [] : replacements
        var (start, hits) = (0, 0)
        // The request whose object is known not to be resident, so that nothing is replaced.
        var passed = -1
        while start < objects.count {
            let stop =
                removals.isEmpty && replaced.isEmpty ? nil : Self.stop(removals, replaced, from: start, passed: passed)
            let end = stop ?? objects.count
            // The first request that the admission was not told of. What follows up to the next miss are hits.
            var untold = start
            var index = start
            while index < end {
                let entry = residentEntry(of: objects[index])
                isHit[index] = entry != 0
                if entry != 0 {
                    use(entry)
                    hits &+= 1
                } else {
                    if !isUniform { charge = budget.charge(weights[index]) }
                    var isWanted = budget.canEverHold(charge)
                    if !Self.comparesNewObjects, let admission {
                        let hits = objects[untold..<index]
                        isWanted = apart { [charge] in $0.asks(admission, after: hits, objects[index], charge: charge) }
                        untold = index &+ 1
                    }
                    if isWanted {
                        var sink = NoEvictionSink()
                        _ = admit(objects[index], charge: charge, &sink)
                    } else {
                        apart { [charge] in $0.dismiss(objects[index], charge) }
                    }
                }
                index &+= 1
            }
            if !Self.comparesNewObjects, let admission { apart { $0.tell(admission, objects[untold..<end]) } }
            guard let stop else { break }
            if !removals.isEmpty, removals[stop] {
                apart { $0.remove(objects[stop]) }
                isHit[stop] = false
            } else if residentEntry(of: objects[stop]) != 0 {
                if !Self.comparesNewObjects, let admission { apart { $0.tell(admission, objects[stop..<stop + 1]) } }
                apart { _ = $0.insert(objects[stop], weight: weights[weights.count == 1 ? 0 : stop]) }
                isHit[stop] = true
                hits &+= 1
            } else {
                passed = stop
                start = stop
                continue
            }
            start = stop + 1
        }
        return hits
    }

    /// The loop of a replay in which entries expire: each request by itself. An entry has the deadline of the request that put
    /// it into the cache, or wrote it last; a lookup at its deadline or later is a miss, and puts the value in again.
    ///
    /// - Parameter kept: the deadline of each resident object, by its number.
    mutating func replay(
        _ requests: PolicyRequests, _ lifetimes: PolicyLifetimes, _ kept: inout [UInt64],
        _ admission: (any AdmissionPolicy)?, _ isHit: inout [Bool]
    ) -> PolicyAnswers {
        var answers = PolicyAnswers()
        let yes = [true]
        for index in requests.objects.indices {
            let object = Int(requests.objects[index])
            if object >= kept.count { kept.append(contentsOf: repeatElement(.max, count: object &- kept.count &+ 1)) }
            let removes = !requests.removals.isEmpty && requests.removals[index]
            if !removes {
                var isResident = residentEntry(of: requests.objects[index]) != 0
                if isResident, kept[object] <= lifetimes.times[index] {
                    remove(requests.objects[index])
                    isResident = false
                    answers.expirations += 1
                }
                let writes = !lifetimes.writes.isEmpty && lifetimes.writes[index]
                if !isResident || writes { kept[object] = lifetimes.deadlines[index] }
            }
            let replaces = !requests.replacements.isEmpty && requests.replacements[index]
            let place = requests.weights.count == 1 ? 0 : index
            answers.hits += withUnsafePointer(to: requests.objects[index]) { object in
                withUnsafePointer(to: requests.weights[place]) { weight in
                    withUnsafeMutablePointer(to: &isHit[index]) {
                        replay(
                            UnsafeBufferPointer(start: object, count: 1), UnsafeBufferPointer(start: weight, count: 1),
                            removes ? yes : [], replaces ? yes : [], admission,
                            UnsafeMutableBufferPointer(start: $0, count: 1))
                    }
                }
            }
        }
        return answers
    }

    /// The next request that removes its object or replaces its weight; `nil` when none does.
    private static func stop(_ removals: [Bool], _ replacements: [Bool], from start: Int, passed: Int) -> Int? {
        let count = max(removals.count, replacements.count)
        var index = start
        while index < count {
            if !removals.isEmpty, removals[index] { return index }
            if !replacements.isEmpty, replacements[index], index != passed { return index }
            index += 1
        }
        return nil
    }

    /// Does what is rare with the policy in another place, so that in the loop its fields stay in registers.
    @inline(__always)
    private mutating func apart<Answer>(_ body: (inout Self) -> Answer) -> Answer {
        var moved = consume self
        let answer = body(&moved)
        self = consume moved
        return answer
    }
}
