/// What ``WindowedFIFO`` policies differ in.
@usableFromInline
package protocol WindowedFIFORules {
    static var declaration: PolicyDeclaration { get }
    /// The shares of the capacity of the small queue and of the ghosts.
    static var small: PolicyParameter { get }
    static var ghosts: PolicyParameter { get }
    /// The newest part of the small queue, in which uses don't count.
    static var window: PolicyParameter { get }
    /// The number of uses after which an object moves to the main queue.
    static var uses: PolicyParameter { get }
    /// The number of misses on an object's ghost that lead to the small queue once more.
    static var retries: PolicyParameter { get }
    /// The number of rounds that an object of the main queue can earn.
    static var roundsMax: UInt8 { get }
    /// Whether a fraction of an entry counts as part of the window.
    static var roundsWindowUp: Bool { get }
}

/// S3-FIFO with a window: uses of an object count only when enough others have entered the small queue after it. For
/// ``S4FIFO`` and ``Clock2QPlus``.
@usableFromInline
package struct WindowedFIFO<Rules: WindowedFIFORules, Entry: TableEntry>: SmallQueuePolicy, ~Copyable {
    /// The queue of an object, and its number of uses.
    @usableFromInline
    package struct Place: UsesNote {
        @usableFromInline
        package var queue: UInt8 = 0
        @usableFromInline
        package var uses: UInt8 = 0
        /// What a use adds: 0 in the window, else 1.
        @usableFromInline
        var step: UInt8 = 0
        /// The number of misses on its ghost.
        @usableFromInline
        var retries: UInt8 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 3)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    package let mainLimit: UInt64
    @usableFromInline
    package var mainUsed: UInt64 = 0
    @usableFromInline
    package var ghosts: GhostQueue
    @usableFromInline
    package var hasEvicted = false
    @usableFromInline
    package let usesToMove: UInt8
    @usableFromInline
    let retriesMax: UInt8
    /// The weight that must have entered the small queue after an object, so that its uses count.
    @usableFromInline
    let windowLimit: UInt64
    @usableFromInline
    var windowUsed: UInt64 = 0
    /// The oldest entry of the window, 0 when it is empty.
    @usableFromInline
    var windowEnd: UInt32 = 0

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        mainLimit = Self.mainLimit(of: budget, small: settings[Rules.small])
        ghosts = GhostQueue(queue: Self.ghost, limit: budget.share(settings[Rules.ghosts]))
        usesToMove = UInt8(settings.count(Rules.uses))
        retriesMax = UInt8(settings.count(Rules.retries))
        let window = Double(budget.limit - mainLimit) * settings[Rules.window]
        windowLimit = UInt64(window.rounded(Rules.roundsWindowUp ? .up : .down))
    }

    @inlinable
    package var fillsMain: Bool { @inline(__always) get { true } }

    @inlinable
    package var roundsMax: UInt8 { @inline(__always) get { Rules.roundsMax } }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        let note = table.notes[Int(entry)]
        table.notes[Int(entry)].uses = note.uses < 15 ? note.uses &+ note.step : 15
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        var retries: UInt8 = 0
        if old != 0 {
            retries = table.notes[Int(old)].retries &+ 1
            // The ghost is removed first, which makes room for the ghost of the object that is evicted now.
            ghosts.takeOut(old, of: &table)
        }
        while !budget.fits(charge) { evictNext(&sink) }
        let isMain = retries > retriesMax || isFillingMain
        let entry = table.add(object, charge: charge)
        enter(entry, charge: charge, main: isMain)
        if isMain {
            table.notes[Int(entry)].step = 1
        } else {
            table.notes[Int(entry)].retries = retries
            enterWindow(entry, charge: charge)
        }
        return true
    }

    /// Objects leave the window at its old end when enough has entered after them.
    @inlinable
    @inline(__always)
    mutating func enterWindow(_ entry: UInt32, charge: UInt64) {
        if windowEnd == 0 { windowEnd = entry }
        windowUsed &+= charge
        while windowEnd != 0, windowUsed &- table.charge(windowEnd) >= windowLimit {
            table.notes[Int(windowEnd)].step = 1
            windowUsed &-= table.charge(windowEnd)
            windowEnd = table.newer(windowEnd)
        }
    }

    @inlinable
    @inline(__always)
    package mutating func leaveSmall(_ entry: UInt32) {
        guard table.notes[Int(entry)].step == 0 else { return }
        table.notes[Int(entry)].step = 1
        windowUsed &-= table.charge(entry)
        if entry == windowEnd { windowEnd = table.newer(entry) }
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        let note = table.notes[Int(entry)]
        if note.queue == 1 { mainUsed = mainUsed &- old &+ charge }
        if note.step == 0 { windowUsed = windowUsed &- old &+ charge }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration { Rules.declaration }
}
