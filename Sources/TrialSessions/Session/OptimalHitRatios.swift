import EvictionPolicies
import TrialModel
import WorkloadGeneration

/// The hit ratio that no cache of a scenario's capacity can exceed, phase by phase.
///
/// Belady's optimum over the operations of all phases, the clients taking turns: what goes is what is looked up next
/// the latest, and what is not worth a place is not kept at all. With one client nothing can hit more often. With
/// several the order of their operations is not known before, and a cache may be off by what the order changes.
///
/// The optimum fetches what is asked for. A cache that prefetches may hit more often, so phases with prefetches have none.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
struct OptimalHitRatios {
    /// By the name of the phase; none where nothing was looked up.
    private(set) var ratios: [String: Double] = [:]

    /// A history is held in memory, 16 bytes an operation.
    private static let operationLimit = 20_000_000

    /// One operation as the optimum sees it.
    private struct Event {
        enum Kind {
            /// A lookup, and on a miss nothing.
            case read
            /// A lookup, and on a miss an insert.
            case load
            /// An insert.
            case write
            /// Whatever ends what is cached.
            case removal
        }

        var kind: Kind
        var key: UInt32
        /// Who looks up: 1, or the callers of a burst.
        var lookups: UInt32
        /// The event that looks the key up next, with nothing in between that changes it; none is ``OptimalReplay/never``.
        var next = OptimalReplay.never
    }

    /// Computes the optimum; `nil` where there is none to be known: a phase ends by the clock, values differ in size and
    /// the capacity is in bytes, they live for a time only, the cache is reopened, the origin is offline, or there are too many operations.
    ///
    /// O(operations), about 100 ns each.
    init?(_ scenario: Scenario, trace: TraceWorkload?) {
        guard let entries = scenario.entryLimitOfAnyCache, !scenario.phases.contains(where: { $0.reopen || $0.offline })
        else {
            return nil
        }
        var total = 0
        for phase in scenario.phases {
            guard case .operations(let count) = phase.length, count <= Self.operationLimit - total else { return nil }
            total += count
        }
        var events: [Event] = []
        events.reserveCapacity(total)
        var ends: [Int] = []
        for index in scenario.phases.indices {
            Self.append(phase: index, of: scenario, trace: trace, to: &events)
            ends.append(events.count)
        }
        Self.linkLookups(&events, keyCount: scenario.keys.count)

        var optimum = OptimalReplay(entries: entries, requestCount: events.count, mayBypass: true)
        var start = 0
        for (phase, end) in zip(scenario.phases, ends) {
            var lookups: UInt64 = 0
            var misses: UInt64 = 0
            for event in events[start..<end] {
                switch event.kind {
                case .read:
                    lookups += 1
                    misses += optimum.lookup(next: event.next) ? 0 : 1
                case .load:
                    lookups += UInt64(event.lookups)
                    // Of the callers of a burst only the first one has to miss.
                    misses += optimum.request(next: event.next) ? 0 : 1
                case .write:
                    _ = optimum.request(next: event.next)
                case .removal:
                    optimum.pass()
                }
            }
            if lookups > 0, phase.mix[.prefetch] == 0 {
                ratios[phase.name] = Double(lookups - misses) / Double(lookups)
            }
            start = end
        }
    }

    /// The operations of a phase, its clients taking turns.
    private static func append(
        phase index: Int, of scenario: Scenario, trace: TraceWorkload?, to events: inout [Event]
    ) {
        let phase = scenario.phases[index]
        var streams = (0..<max(phase.clients, 1)).map {
            OperationStream(scenario: scenario, phaseIndex: index, client: $0, trace: trace)
        }
        var isAlive = true
        while isAlive {
            isAlive = false
            for client in streams.indices {
                guard let operation = streams[client].next() else { continue }
                isAlive = true
                guard let kind = kind(of: operation.kind) else { continue }
                let width = operation.kind == .burst ? UInt32(clamping: phase.burstWidth) : 1
                events.append(Event(kind: kind, key: key(of: operation), lookups: width))
            }
        }
    }

    /// `nil` of one that the optimum makes no use of: it knows the future already.
    private static func kind(of operation: OperationKind) -> Event.Kind? {
        switch operation {
        case .read: .read
        case .load, .burst: .load
        case .write: .write
        case .remove, .clear: .removal
        case .prefetch: nil
        }
    }

    /// A clear has no key of its own; see ``linkLookups(_:keyCount:)``.
    private static func key(of operation: WorkloadGeneration.Operation) -> UInt32 {
        operation.kind == .clear ? .max : operation.key
    }

    /// Tells every event which lookup of its key comes next, if nothing changes the key before.
    private static func linkLookups(_ events: inout [Event], keyCount: Int) {
        var nextLookup = [UInt32](repeating: OptimalReplay.never, count: keyCount)
        // What was cleared last, in the direction of the walk: what a key was asked for behind it counts no more.
        var clearIndex = UInt32.max
        for index in events.indices.reversed() {
            let key = Int(events[index].key)
            guard key < keyCount else {
                clearIndex = UInt32(index)
                continue
            }
            let next = nextLookup[key]
            // `never` is beyond every clear.
            events[index].next = next > clearIndex ? OptimalReplay.never : next
            switch events[index].kind {
            case .read, .load: nextLookup[key] = UInt32(index)
            case .write, .removal: nextLookup[key] = OptimalReplay.never
            }
        }
    }
}

extension Scenario {
    /// How many entries a cache of the scenario's capacity holds; `nil` where that depends on which they are.
    fileprivate var entryLimitOfAnyCache: Int? {
        guard !values.haveLifetimes else { return nil }
        guard let bytes = capacity.bytes else { return capacity.entries }
        let sizes = Set(values.pools?.map(\.size) ?? [values.size])
        guard sizes.count == 1, case .fixed(let size)? = sizes.first, size > 0, values.traced?.sizes != true else {
            return nil
        }
        return min(capacity.entries ?? .max, Int(clamping: UInt64(max(bytes, 0)) / size))
    }
}
