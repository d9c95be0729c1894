import EvictionPolicies
import TrialModel
import WorkloadGeneration

/// The highest hit ratio that any cache of a scenario's capacity can reach, phase by phase.
///
/// Belady's optimum for each phase, over the operations up to its end, with clients taking turns: it evicts the entry whose
/// next lookup in the phase is the latest, and does not admit an entry that is not worth a place. With one client no cache
/// can hit more often. With several clients the order of their operations is not known beforehand, and a cache may differ by
/// its effect. A read takes an evicted value back, which no cache can do: without that, the optimum is hard to compute.
///
/// The optimum fetches only on demand. A cache that prefetches may hit more often, so phases with prefetches, and those after
/// them, have none.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
struct OptimalHitRatios {
    /// By the name of the phase; warm-ups and phases without lookups have none.
    private(set) var ratios: [String: Double] = [:]

    /// A history is held in memory, 16 bytes an operation.
    private static let operationLimit = 20_000_000

    /// One operation as the optimum sees it.
    private struct Event {
        enum Kind {
            /// A lookup, and on a miss nothing; where a value was inserted before, it counts as a load.
            case read
            /// A lookup, and on a miss an insert.
            case load
            /// An insert.
            case write
            /// Any operation that ends what is cached.
            case removal
        }

        var kind: Kind
        var key: UInt32
        /// How many callers look up: 1, or the callers of a burst.
        var lookups: UInt32
        /// The next event that looks the key up, if nothing changes it in between; else ``OptimalReplay/never``.
        var next = OptimalReplay.never
    }

    /// Computes the optimum. It is `nil` when the optimum can't be known: a phase ends by the clock, values differ in
    /// size and the capacity is in bytes, values have lifetimes, the cache is reopened, the origin is offline, or there
    /// are too many operations.
    ///
    /// O(operations · phases), about 100 ns each.
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
        Self.relaxReads(&events, keyCount: scenario.keys.count)

        let phases = zip(scenario.phases, zip([0] + ends, ends)).prefix { $0.0.mix[.prefetch] == 0 }
        for (phase, range) in phases.map({ ($0, $1.0..<$1.1) }) where !phase.warmUp {
            Self.linkLookups(&events, of: range, keyCount: scenario.keys.count)
            var optimum = OptimalReplay(entries: entries, requestCount: range.upperBound, mayBypass: true)
            var lookups: UInt64 = 0
            var misses: UInt64 = 0
            for (index, event) in events[..<range.upperBound].enumerated() {
                var isHit = false
                if event.kind == .load || event.kind == .write {
                    isHit = optimum.request(next: event.next)
                } else {
                    optimum.pass()
                }
                guard index >= range.lowerBound, event.kind == .read || event.kind == .load else { continue }
                lookups += UInt64(event.lookups)
                // A burst is a load of several callers, and only the first of them must miss.
                misses += isHit ? 0 : 1
            }
            if lookups > 0 { ratios[phase.name] = Double(lookups - misses) / Double(lookups) }
        }
    }

    /// Makes loads of reads whose value was inserted before, and not removed since.
    private static func relaxReads(_ events: inout [Event], keyCount: Int) {
        var isInserted = [Bool](repeating: false, count: keyCount)
        for index in events.indices {
            let key = Int(events[index].key)
            guard key < keyCount else {
                isInserted = Array(repeating: false, count: keyCount)
                continue
            }
            switch events[index].kind {
            case .read: if isInserted[key] { events[index].kind = .load }
            case .load, .write: isInserted[key] = true
            case .removal: isInserted[key] = false
            }
        }
    }

    /// The operations of a phase, with its clients taking turns.
    private static func append(
        phase index: Int, of scenario: Scenario, trace: TraceWorkload?, to events: inout [Event]
    ) {
        let phase = scenario.phases[index]
        let progress = KeyProgress(scenario)
        var streams = (0..<max(phase.clients, 1)).map {
            OperationStream(scenario: scenario, phaseIndex: index, client: $0, trace: trace, progress: progress)
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

    /// `nil` for an operation that the optimum does not use: it already knows the future.
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

    /// Sets for every event up to the end of a phase the next lookup of its key, if that is in the phase and nothing changes
    /// the key before it.
    private static func linkLookups(_ events: inout [Event], of phase: Range<Int>, keyCount: Int) {
        var nextLookup = [UInt32](repeating: OptimalReplay.never, count: keyCount)
        // The clear seen last in this walk from the end: lookups after it no longer count.
        var clearIndex = UInt32.max
        for index in (0..<phase.upperBound).reversed() {
            let key = Int(events[index].key)
            guard key < keyCount else {
                clearIndex = UInt32(index)
                continue
            }
            let next = nextLookup[key]
            // `never` is beyond every clear.
            events[index].next = next > clearIndex ? OptimalReplay.never : next
            switch events[index].kind {
            case .read, .load: nextLookup[key] = index < phase.lowerBound ? OptimalReplay.never : UInt32(index)
            case .write, .removal: nextLookup[key] = OptimalReplay.never
            }
        }
    }
}

extension Scenario {
    /// How many entries a cache of the scenario's capacity holds; `nil` when that depends on which entries they are.
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
