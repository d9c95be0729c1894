public import Synchronization

/// A request for a sampled key.
@usableFromInline
struct MeterEvent: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// A lookup whose value is in the cache afterwards.
        case lookup
        /// A lookup that missed; an insert of its key fills the cache.
        case miss
        case insert
        /// One lookup of some hundred, of any key, to see how much traffic the popular keys have.
        case probe
    }

    @usableFromInline
    let hash: UInt64
    @usableFromInline
    let nanoseconds: UInt64
    /// The lookups of the thread that the meter saw before this request; once it is taken out, those since the event before.
    @usableFromInline
    var seenCount: UInt64
    @usableFromInline
    let cost: Int
    @usableFromInline
    let kind: Kind

    @inlinable
    init(hash: UInt64, nanoseconds: UInt64, seenCount: UInt64, cost: Int, kind: Kind) {
        (self.hash, self.nanoseconds, self.seenCount) = (hash, nanoseconds, seenCount)
        (self.cost, self.kind) = (cost, kind)
    }
}

/// What one thread tells a meter: its count of lookups, and a ring of the requests for sampled keys. The thread writes,
/// and the holder of the meter's lock reads; neither waits for the other.
///
/// A request that finds the ring full begins a gap, which ends when the ring is empty. No request of a gap is counted, so
/// that what is counted is all that a thread did for a while.
@usableFromInline
struct MeterCell: ~Copyable {
    /// All lookups of the thread.
    @usableFromInline
    let lookups = Atomic<UInt64>(0)
    /// Lookups within gaps that have ended; the highest bit says that a gap is open.
    @usableFromInline
    let unseen = Atomic<UInt64>(0)
    /// The events that were added, and those that were taken out. A place in the ring is the remainder.
    @usableFromInline
    let added = Atomic<UInt64>(0)
    @usableFromInline
    let taken = Atomic<UInt64>(0)
    /// The lookups before the open gap. The thread alone uses it.
    @usableFromInline
    var gapStart: UInt64 = 0
    @usableFromInline
    let ring: UnsafeMutablePointer<MeterEvent>

    @inlinable
    static var capacity: UInt64 { 256 }
    @inlinable
    static var gapBit: UInt64 { 1 << 63 }

    init() { ring = .allocate(capacity: Int(Self.capacity)) }

    deinit { ring.deallocate() }

    /// Adds the thread's request. O(1).
    ///
    /// - Returns: whether the ring is half full now.
    @usableFromInline
    mutating func add(hash: UInt64, nanoseconds: UInt64, cost: Int, kind: MeterEvent.Kind) -> Bool {
        let (added, taken) = (added.load(ordering: .relaxed), taken.load(ordering: .acquiring))
        let count = lookups.load(ordering: .relaxed)
        var unseen = unseen.load(ordering: .relaxed)
        if unseen >= Self.gapBit {
            guard added == taken else { return false }
            unseen = (unseen & ~Self.gapBit) &+ (count &- gapStart)
            self.unseen.store(unseen, ordering: .releasing)
        } else if added &- taken == Self.capacity {
            gapStart = count
            self.unseen.store(unseen | Self.gapBit, ordering: .releasing)
            return false
        }
        (ring + Int(added % Self.capacity)).initialize(
            to: MeterEvent(
                hash: hash, nanoseconds: nanoseconds, seenCount: count &- unseen, cost: cost, kind: kind))
        self.added.store(added &+ 1, ordering: .releasing)
        return added &+ 1 &- taken == Self.capacity / 2
    }

    /// Takes out all events, in their order. The caller holds the meter's lock.
    ///
    /// - Returns: the lookups that the meter saw of this thread up to now; `nil` while that can't be told.
    func take(into events: inout [MeterEvent]) -> UInt64? {
        let (end, start) = (added.load(ordering: .acquiring), taken.load(ordering: .relaxed))
        var index = start
        while index != end {
            events.append(ring[Int(index % Self.capacity)])
            index &+= 1
        }
        // A request between these loads is counted with the next event.
        let before = unseen.load(ordering: .acquiring)
        let count = lookups.load(ordering: .acquiring)
        let isSame = unseen.load(ordering: .acquiring) == before && added.load(ordering: .acquiring) == end
        taken.store(end, ordering: .releasing)
        return isSame && before < Self.gapBit ? count &- before : nil
    }
}

