/// Decides whether a new object may enter a cache, in front of a policy that decides which one leaves; for replays.
///
/// A request that misses asks the admission first; an object that it refuses is not inserted, and the policy does not
/// learn of the request: where the object is a ghost, it stays one. Nothing is refused while the cache has room, except
/// by size. An object heavier than the capacity is left to the policy. Where one heavy object needs several evictions,
/// only the first victim is compared with it.
///
/// Not for a policy that compares new objects with resident ones itself: see ``TablePolicy/comparesNewObjects``.
package protocol AdmissionPolicy: AnyObject, SendableMetatype {
    /// Its name, source and parameters.
    static var declaration: PolicyDeclaration { get }

    /// Whether it compares a new object with the one that would be evicted for it.
    var comparesWithVictim: Bool { get }

    /// Whether it refuses objects by their size, and so even while there is room for them.
    var refusesBySize: Bool { get }

    /// Creates an admission that has seen nothing.
    init(capacity: PolicyCapacity, settings: PolicySettings)

    /// Receives a request for a resident object.
    func use(_ object: ObjectID, charge: UInt64)

    /// Receives a request for an object that is not resident, and says whether it should be admitted.
    ///
    /// - Parameters:
    ///   - victim: the object that would be evicted first; `nil` while there is room, or where it isn't compared.
    ///   - residents: the number of resident objects.
    func admits(_ object: ObjectID, charge: UInt64, over victim: ObjectID?, residents: Int) -> Bool
}

extension TablePolicy where Self: ~Copyable {
    /// Tells an admission of objects whose requests hit.
    @inline(never)
    func tell(_ admission: any AdmissionPolicy, _ hits: Slice<UnsafeBufferPointer<ObjectID>>) {
        for object in hits { admission.use(object, charge: table.charge(residentEntry(of: object))) }
    }

    /// Whether an admission lets an object in that is not resident. It is told of the hits before.
    @inline(never)
    mutating func asks(
        _ admission: any AdmissionPolicy, after hits: Slice<UnsafeBufferPointer<ObjectID>>, _ object: ObjectID,
        charge: UInt64
    ) -> Bool {
        tell(admission, hits)
        guard budget.canEverHold(charge) else { return false }
        let hasRoom = budget.fits(charge)
        let victim = admission.comparesWithVictim && !hasRoom ? upcomingVictim() : nil
        let isWanted = admission.admits(object, charge: charge, over: victim, residents: budget.count)
        return isWanted || (hasRoom && !admission.refusesBySize)
    }

    /// A request misses, and its object is not admitted.
    @inline(never)
    mutating func dismiss(_ object: ObjectID, _ charge: UInt64) {
        var sink = NoEvictionSink()
        // The history of an object that can't be held is useless.
        if budget.canEverHold(charge) { tellForgotten(&sink) } else { remove(object, &sink) }
    }
}
