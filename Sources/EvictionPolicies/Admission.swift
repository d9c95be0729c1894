/// Decides whether a new object may enter a cache, in front of a policy that decides which one leaves; for replays.
@usableFromInline
package protocol AdmissionPolicy: ~Copyable {
    /// Its name, source and parameters.
    static var declaration: PolicyDeclaration { get }

    /// Whether it compares a new object with the one that would be evicted for it.
    var comparesWithVictim: Bool { get }

    /// Whether it refuses objects by their size, and so even while there is room for them.
    var refusesBySize: Bool { get }

    /// Creates an admission that has seen nothing.
    init(capacity: PolicyCapacity, settings: PolicySettings)

    /// Receives a request for a resident object.
    mutating func use(_ object: ObjectID, charge: UInt32)

    /// Receives a request for an object that is not resident, and says whether it should be admitted.
    ///
    /// - Parameters:
    ///   - victim: the object that would be evicted first; `nil` while there is room, or where it isn't compared.
    ///   - residents: the number of resident objects.
    mutating func admits(_ object: ObjectID, charge: UInt32, over victim: ObjectID?, residents: Int) -> Bool

    /// Forgets everything that was seen.
    mutating func removeAll()
}

/// A policy that new objects enter only by permission of an admission.
///
/// A request that misses asks the admission first; an object that it refuses is not inserted, and the policy does not
/// learn of the request: where the object is a ghost, it stays one. Nothing is refused while the cache has room, except
/// by size. A resident object that gets another weight is not asked about, and an object heavier than the capacity is
/// left to the policy. Where one heavy object needs several evictions, only the first victim is compared with it.
///
/// Not for a policy that compares new objects with resident ones itself: see
/// ``TablePolicy/comparesNewObjects``.
@usableFromInline
package struct Admitted<Admission: AdmissionPolicy & ~Copyable, Policy: TablePolicy & ~Copyable>: EvictionPolicy,
    ~Copyable
{
    @usableFromInline
    var admission: Admission
    @usableFromInline
    package var policy: Policy
    /// Whether a refusal also counts while there is room.
    @usableFromInline
    package var refusesWithRoom: Bool

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        self.init(
            Admission(capacity: capacity, settings: settings), Policy(capacity: capacity, settings: settings))
    }

    /// An admission in front of a policy, both empty and of one capacity.
    @inlinable
    package init(_ admission: consuming Admission, _ policy: consuming Policy) {
        precondition(!Policy.comparesNewObjects, "the policy compares new objects itself")
        refusesWithRoom = admission.refusesBySize
        self.admission = admission
        self.policy = policy
    }

    @inlinable
    @inline(__always)
    package mutating func request(_ object: ObjectID, weight: UInt32) -> Bool {
        if lookup(object) { return true }
        var sink = NoEvictionSink()
        _ = insertNew(object, weight: weight, &sink)
        return false
    }

    @inlinable
    @inline(__always)
    package mutating func lookup(_ object: ObjectID) -> Bool {
        let entry = policy.residentEntry(of: object)
        guard entry != 0 else { return false }
        admission.use(object, charge: policy.table.charge(entry))
        policy.use(entry)
        return true
    }

    @inlinable
    package mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool {
        let entry = policy.residentEntry(of: object)
        guard entry != 0 else { return insertNew(object, weight: weight, &sink) }
        admission.use(object, charge: policy.table.charge(entry))
        return policy.insert(object, weight: weight, &sink)
    }

    /// Admits or refuses an object that is not resident.
    @inlinable
    mutating func insertNew<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool {
        let charge = policy.budget.charge(weight)
        guard policy.budget.canEverHold(charge) else { return policy.insert(object, weight: weight, &sink) }
        let hasRoom = policy.budget.fits(charge)
        let victim = admission.comparesWithVictim && !hasRoom ? policy.upcomingVictim() : nil
        let isWanted = admission.admits(object, charge: charge, over: victim, residents: policy.budget.count)
        if isWanted || (hasRoom && !refusesWithRoom) { return policy.insert(object, weight: weight, &sink) }
        let isKnown = policy.table.entry(of: object) != 0
        policy.tellForgotten(&sink)
        if !isKnown { sink.forgotten(object) }
        return false
    }

    @inlinable
    package mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        policy.remove(object, &sink)
    }

    @inlinable
    package mutating func removeAll() {
        admission.removeAll()
        policy.removeAll()
    }

    @inlinable
    package func contains(_ object: ObjectID) -> Bool { policy.contains(object) }

    @inlinable
    package var count: Int { policy.count }

    @inlinable
    package var weight: UInt64 { policy.weight }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) { try policy.checkInvariants() }
}

extension Admitted where Admission: ~Copyable, Policy: ~Copyable {
    /// Of both: the parameters of the two have different names.
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        let (admission, policy) = (Admission.declaration, Policy.declaration)
        return PolicyDeclaration(
            name: "\(admission.name)+\(policy.name)", summary: "\(admission.summary); \(policy.summary)",
            source: "\(admission.source); \(policy.source)",
            agreement: "admission: \(admission.agreement); eviction: \(policy.agreement)",
            advice: "\(admission.advice) \(policy.advice)", parameters: admission.parameters + policy.parameters)
    }
}
