import Foundation
import Locks
import Origins
import Platform
import TimedStrategies
import TrialModel

/// The prefetches of a phase's clients, and the log of their fetches.
struct PhasePrefetching: Sendable {
    let settings: Prefetching
    let calls: PrefetchCalls
    /// Whether the strategy implements prefetching itself.
    let isOwn: Bool
    /// `nil` under race detection, where only the strategy may create happens-before edges between callers.
    let log: PrefetchLog?

    /// How long cancelled fetches may take to end.
    private static let patience = Duration.seconds(2)

    init(_ settings: Prefetching, of strategy: OpenStrategy, from origin: any PayloadSource, isBare: Bool) {
        self.settings = settings
        isOwn = strategy.ownPrefetch != nil
        let log = isBare ? nil : PrefetchLog()
        self.log = log
        calls = strategy.prefetching(
            from: log.map { PrefetchSource(source: origin, log: $0) } ?? origin, onEnd: log?.endLoad)
    }

    /// The phase has ended: cancels the prefetches that the clients named last, and waits until no fetch is in flight.
    func finish(_ clientMetrics: inout [ClientMetrics]) async {
        for index in clientMetrics.indices { clientMetrics[index].end() }
        await calls.end()
        let limit = ContinuousClock.now + Self.patience
        // A cache that doesn't cancel begins its next fetch when one has ended: a while without a fetch means that it
        // is done.
        var quietLooks = 0
        while quietLooks < 3, ContinuousClock.now < limit {
            quietLooks = log?.isAnyInFlight == true ? 0 : quietLooks + 1
            try? await Task.sleep(for: .milliseconds(2))
        }
        if isOwn { log?.endUnansweredLoads() }
    }
}

/// The fetches that prefetches of a phase began, in order. It takes a lock for each fetch; the fetch itself takes a
/// thousand times as long.
final class PrefetchLog: Sendable {
    /// How a fetch ended.
    enum Ending: Sendable {
        case inFlight, answered, cancelled, failed
    }

    /// A fetch for which no caller waited when it began.
    struct Fetch: Sendable {
        var key: UInt32
        var began: UInt64
        var ended: UInt64 = .max
        /// When the prefetch's load had ended, as far as known; until then a caller may join it and get the fetch's
        /// result.
        var loadEnded: UInt64 = 0
        var ending = Ending.inFlight
        var byteCount: UInt64 = 0
    }

    private let state = Locked<[Fetch]>([])

    /// All fetches so far.
    var fetches: [Fetch] { state.withLock { $0 } }

    var isAnyInFlight: Bool { state.withLock { $0.contains { $0.ending == .inFlight } } }

    fileprivate func begin(_ key: UInt32) -> Int {
        state.withLock { fetches in
            fetches.append(Fetch(key: key, began: Nanoclock.now()))
            return fetches.count - 1
        }
    }

    fileprivate func end(_ index: Int, _ ending: Ending, byteCount: Int = 0) {
        let now = Nanoclock.now()
        state.withLock { fetches in
            fetches[index].ended = now
            fetches[index].ending = ending
            fetches[index].byteCount = UInt64(max(0, byteCount))
        }
    }

    /// Notes the end of a load for the fetches of its key that began meanwhile. O(fetches that began meanwhile).
    fileprivate func endLoad(_ key: UInt32, _ span: TimeSpan) {
        state.withLock { fetches in
            for index in fetches.indices.reversed() {
                guard fetches[index].began >= span.start else { break }
                if fetches[index].key == key { fetches[index].loadEnded = span.end }
            }
        }
    }

    /// Notes for all fetches without an answer that their loads have ended by now. A cache with its own prefetch does
    /// not say when they did. O(fetches).
    fileprivate func endUnansweredLoads() {
        let now = Nanoclock.now()
        state.withLock { fetches in
            for index in fetches.indices where fetches[index].ending != .answered { fetches[index].loadEnded = now }
        }
    }
}

/// An origin that logs what is prefetched from it.
struct PrefetchSource: PayloadSource {
    let source: any PayloadSource
    let log: PrefetchLog

    func fetch(_ key: UInt64) async throws -> Data {
        // A fetch that was cancelled before it began does not count.
        try Task.checkCancellation()
        let index = log.begin(UInt32(clamping: key))
        do {
            let data = try await source.fetch(key)
            log.end(index, .answered, byteCount: data.count)
            return data
        } catch {
            log.end(index, error is CancellationError ? .cancelled : .failed)
            throw error
        }
    }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let index = log.begin(UInt32(clamping: key))
        do {
            let data = try source.fetchBlocking(key, deadline: deadline)
            log.end(index, .answered, byteCount: data.count)
            return data
        } catch {
            log.end(index, error is CancellationError ? .cancelled : .failed)
            throw error
        }
    }
}

/// What one client records in a phase with prefetches: which keys it named, cancelled and looked up.
///
/// What was prefetched for it is joined in afterwards, so that clients read nothing that others change.
struct PrefetchMetrics: Instrument {
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
    private let prefetching: PhasePrefetching
    private let keyCount: UInt64
    private var random: RandomSource
    private var named: [UInt32] = []
    private var usesAtLastCall = 0
    /// The records of the clients that were merged into this one's.
    private var others: [PrefetchMetrics] = []

    private static let countMax = 1 << 20

    init(_ prefetching: PhasePrefetching, seed: UInt64, client: Int, keyCount: Int) {
        self.prefetching = prefetching
        self.keyCount = UInt64(max(keyCount, 1))
        random = RandomSource(seed: seed, stream: 0x7072_6566, UInt64(max(client, 0)))
    }

