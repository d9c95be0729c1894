/// The book of an origin: who asked for what, and when. A plain value; whoever shares it puts it behind a lock.
///
/// Takes about 40 bytes for each key that was ever asked for, and 40 bytes for each entry.
package struct RequestLedger: Sendable {
    /// A request that has begun; to be handed back when it ends.
    package struct Ticket: Sendable {
        package let key: UInt64
        /// The version that the answer carries: 1 for the first request of a key, then 2, and so on.
        package let version: UInt64
        package let phase: UInt16
        package let startNanoseconds: UInt64
    }

    private struct KeyState {
        var version: UInt64 = 0
        var underWay: UInt64 = 0
    }

    private var keys: [UInt64: KeyState] = [:]
    private var logs: [UInt16: OriginLog] = [:]
    private var underWay: UInt64 = 0
    private let entryCountMax: Int
    /// The requests that have ended, in the order of their ends; the first `entryCountMax` of them.
    package private(set) var entries: [OriginLogEntry] = []

    /// - Parameter entryCountMax: how many entries are kept, 0 for no list at all; the counts stay exact beyond.
    package init(entryCountMax: Int = 1_000_000) {
        self.entryCountMax = entryCountMax
    }

    /// Notes an arrival. O(1).
    package mutating func begin(key: UInt64, phase: UInt16, at time: UInt64) -> Ticket {
        var state = keys[key, default: KeyState()]
        state.version += 1
        state.underWay += 1
        keys[key] = state
        underWay += 1
        logs[phase, default: OriginLog()].arrive(underWay: underWay, underWayForKey: state.underWay)
        return Ticket(key: key, version: state.version, phase: phase, startNanoseconds: time)
    }

    /// Notes an end; once for each ticket. O(1), amortised.
    package mutating func end(_ ticket: Ticket, _ ending: RequestEnding, at time: UInt64, isLate: Bool = false) {
        underWay -= min(1, underWay)
        if let count = keys[ticket.key]?.underWay, count > 0 { keys[ticket.key]?.underWay = count - 1 }
        let isKept = entries.count < entryCountMax
        if isKept {
            entries.append(
                OriginLogEntry(
                    phase: ticket.phase, ending: ending, key: ticket.key, version: ticket.version,
                    startNanoseconds: ticket.startNanoseconds, endNanoseconds: time
                )
            )
        }
        let isDropped = !isKept && entryCountMax > 0
        logs[ticket.phase, default: OriginLog()].end(ending, isLate: isLate, isDropped: isDropped)
    }

    /// The log of a phase, or of all of them together.
    package func log(phase: UInt16?) -> OriginLog {
        if let phase { return logs[phase] ?? OriginLog() }
        return logs.values.reduce(into: OriginLog()) { $0.add($1) }
    }
}

extension OriginLog {
    fileprivate mutating func arrive(underWay all: UInt64, underWayForKey: UInt64) {
        requests += 1
        underWay += 1
        if underWayForKey > 1 { duplicates += 1 }
        maxConcurrent = max(maxConcurrent, all)
        maxConcurrentPerKey = max(maxConcurrentPerKey, underWayForKey)
    }

    fileprivate mutating func end(_ ending: RequestEnding, isLate: Bool, isDropped: Bool) {
        underWay -= min(1, underWay)
        switch ending {
        case .answered: late += isLate ? 1 : 0
        case .abandoned: abandoned += 1
        case .failed: failed += 1
        }
        if isDropped { droppedEntries += 1 }
    }
}
