import TimedStrategies
import TrialModel

/// What one client records in a phase with prefetches: which keys it named, cancelled and looked up.
///
/// What was prefetched for it is joined in afterwards, so that clients read nothing that others change.
struct PrefetchMetrics: Sendable {
    /// A lookup.
    struct Use: Sendable {
        var key: UInt32
        var outcome: Outcome
        var span: TimeSpan
    }

    /// The moment from which a key is wanted, or no longer wanted.
    struct Naming: Sendable {
        var key: UInt32
        var time: UInt64
        var isWanted: Bool
    }

    private(set) var uses: [Use] = []
    private(set) var namings: [Naming] = []
    private(set) var calls: UInt64 = 0
    private(set) var keysNamed: UInt64 = 0
    /// Whether records were left out because there were too many.
    private(set) var isFull = false
    private var random: RandomSource
    private var named: [UInt32] = []
    private var usesAtLastCall = 0

    private static let countMax = 1 << 20

    init(seed: UInt64, client: Int) {
        random = RandomSource(seed: seed, stream: 0x7072_6566, UInt64(max(client, 0)))
    }

    /// Its memory, in bytes.
    var footprintBytes: UInt64 {
        UInt64(uses.capacity * MemoryLayout<Use>.stride + namings.capacity * MemoryLayout<Naming>.stride)
    }

    /// Records a lookup.
    mutating func record(_ outcome: Outcome, _ span: TimeSpan, key: UInt32) {
        guard outcome != .done else { return }
        if uses.count < Self.countMax {
            uses.append(Use(key: key, outcome: outcome, span: span))
        } else {
            isFull = true
        }
    }

    /// Names the keys that come next, some of them wrongly, and cancels the previous ones that neither come nor have
    /// come.
    mutating func prefetch(_ coming: [UInt32], by prefetching: PhasePrefetching, of keyCount: UInt32) -> TimedAnswer {
        var next: [UInt32] = []
        for key in coming {
            let isRight = random.nextFraction() < prefetching.settings.accuracy
            let key = isRight ? key : UInt32(truncatingIfNeeded: random.next(below: UInt64(max(keyCount, 1))))
            if !next.contains(key) { next.append(key) }
        }
        let came = Set(uses[usesAtLastCall...].map(\.key))
        let stale = named.filter { !next.contains($0) && !came.contains($0) }
        let start = Nanoclock.now()
        if !stale.isEmpty { prefetching.calls.cancel(stale) }
        let called = Nanoclock.now()
        prefetching.calls.prefetch(next)
        let end = Nanoclock.now()
        note(stale, isWanted: false, at: called)
        note(next, isWanted: true, at: called)
        (named, usesAtLastCall) = (next, uses.count)
        calls &+= 1
        keysNamed &+= UInt64(next.count)
        return TimedAnswer(start, end, .done)
    }

    /// Cancels the keys that were named last.
    mutating func cancelAll(by calls: PrefetchCalls) {
        calls.cancel(named)
        note(named, isWanted: false, at: Nanoclock.now())
        named = []
    }

    private mutating func note(_ keys: [UInt32], isWanted: Bool, at time: UInt64) {
        guard namings.count + keys.count <= Self.countMax else { return isFull = true }
        namings += keys.map { Naming(key: $0, time: time, isWanted: isWanted) }
    }

    /// How often one of the most recent keys was looked up again, and how often it was gone.
    ///
    /// - Parameter visible: how many different keys count as recent.
    func visibleAgain(among visible: Int) -> (count: UInt64, lost: UInt64) {
        var last: [UInt32] = []
        var (count, lost): (UInt64, UInt64) = (0, 0)
        for use in uses {
            if let place = last.lastIndex(of: use.key) {
                count += 1
                if use.outcome != .hit { lost += 1 }
                last.remove(at: place)
            } else if last.count == visible {
                last.removeFirst()
            }
            last.append(use.key)
        }
        return (count, lost)
    }
}
