package import Foundation
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

/// An origin's counts of requests, for one phase or for all.
package struct OriginLog: Codable, Hashable, Sendable {
    /// Requests that arrived.
    package var requests: UInt64 = 0
    /// Requests that arrived while another one for the same key was in flight.
    package var duplicates: UInt64 = 0
    /// Requests that have arrived and have not ended.
    package var inFlight: UInt64 = 0
    /// Requests that ended in an error of the origin.
    package var failed: UInt64 = 0
    /// Requests whose caller went away before the answer: cancelled loads.
    package var abandoned: UInt64 = 0
    /// Requests that a fault of the scenario hit, with any outcome.
    package var faults: UInt64 = 0
    /// Answers that were ready more than a millisecond after they were due, because making the payload took longer than
    /// the scripted delay: where there are many, the effective delay is not the scenario's.
    package var late: UInt64 = 0
    /// The most requests in flight at once, for all keys together.
    package var maxConcurrent: UInt64 = 0
    /// The most requests in flight at once for one key.
    package var maxConcurrentPerKey: UInt64 = 0
    /// Requests that were counted, but did not fit into the list of entries.
    package var droppedEntries: UInt64 = 0
    /// Requests for the keys of each pool, in the order of the pools; `nil` without pools.
    package var pools: [PoolRequests]?

    /// Requests for the keys of one pool.
    package struct PoolRequests: Codable, Hashable, Sendable {
        /// Requests that arrived.
        package var requests: UInt64 = 0
        /// Requests that arrived while another one for the same key was in flight.
        package var duplicates: UInt64 = 0

        package init() {}
    }

    /// An empty log.
    ///
    /// - Parameter poolCount: how many pools are told apart; 0 for none.
    package init(poolCount: Int = 0) {
        if poolCount > 0 { pools = Array(repeating: PoolRequests(), count: poolCount) }
    }

    /// Adds another log: counts are summed, and the higher maximum is kept.
    package mutating func add(_ other: OriginLog) {
        requests += other.requests
        duplicates += other.duplicates
        inFlight += other.inFlight
        failed += other.failed
        abandoned += other.abandoned
        faults += other.faults
        late += other.late
        maxConcurrent = max(maxConcurrent, other.maxConcurrent)
        maxConcurrentPerKey = max(maxConcurrentPerKey, other.maxConcurrentPerKey)
        droppedEntries += other.droppedEntries
        for (index, pool) in (other.pools ?? []).enumerated() where index < pools?.count ?? 0 {
            pools?[index].requests += pool.requests
            pools?[index].duplicates += pool.duplicates
        }
    }
}

/// How a request ended. The numbers are HTTP status codes.
package enum RequestEnding: UInt16, Sendable {
    /// With the payload.
    case answered = 200
    /// Its caller went away.
    case abandoned = 499
    /// With an error of the origin.
    case failed = 500
}

/// One request that has ended.
package struct OriginLogEntry: Hashable, Sendable {
    package var phase: UInt16
    package var ending: RequestEnding
    /// The fault that hit it.
    package var fault: OriginFaultKind?
    package var key: UInt64
    package var version: UInt64
    /// When the request arrived, in ``Nanoclock``.
    package var startNanoseconds: UInt64
    /// When its answer was passed on for sending, in ``Nanoclock``.
    package var endNanoseconds: UInt64
}

/// The requests of an origin, listed one by one.
package struct OriginRequestList: Hashable, Sendable {
    /// The requests that have ended, in all phases, in the order of their ends. Empty when the origin keeps no list.
    package var entries: [OriginLogEntry] = []
    /// The number of requests that did not fit into the list.
    package var droppedCount: UInt64 = 0
    /// How many fetches ended with a value on the client's side; `nil` where they were not counted.
    package var answeredFetchCount: UInt64?
}

extension OriginRequestList {
    /// Reads the list that a fixture server sends as CSV. O(bytes).
    ///
    /// It reads byte by byte, because a trial may leave a million lines.
    ///
    /// - Throws: ``Malformed`` when a line does not have the server's format.
    package static func entries(inCSV bytes: Data) throws(Malformed) -> [OriginLogEntry] {
        var entries: [OriginLogEntry] = []
        var fields: [UInt64] = []
        var field: UInt64?
        var fault: [UInt8] = []
        var line = 1
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"):
                if line > 1 { entries.append(try entry(fields, fault: fault, line: line)) }
                line += 1
                fields.removeAll(keepingCapacity: true)
                fault.removeAll(keepingCapacity: true)
            case _ where line == 1, UInt8(ascii: "\r"): continue
            case _ where fields.count == numberCount: fault.append(byte)
            case UInt8(ascii: ","):
                guard let number = field else { throw Malformed(line: line) }
                fields.append(number)
                field = nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let (tens, isTooLarge) = (field ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, isTooLargeNow) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
                if isTooLarge || isTooLargeNow { throw Malformed(line: line) }
                field = sum
            default: throw Malformed(line: line)
            }
        }
        // The last line ends with a line break, unless the answer was truncated.
        guard line > 1, fields.isEmpty, field == nil, fault.isEmpty else { throw Malformed(line: line) }
        return entries
    }

    /// A line of the list that can't be read.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        /// The line's number, counted from 1.
        package let line: Int

        package var description: String { "line \(line) of the list of requests can't be read" }
    }

    /// The number of columns before the last one, which names a fault.
    private static let numberCount = 6

    private static func entry(
        _ fields: [UInt64], fault: [UInt8], line: Int
    ) throws(Malformed) -> OriginLogEntry {
        guard fields.count == numberCount, let phase = UInt16(exactly: fields[0]),
            let status = UInt16(exactly: fields[5]), let ending = RequestEnding(rawValue: status)
        else { throw Malformed(line: line) }
        let kind = OriginFaultKind(rawValue: String(decoding: fault, as: UTF8.self))
        guard fault.isEmpty || kind != nil else { throw Malformed(line: line) }
        return OriginLogEntry(
            phase: phase, ending: ending, fault: kind, key: fields[1], version: fields[2], startNanoseconds: fields[3],
            endNanoseconds: fields[4])
    }
}
