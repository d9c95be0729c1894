import HistoryChecking
import Measurement
import Origins
import Platform
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// What a client records in some phases beside latencies, outcomes and sizes.
///
/// Each client has its own instruments, so that clients share nothing. When the phase is over, those of all clients are
/// merged, and add their rows to the phase's result. Calls are dispatched dynamically, but outside of what is timed, and
/// not at all in phases without instruments.
protocol Instrument: Sendable {
    /// Whether it records hits. Hits are the fastest operations, so phases without such an instrument skip them.
    var seesHits: Bool { get }
    /// The memory of its records, in bytes, to be subtracted from a memory reading.
    var footprintBytes: UInt64 { get }
    /// The phase begins.
    mutating func begin(at time: UInt64)
    /// Names the keys that the client looks up next; `nil` where the instrument doesn't prefetch.
    mutating func prefetch(_ keys: [UInt32]) -> TimedAnswer?
    /// Records an operation that has ended.
    mutating func record(_ ended: EndedOperation)
    /// The client has sent its last operation.
    mutating func end()
    /// Adds the records of another client.
    mutating func merge(_ other: Self)
    /// Adds the rows of all clients' records.
    func addRows(to result: inout PhaseResult, of phase: PhaseSummary)
}

extension Instrument {
    var seesHits: Bool { true }
    var footprintBytes: UInt64 { 0 }
    mutating func begin(at time: UInt64) {}
    mutating func prefetch(_ keys: [UInt32]) -> TimedAnswer? { nil }
    mutating func end() {}

    /// Adds the records of another client if they are of the same type.
    fileprivate mutating func mergeIfSame(_ other: any Instrument) {
        if let other = other as? Self { merge(other) }
    }
}

extension [any Instrument] {
    /// The instrument of a type, if there is one.
    func first<Kind: Instrument>(_ kind: Kind.Type) -> Kind? { lazy.compactMap { $0 as? Kind }.first }

    /// The instruments of several clients, merged; each client has the same types in the same order.
    static func merged(_ clients: [[any Instrument]]) -> [any Instrument] {
        var all = clients.first ?? []
        for client in clients.dropFirst() {
            for (index, other) in zip(all.indices, client) { all[index].mergeIfSame(other) }
        }
        return all
    }
}

/// An operation that has ended, as instruments see it.
struct EndedOperation {
    let operation: WorkloadGeneration.Operation
    let answer: TimedAnswer
    let outcome: Outcome
    /// The value that a write inserted.
    var written: Payload?
    /// 0 for the client itself, from 1 for the callers of its bursts.
    var caller = 0
    /// Whether all bytes that were checked are right.
    var isIntact = true
    /// The time from when it was due, in nanoseconds; `nil` in a closed loop.
    var response: UInt64?
    /// The size of the value that was looked up; 0 for other operations.
    var bytes: UInt64 = 0
    /// When the fetch of a load that was no hit began and ended; in phases that note it.
    var fetch = FetchTimes()
    /// Whether it belongs to the lead-in of a turn, so that its latency does not count.
    var isLeadIn = false

    var kind: OperationKind { operation.kind }
    var key: UInt32 { operation.key }
    var span: TimeSpan { answer.span }
    /// Whether it is a load, and not a lookup alone, that did not find its value.
    var isLoadThatMissed: Bool { kind != .read && outcome != .hit && outcome != .done }
}

/// The hits by tier, of a strategy that reports tiers.
struct TierMetrics: Instrument {
    private struct Part: Sendable {
        var recorder = ClientRecorder(measured: true)
        /// Bytes of the values.
        var bytes: UInt64 = 0
    }

    private var parts: [HitTier: Part] = [:]

    var footprintBytes: UInt64 { parts.values.reduce(0) { $0 + $1.recorder.footprintBytes } }

    mutating func record(_ ended: EndedOperation) {
        guard let tier = ended.answer.answer.tier else { return }
        parts[tier, default: Part()].recorder.record(ended.kind, .hit, nanoseconds: ended.span.nanoseconds)
        parts[tier]?.bytes &+= ended.bytes
    }