/// What every lookup reads: which keys are sampled, and the cells of all threads, by the numbers of ``ReaderPlaces``.
@usableFromInline
struct MeterShared: @unchecked Sendable {
    // Sound although unchecked: everything behind the pointer is atomic, and a slot is set once; a cell is written to by the
    // one thread that has its number, and read by the holder of the meter's lock. ``MeterCells`` owns the memory.
    @usableFromInline
    let slots: UnsafeMutablePointer<Atomic<UInt>>

    /// The most threads at one time. What further ones do is not metered.
    @inlinable
    static var threadCountMax: Int { 1024 }
    /// Before the cells, and on cache lines of its own: it is written seldom, and read in every lookup.
    @inlinable
    static var headCount: Int { 32 }

    init() {
        slots = UnsafeMutableRawPointer.allocate(byteCount: 8 * (Self.headCount + Self.threadCountMax), alignment: 128)
            .bindMemory(to: Atomic<UInt>.self, capacity: Self.headCount + Self.threadCountMax)
        for place in 0..<Self.headCount + Self.threadCountMax { (slots + place).initialize(to: Atomic(0)) }
    }

    /// Keys with a greater hash are not sampled.
    @inlinable
    @inline(__always)
    var lastHash: UInt64 { UInt64(slots.pointee.load(ordering: .relaxed)) }

    func setLastHash(_ hash: UInt64) { slots.pointee.store(UInt(hash), ordering: .relaxed) }

    /// The calling thread's cell; `nil` where there are too many threads.
    @inlinable
    @inline(__always)
    var ownCell: UnsafeMutablePointer<MeterCell>? {
        let number = ReaderPlaces.ownNumber
        guard number < Self.threadCountMax else { return nil }
        let address = slots[Self.headCount &+ number].load(ordering: .acquiring)
        return UnsafeMutablePointer(bitPattern: address) ?? makeCell(number)
    }

    @usableFromInline
    @inline(never)
    func makeCell(_ number: Int) -> UnsafeMutablePointer<MeterCell> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        let cell = memory.bindMemory(to: MeterCell.self, capacity: 1)
        cell.initialize(to: MeterCell())
        slots[Self.headCount + number].store(UInt(bitPattern: memory), ordering: .releasing)
        return cell
    }

    /// Calls `body` with each cell.
    func forEachCell(_ body: (UnsafeMutablePointer<MeterCell>) -> Void) {
        for place in Self.headCount..<Self.headCount + Self.threadCountMax {
            if let cell = UnsafeMutablePointer<MeterCell>(bitPattern: slots[place].load(ordering: .acquiring)) {
                body(cell)
            }
        }
    }
}

/// The cells of all threads. They are made when they are needed, and freed with the meter.
@usableFromInline
final class MeterCells: Sendable {
    let shared = MeterShared()

    init() {}

    deinit {
        shared.forEachCell {
            $0.deinitialize(count: 1)
            $0.deallocate()
        }
        shared.slots.deinitialize(count: MeterShared.headCount + MeterShared.threadCountMax)
        shared.slots.deallocate()
    }

    /// The lookups of all threads, metered or not.
    var lookupCount: UInt64 {
        var count: UInt64 = 0
        shared.forEachCell { count &+= $0.pointee.lookups.load(ordering: .acquiring) }
        return count
    }

    /// Whether a ring is half full or more.
    var areHalfFull: Bool {
        var isHalfFull = false
        shared.forEachCell {
            let (added, taken) = (
                $0.pointee.added.load(ordering: .relaxed), $0.pointee.taken.load(ordering: .relaxed)
            )
            if added &- taken >= MeterCell.capacity / 2 { isHalfFull = true }
        }
        return isHalfFull
    }
}
