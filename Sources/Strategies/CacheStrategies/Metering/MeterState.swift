import EvictionPolicies
import Platform

/// What a meter has learned: the miniature caches and the history. Under the meter's lock.
struct MeterState {
    let capacity: MeterCapacity
    private let miniatures: [MiniatureCache]
    private(set) var history = MeterHistory()
    private var keys = KeyCount()
    private(set) var probes = MeterProbes()
    /// The share of the keys that is sampled, above 0 and up to 1.
    private(set) var keyShare: Double
    /// Sampled keys whose insert may follow a miss.
    private var missed: Set<UInt64> = []
    /// The lookups of each cell that are counted.
    private var seenCounts: [UInt: UInt64] = [:]
    private var events: [MeterEvent] = []
    private var requests: [MiniatureRequest] = []
    /// What was counted since it was last added to the history, in requests of the sample.
    private var sampled: [UInt32]
    private var misses: [UInt32]
    private var lookups: UInt64 = 0
    private var span: (start: UInt64, end: UInt64)?

    /// The entries of the miniature of the real cache's size.
    static var entryCount: Int { 512 }
    /// The sizes that are tried, as multiples of the real cache's; neighbours differ by 5/3.
    static let multiples = [0.07776, 0.1296, 0.216, 0.36, 0.6, 1, 5.0 / 3, 25.0 / 9]
    /// The index of the real cache's size among them.
    static let realSize = 5
    private static var minuteNanoseconds: UInt64 { 60_000_000_000 }
    private static var missedCountMax: Int { 4096 }
    /// When the sample has too many entries, it keeps this share of its keys.
    private static var thinning: Double { 0.75 }

    init(capacity: MeterCapacity) {
        self.capacity = capacity
        keyShare =
            switch capacity {
            case .entries(let count): min(1, Double(Self.entryCount) / Double(max(1, count)))
            // The number of entries is not known yet.
            case .bytes: 1
            }
        let share = keyShare
        miniatures = MiniaturePolicy.all.flatMap { policy in
            Self.multiples.map { multiple in
                let (entries, cost) = capacity.limits(multiple: multiple, share: share)
                return policy.make(entries, cost)
            }
        }
        sampled = Array(repeating: 0, count: MeterCounts.groupCount)
        misses = Array(repeating: 0, count: MeterCounts.groupCount * miniatures.count)
    }

    /// Keys with a greater hash are not sampled.
    var lastHash: UInt64 { Self.lastHash(keyShare) }

    static func lastHash(_ share: Double) -> UInt64 { share < 1 ? UInt64(share * 0x1p63) * 2 : .max }

    /// The index of the miniature with LRU and the real cache's size.
    static var realIndex: Int { multiples.count + realSize }

    /// Digests what all threads told. O(events · miniatures).
    mutating func digest(_ cells: MeterCells) {
        events.removeAll(keepingCapacity: true)
        var tails: UInt64 = 0
        var cellCount = 0
        cells.shared.forEachCell { cell in
            let first = events.count
            let seen = cell.pointee.take(into: &events)
            if events.count > first { cellCount += 1 }
            let address = UInt(bitPattern: cell)
            var counted = seenCounts[address, default: 0]
            for index in first..<events.count {
                let own: UInt64 = events[index].kind == .insert ? 0 : 1
                let count = max(counted, events[index].seenCount + own)
                events[index].seenCount = count - counted
                counted = count
            }
            // Lookups up to the last event at least, and up to now where that is known.
            let end = max(counted, seen ?? counted)
            tails += end - counted
            seenCounts[address] = end
        }
        // Threads tell in their own order each.
        if cellCount > 1 { events.sort { $0.nanoseconds < $1.nanoseconds } }
        for event in events {
            // A count has one time, so that hours between two digests are not one count.
            if let span, event.nanoseconds >= span.start &+ Self.minuteNanoseconds {
                replay()
                addToHistory()
                self.span = nil
            }
            lookups += event.seenCount
            span = (span?.start ?? event.nanoseconds, event.nanoseconds)
            if event.kind == .probe {
                probes.add(event.hash)
            } else if event.hash <= lastHash {
                take(event)
            }
        }
        lookups += tails
        replay()
        // Adding costs as much as some hundred requests.
        if Double(lookups) >= history.periodLength / 8 || spanNanoseconds >= Self.minuteNanoseconds { addToHistory() }
        while case .bytes = capacity, miniatures[Self.realIndex].count > Self.entryCount { thin() }
    }

    private mutating func take(_ event: MeterEvent) {
        let kind: MiniatureRequest.Kind
        switch event.kind {
        case .lookup:
            kind = .lookup
            missed.remove(event.hash)
        case .miss:
            kind = .miss
            if missed.count >= Self.missedCountMax { missed = [] }
            missed.insert(event.hash)
        case .probe: return
        case .insert: kind = missed.remove(event.hash) == nil ? .insert : .fill
        }
        if event.kind != .insert { sampled[MeterCounts.group(event.hash)] += 1 }
        keys.add(event.hash)
        requests.append(MiniatureRequest(hash: event.hash, cost: max(0, event.cost), kind: kind))
    }

    private mutating func replay() {
        for (index, miniature) in miniatures.enumerated() {
            miniature.replay(requests, misses: &misses, at: index * MeterCounts.groupCount)
        }
        requests.removeAll(keepingCapacity: true)
    }

    /// The time since what was counted was last added to the history.
    private var spanNanoseconds: UInt64 { span.map { $0.end &- $0.start } ?? 0 }

    /// Adds what was counted since the last time. O(miniatures).
    mutating func addToHistory() {
        guard lookups > 0 else { return }
        var counts = MeterCounts(miniatureCount: miniatures.count)
        let weight = 1 / keyShare
        counts.lookups = Double(lookups)
        counts.sampled = sampled.map { Double($0) * weight }
        counts.misses = misses.map { Double($0) * weight }
        counts.keys = keys.estimate(lastHash: lastHash, share: keyShare)
        let now = Nanoclock.now()
        (counts.startNanoseconds, counts.endNanoseconds) = span ?? (now, now)
        history.add(counts)
        for index in sampled.indices { sampled[index] = 0 }
        for index in misses.indices { misses[index] = 0 }
        (lookups, span) = (0, nil)
    }

    /// Samples fewer keys (SHARDS of fixed size: C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad, FAST 2015). O(entries).
    private mutating func thin() {
        // Requests before count as many as they were sampled from.
        addToHistory()
        keyShare *= Self.thinning
        for (index, miniature) in miniatures.enumerated() {
            let multiple = Self.multiples[index % Self.multiples.count]
            let (entries, cost) = capacity.limits(multiple: multiple, share: keyShare)
            miniature.shrink(entryLimit: entries, costLimit: cost, lastHash: lastHash)
        }
    }

    /// The mean cost of an entry, from the largest LRU cache; 1 for entries.
    var meanCost: Double {
        guard case .bytes = capacity else { return 1 }
        let largest = miniatures[2 * Self.multiples.count - 1]
        return Double(largest.cost) / Double(max(1, largest.count))
    }

    /// The entries of the miniature of the real cache's size, and as many as it may have.
    var entryCount: Double {
        switch capacity {
        case .entries(let count): Double(count) * keyShare
        case .bytes: Double(miniatures[Self.realIndex].count)
        }
    }
}
