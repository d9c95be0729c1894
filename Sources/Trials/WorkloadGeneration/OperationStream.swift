public import TrialModel

/// One operation of one client.
@usableFromInline
package struct Operation: Hashable, Sendable {
    /// The kind of operation.
    @usableFromInline package var kind: OperationKind
    /// The index of the pool whose mix contains the operation, also for `clear`; 0 without pools.
    @usableFromInline package var pool: UInt8
    /// The number of the key, from 0 to the scenario's key count - 1; 0 for `clear` and `prefetch`, which have none.
    @usableFromInline package var key: UInt32
    /// How long after its start a load is cancelled, in nanoseconds; 0 means never.
    @usableFromInline package var cancelAfter: UInt64
    /// The pause before the client's next operation, in nanoseconds.
    @usableFromInline package var thinkTime: UInt64

    /// Creates an operation, by default without cancellation and pause.
    @inlinable
    package init(kind: OperationKind, key: UInt32, pool: UInt8 = 0, cancelAfter: UInt64 = 0, thinkTime: UInt64 = 0) {
        self.kind = kind
        self.pool = pool
        self.key = key
        self.cancelAfter = cancelAfter
        self.thinkTime = thinkTime
    }
}

/// The operations of one client in one phase, in order.
///
/// ```swift
/// var stream = OperationStream(scenario: scenario, phaseIndex: 0, client: 3)
/// while let operation = stream.next() { perform(operation) }
/// ```
///
/// The same scenario, phase and client always give the same operations, except where several clients count together:
/// with a shift, and with `latest`. Keys, kinds and pauses have separate random sources, so another mix gives the same
/// keys in the same order, except with `latest`, where writes change the keys.
/// With pools, each pool has its own sources; a scenario with a single pool of all keys gives the same operations as
/// one without pools.
@usableFromInline
package struct OperationStream: Sendable {
    /// How many operations the client has to send; `nil` when the phase ends by the clock.
    package let operationLimit: Int?

    @usableFromInline var remaining: UInt64
    @usableFromInline var keys: KeyChooser
    @usableFromInline let mix: MixSampler
    /// Whether the trace may choose a kind that is not in the mix.
    private let mixLacksKinds: Bool
    @usableFromInline var random: RandomSource
    /// A load is cancelled when a random word is below this limit.
    @usableFromInline let cancelCutoff: UInt64
    @usableFromInline let cancelAfter: UInt64
    @usableFromInline let fixedThinkTime: UInt64
    /// Draws the pauses where they vary.
    @usableFromInline let pausesVary: Bool
    private let pauses: DistributionSampler?
    private var pauseRandom: RandomSource
    /// Whether keys and kinds come from neither a trace nor pools.
    @usableFromInline let isPlain: Bool
    /// The chooser of pools, if the scenario has pools.
    private var pools: PoolChooser?
    /// The walk through the trace, if the scenario has one.
    @usableFromInline var walk: TraceWalk?
    /// Keeps the memory alive that the walk points to. It is never accessed, because reference counting would order the
    /// clients.
    private let trace: TraceWorkload?
    /// Kept alive and never accessed, as the trace.
    private let progress: KeyProgress?

    /// Creates the stream of one client.
    ///
    /// Numbers of the scenario that are out of range are clamped; nothing traps.
    ///
    /// - Parameters:
    ///   - scenario: the workload, with its seed.
    ///   - phaseIndex: the index of the phase in `scenario.phases`; must be valid.
    ///   - client: the number of the client in the phase, from 0; `nil` for one stream that all clients share.
    ///   - trace: the scenario's trace, if any; it then provides the keys.
    ///   - progress: what the clients of the phase count together; `nil` where the client counts for itself.
    ///   - operationCountMax: the maximum number of operations in a phase that ends by the clock; `nil` for no limit.
    package init(
        scenario: Scenario, phaseIndex: Int, client: Int?, trace: TraceWorkload? = nil, progress: KeyProgress? = nil,
        operationCountMax: Int? = nil
    ) {
        let phase = scenario.phases[phaseIndex]
        let clients = client == nil ? 1 : UInt64(max(phase.clients, 1))
        let client = UInt64(max(client ?? 0, 0))
        func source(_ purpose: Purpose, pool: Int = 0) -> RandomSource {
            let (phase, purpose) = (UInt64(phaseIndex), purpose.rawValue)
            guard pool > 0 else { return RandomSource(seed: scenario.seed, stream: phase, client, purpose) }
            return RandomSource(seed: scenario.seed, stream: phase, client, purpose, UInt64(pool))
        }
        operationLimit = Self.share(of: phase.length, client: client, clients: clients)
        remaining = operationLimit.map(UInt64.init) ?? operationCountMax.map { UInt64(max($0, 0)) } ?? .max
        let range = KeyRange(scenario: scenario.keys, phase: phase.keys)
        keys = KeyChooser(
            range: range, client: client, clients: clients, random: source(.keys), progress: progress?.count())
        mix = MixSampler(phase.mix)
        mixLacksKinds = phase.mix.followsTrace && OperationMix.traced.weights.keys.contains { phase.mix[$0] == 0 }
        random = source(.kinds)
        (self.trace, self.progress) = (trace, progress)
        let uses = phase.pools.filter {
            scenario.pools.indices.contains($0.pool) && $0.weight > 0 && $0.weight.isFinite
        }
        pools =
            uses.isEmpty
            ? nil
            : PoolChooser(
                uses, of: scenario.pools, client: client, clients: clients, random: source(.pools),
                progress: progress, source: source)
        isPlain = trace == nil && uses.isEmpty
        walk = trace.map { trace in
            TraceWalk(
                trace, operationsBefore: Self.operations(before: phaseIndex, of: scenario.phases), client: client,
                clients: clients, followsKinds: phase.mix.followsTrace)
        }
        cancelCutoff = Probability.cutoff(phase.cancel?.share ?? 0)
        // 0 would mean "not cancelled".
        cancelAfter = max(phase.cancel?.after ?? 1, 1)
        pauseRandom = source(.pauses)
        if case .fixed(let pause) = phase.thinkTime {
            (fixedThinkTime, pauses) = (pause, nil)
        } else {
            (fixedThinkTime, pauses) = (0, DistributionSampler(phase.thinkTime))
        }
        pausesVary = pauses != nil
    }

    /// Whether the client has sent its share.
    @inlinable package var isFinished: Bool { remaining == 0 }

    /// The next operation, or `nil` when the client has sent its share. O(1), without allocations.
    @inlinable
    @inline(__always)
    package mutating func next() -> Operation? {
        guard remaining > 0 else { return nil }
        remaining &-= 1
        guard isPlain else { return walk == nil ? nextOfPool() : nextTraced() }
        let kind = mix.next(using: &random)
        var operation = Operation(kind: kind, key: 0, thinkTime: fixedThinkTime)
        switch kind {
        case .prefetch: return Operation(kind: .prefetch, key: 0)
        case .clear: keys.advance()
        default: operation.key = keys.next(for: kind)
        }
        if cancelCutoff > 0, case .load = kind, random.next() < cancelCutoff { operation.cancelAfter = cancelAfter }
        if pausesVary { operation.thinkTime = nextPause() }
        return operation
    }

    /// The next operation of a stream that walks through a trace. `clear` has no key, but still uses up a request. A
    /// load takes the place of an operation of the trace that is not in the mix, because the strategy lacks it.
    @usableFromInline
    @inline(never)
    mutating func nextTraced() -> Operation? {
        let drawn = walk?.followsKinds == true ? nil : mix.next(using: &random)
        if drawn == .prefetch { return Operation(kind: .prefetch, key: 0) }
        guard let request = walk?.next(), var kind = request.kind ?? drawn else { return nil }
        if mixLacksKinds, !mix.rows.contains(where: { $0.kind == kind }) { kind = .load }
        var operation = Operation(kind: kind, key: kind == .clear ? 0 : request.key, thinkTime: fixedThinkTime)
        if cancelCutoff > 0, kind == .load, random.next() < cancelCutoff { operation.cancelAfter = cancelAfter }
        if pausesVary { operation.thinkTime = nextPause() }
        return operation
    }

    /// The next operation of a stream with pools. Walks and shifts of a pool advance with the operations on that pool.
    @usableFromInline
    @inline(never)
    mutating func nextOfPool() -> Operation? {
        guard let lane = pools?.nextLane() else { return nil }
        // Optional chaining changes the lane in place, without a copy of its tables.
        guard var operation = pools?.lanes[lane].next(cancelCutoff: cancelCutoff, cancelAfter: cancelAfter) else {
            return nil
        }
        if operation.kind == .prefetch { return operation }
        operation.thinkTime = pausesVary ? nextPause() : fixedThinkTime
        return operation
    }

    @usableFromInline
    @inline(never)
    mutating func nextPause() -> UInt64 { pauses?.next(using: &pauseRandom) ?? fixedThinkTime }

    /// The distinct keys that the client looks up next, without advancing the stream. Operations without a key are
    /// skipped. Where clients count together, these are the keys if the others pause.
    ///
    /// - Parameter count: the maximum number of keys; there are fewer if four times as many operations do not contain
    ///   so many.
    /// - Complexity: O(count²), plus a copy of the stream's sources.
    package func upcomingKeys(_ count: Int) -> [UInt32] {
        var ahead = self
        ahead.keys.detach()
        for lane in ahead.pools?.lanes.indices ?? 0..<0 { ahead.pools?.lanes[lane].keys.detach() }
        var keys: [UInt32] = []
        for _ in 0..<4 * max(count, 0) where keys.count < count {
            guard let operation = ahead.next() else { break }
            switch operation.kind {
            case .read, .load, .burst: if !keys.contains(operation.key) { keys.append(operation.key) }
            case .write, .remove, .clear, .prefetch: break
            }
        }
        return keys
    }

    /// The purposes of random numbers. A raw value must never change its meaning, because that would change every
    /// workload.
    enum Purpose: UInt64 {
        case keys = 1
        case kinds = 2
        case pauses = 3
        case arrivals = 4
        case pools = 5
    }

    /// The number of operations of all phases before one; phases that end by the clock count as 0.
    static func operations(before phaseIndex: Int, of phases: [Phase]) -> UInt64 {
        phases.prefix(phaseIndex).reduce(0) { sum, phase in
            guard case .operations(let count) = phase.length else { return sum }
            return sum &+ UInt64(max(count, 0))
        }
    }

    /// An even share; the first clients take the remainder.
    private static func share(of length: PhaseLength, client: UInt64, clients: UInt64) -> Int? {
        guard case .operations(let total) = length else { return nil }
        let operations = UInt64(max(total, 0))
        guard client < clients else { return 0 }
        return Int(operations / clients + (client < operations % clients ? 1 : 0))
    }
}

