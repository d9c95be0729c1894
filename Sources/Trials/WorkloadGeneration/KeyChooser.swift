public import TrialModel

/// Chooses the key of each operation of one client.
@usableFromInline
struct KeyChooser: Sendable {
    /// The method that finds a rank or a position in the range.
    @usableFromInline
    enum Method: Sendable {
        case uniform, zipf, hotspot, latest, sequential
    }

    @usableFromInline let method: Method
    @usableFromInline let first: UInt64
    @usableFromInline let count: UInt64
    @usableFromInline var random: RandomSource
    /// For zipf and latest.
    @usableFromInline let ranks: ZipfSampler
    /// For hotspot: a random word below this limit selects the hot keys, which are the first `hotCount`.
    @usableFromInline let hotCutoff: UInt64
    @usableFromInline let hotCount: UInt64
    /// For sequential the next position, for latest the newest one; both below `count`.
    @usableFromInline var place: UInt64
    /// For sequential: the step from this client's position to its next one, below `count`.
    @usableFromInline let stride: UInt64
    @usableFromInline var shift: RankShift?

    /// Creates a chooser for client number `client` of `clients`.
    init(range: KeyRange, client: UInt64, clients: UInt64, random: RandomSource) {
        self.random = random
        first = range.first
        count = range.count
        stride = clients % range.count
        var exponent: Double?
        var hot: (cutoff: UInt64, count: UInt64) = (0, 0)
        switch range.popularity {
        case .uniform:
            method = .uniform
            place = 0
        case .zipf(let givenExponent):
            method = .zipf
            exponent = givenExponent
            place = 0
        case .hotspot(let keys, let operations):
            method = .hotspot
            hot = Self.hotspot(keys: keys, operations: operations, of: range.count)
            place = 0
        case .latest(let givenExponent):
            method = .latest
            exponent = givenExponent
            place = range.count - 1
        case .sequential:
            method = .sequential
            place = client % range.count
        }
        ranks = exponent.map { ZipfSampler(count: range.count, exponent: $0) } ?? ZipfSampler(count: 1, exponent: 0)
        (hotCutoff, hotCount) = hot
        // Only zipf and hotspot have fixed keys for their ranks; other popularities move by themselves, or have no
        // popular keys.
        shift =
            method == .zipf || method == .hotspot
            ? RankShift(range.shift, count: range.count, clients: clients) : nil
    }

    /// The key of the next operation.
    @inlinable
    @inline(__always)
    mutating func next(for kind: OperationKind) -> UInt32 {
        var place: UInt64
        switch method {
        case .uniform: place = random.next(below: count)
        case .zipf: place = ranks.next(using: &random)
        case .hotspot: place = nextHotspot()
        case .latest: place = nextLatest(for: kind)
        case .sequential: place = self.place
        }
        // Inlined by hand: a separate method would retain and release the tables for every operation.
        if let offset = shift?.offset {
            place &+= offset
            if place >= count { place &-= count }
        }
        advance()
        return UInt32(truncatingIfNeeded: first &+ place)
    }

    /// Counts an operation without a key, because walks and shifts advance with operations of any kind.
    @inlinable
    @inline(__always)
    mutating func advance() {
        if method == .sequential {
            place &+= stride
            if place >= count { place &-= count }
        } else {
            shift?.advance()
        }
    }

    // Not inlined, so that the loop around the usual methods stays small enough to be compiled as one function.

    @usableFromInline
    @inline(never)
    mutating func nextHotspot() -> UInt64 {
        if random.next() < hotCutoff { return random.next(below: hotCount) }
        return hotCount &+ random.next(below: count &- hotCount)
    }

    @usableFromInline
    @inline(never)
    mutating func nextLatest(for kind: OperationKind) -> UInt64 {
        if case .write = kind {
            place &+= 1
            if place == count { place = 0 }
            return place
        }
        let rank = ranks.next(using: &random)
        return place >= rank ? place &- rank : place &+ count &- rank
    }

    /// At least one key is hot. When all keys are hot, or all operations go to hot keys, every draw selects a hot key.
    private static func hotspot(keys: Double, operations: Double, of count: UInt64) -> (UInt64, UInt64) {
        let share = min(max(keys.isNaN ? 0 : keys, 0), 1)
        // `count` is at most 2^32, so its conversion to `Double` and back is exact.
        let hotCount = min(max(UInt64((share * Double(count)).rounded()), 1), count)
        return (hotCount == count ? .max : Probability.cutoff(operations), hotCount)
    }
}

/// The keys of a phase, clamped to the scenario's keys: always in range, even for an invalid scenario.
struct KeyRange: Hashable, Sendable {
    /// The number of the first key.
    let first: UInt64
    /// How many keys there are, from 1 to 2^32.
    let count: UInt64
    let popularity: Popularity
    let shift: PopularityShift?

    /// Creates the range of a phase; values that the phase does not set come from the scenario.
    init(scenario keys: KeySpace, phase selection: KeySelection) {
        let total = min(max(keys.count, 1), 1 << 32)
        let start = min(max(selection.first, 0), total - 1)
        let available = total - start
        first = UInt64(start)
        count = UInt64(min(max(selection.count ?? available, 1), available))
        popularity = selection.popularity ?? keys.popularity
        shift = selection.shift ?? keys.shift
    }

    /// Creates the range of a pool.
    init(pool: KeyPool) {
        let start = min(max(pool.first, 0), (1 << 32) - 1)
        first = UInt64(start)
        count = UInt64(min(max(pool.count, 1), (1 << 32) - start))
        popularity = pool.popularity
        shift = pool.shift
    }
}

/// Shifts ranks over the keys while a phase runs. Each client counts for itself: with *n* clients, its *i*-th operation
/// counts as the (*i* × *n*)-th of the phase, so no counter is shared.
@usableFromInline
struct RankShift: Sendable {
    /// Operations of the phase since the last shift, and between two of them.
    @usableFromInline var progress: UInt64 = 0
    @usableFromInline let every: UInt64
    @usableFromInline let clients: UInt64
    /// By how many keys the ranks have shifted so far, below the range's count.
    @usableFromInline var offset: UInt64 = 0
    private let by: UInt64
    private let count: UInt64

    /// `nil` when the ranks never shift.
    init?(_ shift: PopularityShift?, count: UInt64, clients: UInt64) {
        guard let shift, shift.every > 0, count > 0 else { return nil }
        every = UInt64(shift.every)
        self.clients = clients
        self.count = count
        let magnitude = UInt64(shift.by.magnitude) % count
        by = shift.by < 0 && magnitude > 0 ? count - magnitude : magnitude
        guard by > 0 else { return nil }
    }

    /// Counts an operation of this client.
    @inlinable
    @inline(__always)
    mutating func advance() {
        progress &+= clients
        if progress >= every { moveOn() }
    }

    @usableFromInline
    @inline(never)
    mutating func moveOn() {
        let steps = progress / every % count
        progress %= every
        // Both factors and the offset are below 2^32, so nothing overflows.
        offset = (offset + steps * by) % count
    }
}
