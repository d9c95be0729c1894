package import TrialModel

/// The requests that an origin received: which key, in which phase, when. It is a plain value: put it behind a lock to
/// share it.
///
/// Takes about 40 bytes for each key that was ever requested, and 40 bytes for each entry.
package struct RequestLog: Sendable {
    /// A request that has begun; it must be passed back when the request ends.
    package struct Ticket: Sendable {
        package let key: UInt64
        /// The version that the answer carries: 1 for the first request of a key, then 2, and so on.
        package let version: UInt64
        package let phase: UInt16
        package let startNanoseconds: UInt64

        /// A request for an origin without a log.
        package init(key: UInt64, version: UInt64, phase: UInt16, startNanoseconds: UInt64) {
            self.key = key
            self.version = version
            self.phase = phase
            self.startNanoseconds = startNanoseconds
        }

        /// The key and the version of the payload that answers the request, after a fault that changes them.
        package func answered(_ fault: OriginFaultKind?) -> (key: UInt64, version: UInt64) {
            switch fault {
            case .wrongKey: (key ^ 1, version)
            case .oldVersion: (key, max(1, version - 1))
            default: (key, version)
            }
        }
    }

    private struct KeyState {
        var version: UInt64 = 0
        var inFlight: UInt64 = 0
    }

    private var keys: [UInt64: KeyState] = [:]
    private var logs: [UInt16: OriginLog] = [:]
    private var inFlight: UInt64 = 0
    private let entryCountMax: Int
    /// The pools whose requests are counted separately; empty when pools are not told apart.
    private let pools: [PooledValues]
    /// The requests that have ended, in the order of their ends; only the first `entryCountMax` of them.
    package private(set) var entries: [OriginLogEntry] = []

    /// - Parameters:
    ///   - entryCountMax: how many entries are kept, 0 for no list; the counts stay exact beyond it.
    ///   - pools: the pools whose requests are counted separately, in the order of their keys.
    package init(entryCountMax: Int = 1_000_000, pools: [PooledValues]? = nil) {
        self.entryCountMax = entryCountMax
        self.pools = pools ?? []
    }

    /// Records an arrival. O(1), with pools O(pools).
    package mutating func begin(key: UInt64, phase: UInt16, at time: UInt64) -> Ticket {
        var state = keys[key, default: KeyState()]
        state.version += 1
        state.inFlight += 1
        keys[key] = state
        inFlight += 1
        logs[phase, default: OriginLog(poolCount: pools.count)].arrive(
            inFlight: inFlight, inFlightForKey: state.inFlight, pool: pools.index(ofKey: key))
        return Ticket(key: key, version: state.version, phase: phase, startNanoseconds: time)
    }

    /// Records an end; call it once for each ticket. O(1), amortised.
    package mutating func end(
        _ ticket: Ticket, _ ending: RequestEnding, fault: OriginFaultKind? = nil, at time: UInt64, isLate: Bool = false
    ) {
        inFlight -= min(1, inFlight)
        if let count = keys[ticket.key]?.inFlight, count > 0 { keys[ticket.key]?.inFlight = count - 1 }
        let isKept = entries.count < entryCountMax
        if isKept {
            entries.append(
                OriginLogEntry(
                    phase: ticket.phase, ending: ending, fault: fault, key: ticket.key, version: ticket.version,
                    startNanoseconds: ticket.startNanoseconds, endNanoseconds: time
                )
            )
        }
        let isDropped = !isKept && entryCountMax > 0
        logs[ticket.phase, default: OriginLog(poolCount: pools.count)].end(
            ending, isFaulty: fault != nil, isLate: isLate, isDropped: isDropped)
    }

    /// The log of one phase, or of all phases together.
    package func log(phase: UInt16?) -> OriginLog {
        let empty = OriginLog(poolCount: pools.count)
        if let phase { return logs[phase] ?? empty }
        return logs.values.reduce(into: empty) { $0.add($1) }
    }
}

extension OriginLog {
    fileprivate mutating func arrive(inFlight all: UInt64, inFlightForKey: UInt64, pool: Int?) {
        requests += 1
        inFlight += 1
        if inFlightForKey > 1 { duplicates += 1 }
        if let pool {
            pools?[pool].requests += 1
            if inFlightForKey > 1 { pools?[pool].duplicates += 1 }
        }
        maxConcurrent = max(maxConcurrent, all)
        maxConcurrentPerKey = max(maxConcurrentPerKey, inFlightForKey)
    }

    fileprivate mutating func end(_ ending: RequestEnding, isFaulty: Bool, isLate: Bool, isDropped: Bool) {
        inFlight -= min(1, inFlight)
        if isFaulty { faults += 1 }
        switch ending {
        case .answered: late += isLate ? 1 : 0
        case .abandoned: abandoned += 1
        case .failed: failed += 1
        }
        if isDropped { droppedEntries += 1 }
    }
}