/// Chooses the pool of each operation of one client, and the key and kind within the pool.
///
/// Each pool has its own random sources, so the weight and mix of one pool affect neither the operations of another
/// pool nor their order.
struct PoolChooser: Sendable {
    /// The operations of one client on one pool.
    struct Lane: Sendable {
        let pool: UInt8
        var keys: KeyChooser
        let mix: MixSampler
        var random: RandomSource

        /// The next operation on the pool. `clear` has no key, but still uses one up.
        mutating func next(cancelCutoff: UInt64, cancelAfter: UInt64) -> Operation {
            let kind = mix.next(using: &random)
            var operation = Operation(kind: kind, key: 0, pool: pool)
            switch kind {
            case .prefetch: return operation
            case .clear: keys.advance()
            default: operation.key = keys.next(for: kind)
            }
            if cancelCutoff > 0, case .load = kind, random.next() < cancelCutoff { operation.cancelAfter = cancelAfter }
            return operation
        }
    }

    var lanes: [Lane]
    private let columns: [AliasTable.Entry]
    private var random: RandomSource

    /// Creates a chooser for client number `client` of `clients`.
    ///
    /// - Parameters:
    ///   - uses: how the phase uses each pool; at least one, with finite weights above zero.
    ///   - progress: what the clients count together.
    ///   - source: a random source for a purpose and a pool.
    init(
        _ uses: [PoolUse], of pools: [KeyPool], client: UInt64, clients: UInt64, random: RandomSource,
        progress: KeyProgress?, source: (OperationStream.Purpose, Int) -> RandomSource
    ) {
        lanes = uses.map { use in
            Lane(
                pool: UInt8(clamping: use.pool),
                keys: KeyChooser(
                    range: KeyRange(pool: pools[use.pool]), client: client, clients: clients,
                    random: source(.keys, use.pool), progress: progress?.count(ofPool: use.pool)),
                mix: MixSampler(use.mix), random: source(.kinds, use.pool))
        }
        columns = AliasTable.entries(of: uses.map(\.weight))
        self.random = random
    }