    /// Its memory, in bytes.
    var footprintBytes: UInt64 {
        UInt64(uses.capacity * MemoryLayout<Use>.stride + namings.capacity * MemoryLayout<Naming>.stride)
    }

    /// Records a lookup.
    mutating func record(_ ended: EndedOperation) {
        guard ended.outcome != .done else { return }
        if uses.count < Self.countMax {
            uses.append(Use(key: ended.key, outcome: ended.outcome, span: ended.span))
        } else {
            isFull = true
        }
    }

    /// Names the keys that come next, some of them wrongly, and cancels the previous ones that neither come nor have
    /// come.
    mutating func prefetch(_ coming: [UInt32]) -> TimedAnswer? {
        var next: [UInt32] = []
        for key in coming {
            let isRight = random.nextFraction() < prefetching.settings.accuracy
            let key = isRight ? key : UInt32(truncatingIfNeeded: random.next(below: keyCount))
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
    mutating func end() {
        prefetching.calls.cancel(named)
        note(named, isWanted: false, at: Nanoclock.now())
        named = []
    }

    mutating func merge(_ other: PrefetchMetrics) { others.append(other) }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        guard !phase.phase.warmUp else { return }
        let summary = PrefetchSummary(
            settings: prefetching.settings, isOwn: prefetching.isOwn, fetches: prefetching.log?.fetches ?? [],
            clientMetrics: [self] + others)
        result.prefetch = summary.row(key: phase.key)
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

/// The row of a phase with prefetches: the fate of each fetch, from the records of the clients and the log of fetches.
struct PrefetchSummary {
    let settings: Prefetching
    let isOwn: Bool
    let fetches: [PrefetchLog.Fetch]
    let clientMetrics: [PrefetchMetrics]

    func row(key: RowKey) -> PrefetchRow {
        var row = PrefetchRow(key: key)
        row.isOwn = isOwn
        row.calls = clientMetrics.reduce(0) { $0 &+ $1.calls }
        row.keysNamed = clientMetrics.reduce(0) { $0 &+ $1.keysNamed }
        row.requests = UInt64(fetches.count)
        row.cancelled = count { $0.ending == .cancelled }
        row.failed = count { $0.ending == .failed }
        for metrics in clientMetrics {
            let (again, lost) = metrics.visibleAgain(among: settings.visible)
            row.visibleAgain &+= again
            row.visibleLost &+= lost
        }
        guard !clientMetrics.contains(where: \.isFull) else { return row }
        var ends = PrefetchEnds()
        let fetches = Dictionary(grouping: fetches, by: \.key)
        let uses = Dictionary(grouping: clientMetrics.flatMap(\.uses).filter { fetches[$0.key] != nil }, by: \.key)
        let namings = namings(of: Set(fetches.keys))
        for (key, fetches) in fetches {
            ends.add(fetches, uses[key, default: []].sorted { $0.span.end < $1.span.end })
            ends.late &+= Self.late(fetches, namings[key, default: []])
        }
        row.note(ends)
        return row
    }

    private func count(_ belongs: (PrefetchLog.Fetch) -> Bool) -> UInt64 { UInt64(fetches.count(where: belongs)) }

    /// Which client wanted a key from when to when, in the order of time.
    private func namings(of keys: Set<UInt32>) -> [UInt32: [(client: Int, naming: PrefetchMetrics.Naming)]] {
        var namings: [UInt32: [(client: Int, naming: PrefetchMetrics.Naming)]] = [:]
        for (client, metrics) in clientMetrics.enumerated() {
            for naming in metrics.namings where keys.contains(naming.key) {
                namings[naming.key, default: []].append((client, naming))
            }
        }
        return namings.mapValues { $0.sorted { $0.naming.time < $1.naming.time } }
    }

    /// Fetches that began when no client wanted the key any more, and that were not cancelled at once.
    static func late(
        _ fetches: [PrefetchLog.Fetch], _ namings: [(client: Int, naming: PrefetchMetrics.Naming)]
    ) -> UInt64 {
        UInt64(
            fetches.count { fetch in
                guard fetch.ending != .cancelled else { return false }
                var wanting: Set<Int> = []
                for (client, naming) in namings {
                    // A key may be fetched before its client has recorded that it named it.
                    guard naming.time <= fetch.began else { break }
                    if naming.isWanted { wanting.insert(client) } else { wanting.remove(client) }
                }
                return wanting.isEmpty && namings.contains { $0.naming.time <= fetch.began && !$0.naming.isWanted }
            })
    }
}

extension PrefetchEnds {
    /// Counts the fate of the fetches of one key.
    ///
    /// A fetch belongs to the first lookup that ends after it began, unless the key was fetched again before that.
    ///
    /// - Parameters:
    ///   - fetches: in the order in which they began.
    ///   - uses: the lookups of the same key, in the order in which they ended.
    mutating func add(_ fetches: [PrefetchLog.Fetch], _ uses: [PrefetchMetrics.Use]) {
        for (index, fetch) in fetches.enumerated() where fetch.ending == .answered {
            let next = index + 1 < fetches.count ? fetches[index + 1].began : .max
            let use = uses.first { $0.span.end > fetch.began && $0.outcome != .failed && $0.outcome != .cancelled }
            guard let use, use.span.start < next else {
                // Either no client looked it up, or it was evicted before the first lookup.
                if next < .max { evicted &+= 1 } else { unused &+= 1 }
                wastedBytes &+= fetch.byteCount
                continue
            }
            let isInFlight = use.span.start < fetch.ended
            switch use.outcome {
            case .joined where isInFlight: joined &+= 1
            case .hit, .joined: used &+= 1
            default:
                if isInFlight { overtaken &+= 1 } else { evicted &+= 1 }
                wastedBytes &+= fetch.byteCount
            }
        }
    }
}
