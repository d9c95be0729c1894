import TimedStrategies
import TrialModel

/// The row of a phase with prefetches: the fate of each fetch, from the records of the clients and the log of fetches.
struct PrefetchSummary {
    let settings: Prefetching
    let isOwn: Bool
    let fetches: [PrefetchLog.Fetch]
    let clientMetrics: [PrefetchMetrics]

    init(_ prefetching: PhasePrefetching, _ clientMetrics: [PrefetchMetrics]) {
        self.init(prefetching.settings, isOwn: prefetching.isOwn, prefetching.log?.fetches ?? [], clientMetrics)
    }

    init(_ settings: Prefetching, isOwn: Bool, _ fetches: [PrefetchLog.Fetch], _ clientMetrics: [PrefetchMetrics]) {
        self.settings = settings
        self.isOwn = isOwn
        self.fetches = fetches
        self.clientMetrics = clientMetrics
    }

    func row(key: RowKey) -> PrefetchRow {
        var row = PrefetchRow(key: key)
        row.isOwn = isOwn
        row.calls = clientMetrics.reduce(0) { $0 &+ $1.calls }
        row.keysNamed = clientMetrics.reduce(0) { $0 &+ $1.keysNamed }
        row.requests = UInt64(fetches.count)
        row.lowPriority = count { $0.isLow }
        row.raised = count { $0.isLow && $0.raised > 0 }
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
            case .joined where isInFlight:
                joined &+= 1
                let isRaised = !fetch.isLow || (fetch.raised > 0 && fetch.raised <= use.span.end)
                let waited = Nanoclock.elapsed(from: use.span.start, to: fetch.ended)
                // A caller that arrives as a fetch ends may join the load that follows it, and has nothing to raise.
                if !isRaised, waited >= PrefetchRow.shortestInversion { inversions &+= 1 }
            case .hit, .joined: used &+= 1
            default:
                if isInFlight { overtaken &+= 1 } else { evicted &+= 1 }
                wastedBytes &+= fetch.byteCount
            }
        }
    }
}