    mutating func merge(_ other: TierMetrics) {
        for (tier, part) in other.parts {
            parts[tier, default: Part()].recorder.merge(part.recorder)
            parts[tier]?.bytes &+= part.bytes
        }
    }

    /// Adds the rows of each tier. Hits of all tiers add up to those of all keys; lookups are those of the phase.
    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        guard let all = result.hitRate else { return }
        for tier in HitTier.allCases {
            guard let part = parts[tier] else { continue }
            phase.add(part.recorder.latencies(of: tier), to: &result)
            var row = all
            row.tier = .only(tier)
            row.hits = [OperationKind.read, .load, .burst].reduce(0) { $0 + part.recorder.count($1, .hit) }
            row.misses = all.lookups - min(row.hits, all.lookups)
            row.bytesHit = part.bytes
            (row.evictions, row.expirations, row.originLoads, row.duplicateLoads) = (nil, nil, nil, nil)
            (row.optimalHitRatio, row.droppedOperations, row.duplicateReads) = (nil, nil, nil)
            result.hitRates.append(row)
        }
    }
}

/// Latencies, outcomes and sizes by pool, in addition to those over all keys.
struct PoolMetrics: Instrument {
    private struct Pool: Sendable {
        /// Service times, measured from sending.
        var services = ClientRecorder(measured: true)
        /// Response times, measured from the due time; empty in a closed loop.
        var responses = ClientRecorder(measured: true)
        /// Operations in the lead-ins of turns: their number by outcome.
        var leadIns = ClientRecorder(measured: false)
        /// Bytes of the values that were looked up, and of the hits among them.
        var bytesLookedUp: UInt64 = 0
        var bytesHit: UInt64 = 0
    }

    private var pools: [Pool]

    init(count: Int) {
        pools = Array(repeating: Pool(), count: count)
    }

    var footprintBytes: UInt64 {
        pools.reduce(0) { $0 + $1.services.footprintBytes + $1.responses.footprintBytes }
    }

    mutating func record(_ ended: EndedOperation) {
        let (pool, kind, nanoseconds) = (Int(ended.operation.pool), ended.kind, ended.span.nanoseconds)
        if ended.isLeadIn {
            pools[pool].leadIns.record(kind, ended.outcome, nanoseconds: nanoseconds)
        } else {
            pools[pool].services.record(kind, ended.outcome, nanoseconds: nanoseconds)
        }
        if let response = ended.response {
            pools[pool].responses.record(kind, ended.outcome, nanoseconds: response)
        }
        pools[pool].bytesLookedUp &+= ended.bytes
        if ended.outcome == .hit { pools[pool].bytesHit &+= ended.bytes }
    }

    mutating func merge(_ other: PoolMetrics) {
        for (index, pool) in other.pools.enumerated() {
            pools[index].services.merge(pool.services)
            pools[index].responses.merge(pool.responses)
            pools[index].leadIns.merge(pool.leadIns)
            pools[index].bytesLookedUp &+= pool.bytesLookedUp
            pools[index].bytesHit &+= pool.bytesHit
        }
    }

    /// Adds the rows of each pool that the phase requests, in the order of the pools. They add up to those of all keys.
    ///
    /// Evictions, expirations, the optimum and operations that were not sent belong to no pool.
    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        for index in phase.phase.pools.map(\.pool) where pools.indices.contains(index) {
            let (pool, name) = (pools[index], Selection.only(phase.scenario.pools[index].name))
            phase.add(pool.services.latencies(pool: name), to: &result)
            phase.add(pool.responses.latencies(pool: name, basis: .response), to: &result)
            var counts = pool.leadIns
            counts.count(pool.services)
            var row = HitRateRow(key: phase.key, pool: name, capacity: phase.scenario.capacity, counts)
            (row.bytesLookedUp, row.bytesHit) = (pool.bytesLookedUp, pool.bytesHit)
            if let requests = phase.originLog.pools, requests.indices.contains(index) {
                (row.originLoads, row.duplicateLoads) = (requests[index].requests, requests[index].duplicates)
            }
            result.hitRates.append(row)
        }
    }
}