    /// The lane of the next operation. Draws no random number for a single pool. O(1).
    mutating func nextLane() -> Int {
        guard columns.count > 1 else { return 0 }
        let column = random.next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: columns.count))
        let index = Int(truncatingIfNeeded: column.high)
        return column.low < columns[index].cutoff ? index : columns[index].alias
    }
}

/// Draws kinds of operations in proportion to the weights of a mix.
@usableFromInline
struct MixSampler: Sendable {
    /// A kind, and the running total of the weights up to and including its own.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline let kind: OperationKind
        @usableFromInline let cumulativeWeight: Double
    }

    /// The kinds with a weight, in order of declaration, so that the result never depends on a dictionary's order.
    @usableFromInline let rows: [Row]
    @usableFromInline let totalWeight: Double
    /// The kind that is drawn when there is no other, or when rounding selects none.
    @usableFromInline let lastKind: OperationKind

    init(_ mix: OperationMix) {
        var total = 0.0
        var rows: [Row] = []
        for kind in OperationKind.allCases {
            let weight = mix[kind]
            guard weight > 0, weight.isFinite else { continue }
            total += weight
            rows.append(Row(kind: kind, cumulativeWeight: total))
        }
        self.rows = rows
        totalWeight = total
        lastKind = rows.last?.kind ?? .read
    }

    /// The next kind. Draws no random number for a single kind. O(kinds), with at most seven kinds.
    @inlinable
    @inline(__always)
    func next(using random: inout RandomSource) -> OperationKind {
        guard rows.count > 1 else { return lastKind }
        let point = random.nextFraction() * totalWeight
        for row in rows where point < row.cumulativeWeight {
            return row.kind
        }
        return lastKind
    }
}
