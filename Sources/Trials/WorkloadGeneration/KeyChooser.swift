import Synchronization
public import TrialModel

/// What the clients of a phase count together, because they do not keep step: with a count of its own, a client that
/// is ahead would have other popular keys than the others. A phase of one client needs none.
///
/// Nothing else is shared between clients, so they add to it as seldom as possible, and in relaxed order.
package final class KeyProgress: Sendable {
    /// The operations on a range of keys that shifts, or its writes where the newest key is the most popular.
    final class Count: Sendable {
        private let total = Atomic<UInt64>(0)

        /// Returns the sum.
        func add(_ count: UInt64) -> UInt64 { total.wrappingAdd(count, ordering: .relaxed).newValue }
    }

    /// One for each pool; one where there are none.
    fileprivate let counts: [Count]

    /// Creates the counts of one phase.
    package init(_ scenario: Scenario) { counts = (0..<max(scenario.pools.count, 1)).map { _ in Count() } }

    /// - Parameter pool: must be valid; 0 without pools.
    func count(ofPool pool: Int = 0) -> Unmanaged<Count> { .passUnretained(counts[pool]) }
}

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
    /// For latest: the writes of all clients; `nil` where the client counts for itself. Not retained, because
    /// reference counting would order the clients.
    private var writes: Unmanaged<KeyProgress.Count>?

    /// Creates a chooser for client number `client` of `clients`.
    ///
    /// - Parameter progress: what the clients count together, which must outlive the chooser; `nil` where the client
    ///   counts for itself.
    init(
        range: KeyRange, client: UInt64, clients: UInt64, random: RandomSource, progress: Unmanaged<KeyProgress.Count>?
    ) {
        let progress = clients > 1 ? progress : nil
        self.random = random
        first = range.first
        count = range.count
        stride = clients % range.count
        writes = progress
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
            ? RankShift(range.shift, count: range.count, clients: clients, progress: progress) : nil
    }

    /// From now on it counts for itself.
    mutating func detach() {
        writes = nil
        shift?.progress = nil
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
            place = writes.map { $0._withUnsafeGuaranteedRef { $0.add(1) &- 1 } % count } ?? (place &+ 1) % count
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

/// Shifts ranks over the keys while a phase runs.
///
/// Several clients add their operations to a common count in batches. All their batches together have at most an
/// eighth of the operations between two shifts, if that is not less than an operation for each client.
@usableFromInline
struct RankShift: Sendable {
    /// Operations of this client that aren't counted yet, and how many are counted at once.
    @usableFromInline var uncounted: UInt64 = 0
    @usableFromInline let batch: UInt64
    /// The operations of all clients; `nil` where the client counts for itself.
    var progress: Unmanaged<KeyProgress.Count>?
    /// The operations counted so far, when this client last counted.
    private var total: UInt64 = 0
    private let every: UInt64
    /// By how many keys the ranks have shifted so far, below the range's count.
    @usableFromInline var offset: UInt64 = 0
    private let by: UInt64
    private let count: UInt64

    /// `nil` when the ranks never shift.
    init?(_ shift: PopularityShift?, count: UInt64, clients: UInt64, progress: Unmanaged<KeyProgress.Count>?) {
        guard let shift, shift.every > 0, count > 0 else { return nil }
        every = UInt64(shift.every)
        batch = progress == nil ? every : min(max(every / 8 / clients, 1), 16)
        (self.progress, self.count) = (progress, count)
        let magnitude = UInt64(shift.by.magnitude) % count
        by = shift.by < 0 && magnitude > 0 ? count - magnitude : magnitude
        guard by > 0 else { return nil }
    }

    /// Counts an operation of this client.
    @inlinable
    @inline(__always)
    mutating func advance() {
        uncounted &+= 1
        if uncounted == batch { moveOn() }
    }

    @usableFromInline
    @inline(never)
    mutating func moveOn() {
        total = progress?._withUnsafeGuaranteedRef { $0.add(uncounted) } ?? total &+ uncounted
        uncounted = 0
        // Both factors are below 2^32, so nothing overflows.
        offset = total / every % count * by % count
    }
}