/// The outcomes of the first operations after a launch, and the time of the first hit.
struct FirstOperations: Instrument {
    /// How many operations count as the first ones.
    static let countMax = 100

    private var ended: [(end: UInt64, isHit: Bool)] = []
    private var firstHit: UInt64?
    private var began: UInt64 = 0

    init() { ended.reserveCapacity(Self.countMax) }

    mutating func begin(at time: UInt64) { began = time }

    mutating func record(_ operation: EndedOperation) {
        let (end, isHit) = (operation.span.end, operation.outcome == .hit)
        if isHit, firstHit == nil { firstHit = end }
        if ended.count < Self.countMax { ended.append((end, isHit)) }
    }

    mutating func merge(_ other: FirstOperations) {
        ended += other.ended
        firstHit = [firstHit, other.firstHit].compactMap { $0 }.min()
        began = min(began, other.began)
    }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        let first = ended.sorted { $0.end < $1.end }.prefix(Self.countMax)
        result.trial.firstHitNanoseconds = firstHit.map { Nanoclock.elapsed(from: began, to: $0) }
        result.trial.hitsOfFirst100 = UInt64(first.count { $0.isHit })
    }
}

/// A record of each operation, for the history of a checked trial and for race detection.
struct OperationRecords: Instrument {
    /// The operations of the client, then those of each caller of its bursts, each in order.
    private(set) var callers: [[OperationRecord]] = [[]]
    /// Operations without a record, because there were too many.
    private(set) var unrecorded: UInt64 = 0
    /// How many more operations can be recorded.
    private var left: Int

    init(countMax: Int) {
        left = countMax
    }

    var footprintBytes: UInt64 {
        UInt64(callers.reduce(0) { $0 + $1.capacity } * MemoryLayout<OperationRecord>.stride)
    }

    mutating func record(_ ended: EndedOperation) {
        guard left > 0 else {
            unrecorded &+= 1
            return
        }
        left -= 1
        let value = ended.answer.answer.value ?? ended.written
        var record = OperationRecord(
            ended.kind, key: ended.key, version: value?.identity.version ?? 0, outcome: ended.outcome,
            call: ended.span.start, answer: ended.span.end)
        if let error = ended.answer.answer.error {
            record.outcome = error is CancellationError ? .cancelled : .failed
            record.mayGiveUp = ended.operation.cancelAfter > 0
        } else if ended.outcome != .done {
            if let value { record.valueKey = UInt32(clamping: value.identity.key) }
            record.isIntact = ended.isIntact
        }
        while ended.caller >= callers.count { callers.append([]) }
        callers[ended.caller].append(record)
    }

    mutating func merge(_ other: OperationRecords) {
        callers += other.callers
        unrecorded &+= other.unrecorded
    }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        guard !phase.scenario.check else { return }
        result.contendedOperations = Self.contendedCount(
            callers.map { $0.map { TimeSpan($0.call, $0.answer) } })
    }

    /// How many operations were in flight together with an operation of another caller. O(callers · operations): each
    /// caller's operations are compared with those of each other caller in one pass over both.
    ///
    /// Without such operations no data race can show in any strategy: a run with few of them proves nothing.
    ///
    /// - Parameter callers: the spans of each caller, which are in order and do not overlap.
    static func contendedCount(_ callers: [[TimeSpan]]) -> UInt64 {
        var total: UInt64 = 0
        for (index, own) in callers.enumerated() {
            var isContended = [Bool](repeating: false, count: own.count)
            for (other, spans) in callers.enumerated() where other != index {
                mark(own, against: spans, in: &isContended)
            }
            total &+= UInt64(isContended.count { $0 })
        }
        return total
    }

    private static func mark(_ own: [TimeSpan], against others: [TimeSpan], in isContended: inout [Bool]) {
        var next = 0
        for (index, span) in own.enumerated() {
            while next < others.count, others[next].end <= span.start { next += 1 }
            guard next < others.count else { return }
            if others[next].start < span.end { isContended[index] = true }
        }
    }
}
