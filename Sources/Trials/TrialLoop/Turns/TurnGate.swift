import CacheStrategies
import Dispatch
import Foundation
import Locks
import Measurement
import Platform
import Synchronization
import TrialModel

/// How a process takes turns with others, so that disturbances of the machine affect all of them alike.
///
/// A turn begins with a lead-in: threads wake, and the processor's caches still hold the others' data. Operations of
/// the lead-in count as hits or misses and are not timed. The measured slice follows, and ends between operations.
package struct TurnSettings: Codable, Hashable, Sendable {
    /// The length of the lead-in, in nanoseconds.
    package var leadIn: UInt64
    /// The length of the slice, in nanoseconds.
    package var slice: UInt64
    /// The core of the first client, where clients have threads; the next clients get the cores that follow. Cores of
    /// one machine differ by what else runs on them, so all compared processes must use the same ones.
    package var core: Int

    package init(leadIn: UInt64 = 1_000_000, slice: UInt64 = 5_000_000, core: Int = 0) {
        self.leadIn = leadIn
        self.slice = slice
        self.core = core
    }

    /// The protocol version that both programs must have. It changes with the messages, and with the meaning of a
    /// slice.
    package static var version: Int { 3 }
}

/// Where a process waits for its turns: as a whole before and between phases, and all clients together within a phase.
///
/// The last client to arrive ends the turn. So no operation is in flight during the turns of others, and nothing is
/// shared while operations are timed.
package final class TurnGate: Sendable {
    private struct State {
        /// Callbacks that receive the time at which the next turn begins.
        var waiting: [@Sendable (UInt64) -> Void] = []
        /// The phase that is running or comes next, from 0.
        var phase = 0
        /// The clients of the phase that are not done.
        var clients = 0
        var everyClient = 0
        var figures: [ClientSlice] = []
        /// The slices of the phase in which all clients took part.
        var slices: [SliceFigures] = []
        var processorTime = ProcessorTime()
    }

    /// The time within turns, for lifetimes of entries.
    let clock = TurnClock()
    private let settings: TurnSettings
    private let channel: TrialChannel
    private let state = Locked(State())

    package init(_ settings: TurnSettings, channel: TrialChannel) {
        self.settings = settings
        self.channel = channel
    }

    /// A turn was granted. Must be called from a thread that does nothing else.
    package func go() {
        let waiting = state.withLock { state in
            clock.goOn()
            state.processorTime.turnBegins()
            defer { state.waiting = [] }
            return state.waiting
        }
        let time = Nanoclock.now()
        for proceed in waiting { proceed(time) }
    }

    /// Waits for a turn outside of a phase.
    func wait(beforePhase phase: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                clock.stop()
                state.phase = phase
                state.waiting.append { _ in continuation.resume() }
            }
            channel.send(.waiting(version: TurnSettings.version, phase: phase))
        }
    }

    /// A phase begins, in a turn.
    func begin(clients: Int) {
        state.withLock { state in
            state.clients = clients
            state.everyClient = clients
            state.slices = []
            state.processorTime = ProcessorTime()
        }
    }

    /// Binds the calling thread to the core that clients of this number have in all processes.
    func bindThread(ofClient index: Int) { Cores.pinThread(to: settings.core &+ index) }

    /// The turn that a client begins at a given time.
    func turn(at time: UInt64) -> ClientTurn {
        ClientTurn(leadInEnd: time &+ settings.leadIn, end: time &+ settings.leadIn &+ settings.slice)
    }

    /// Blocks a client's thread from the end of its turn to the next one.
    ///
    /// - Returns: when the next turn begins.
    func arrive(_ figures: ClientSlice) -> UInt64 {
        let released = DispatchSemaphore(value: 0)
        let time = Locked<UInt64>(0)
        arrive(figures) { start in
            time.withLock { $0 = start }
            released.signal()
        }
        released.wait()
        return time.withLock { $0 }
    }

    /// Suspends a client from the end of its turn to the next one.
    ///
    /// - Returns: when the next turn begins.
    func arriveSuspending(_ figures: ClientSlice) async -> UInt64 {
        await withCheckedContinuation { continuation in
            arrive(figures) { continuation.resume(returning: $0) }
        }
    }

    /// A client has sent all its operations. Its last slice is shorter than the others, and is not counted.
    func leave() {
        endTurn { $0.clients -= 1 }
    }

    private func arrive(_ figures: ClientSlice, _ proceed: @escaping @Sendable (UInt64) -> Void) {
        endTurn { state in
            state.figures.append(figures)
            state.waiting.append(proceed)
        }
    }

    /// Ends the turn when all clients have arrived.
    private func endTurn(_ note: @Sendable (inout State) -> Void) {
        state.withLock { state in
            note(&state)
            guard !state.waiting.isEmpty, state.waiting.count == state.clients else { return }
            if state.figures.count == state.everyClient {
                let processor = Nanoclock.elapsed(from: state.processorTime.turnBegan, to: ProcessClock.now())
                state.slices.append(SliceFigures(of: state.figures, processorTime: processor))
            }
            state.figures = []
            clock.stop()
            // This runs with the lock held, so that the time of sending still belongs to the turn.
            channel.send(.waiting(version: TurnSettings.version, phase: state.phase))
            state.processorTime.turnEnds()
        }
    }

    /// The phase's slices, and the processor time between its turns as a share of that within turns; `nil` for a phase
    /// of one turn.
    func phaseEnded(_ key: RowKey) -> (slices: [SliceRow], shareOutside: Double?) {
        state.withLock { state in
            let rows = state.slices.enumerated().compactMap { SliceRow(key, number: $0.offset + 1, $0.element) }
            state.slices = []
            return (rows, state.processorTime.shareOutside)
        }
    }
}

extension SliceRow {
    /// - Returns: `nil` for a slice without operations.
    fileprivate init?(_ key: RowKey, number: Int, _ figures: SliceFigures) {
        guard let p50 = figures.p50, figures.operationsPerSecond > 0 else { return nil }
        self.init(key: key)
        (slice, operations, p50Nanoseconds) = (UInt64(number), figures.operations, p50)
        (throughputPerSecond, waitingNanoseconds) = (figures.operationsPerSecond, figures.waiting)
        (lookups, hits) = (figures.lookups, figures.hits)
    }
}

/// A client's turn: a lead-in, then the slice that is measured.
struct ClientTurn: Sendable {
    let leadInEnd: UInt64
    let end: UInt64
    /// When the measured part began; `nil` in the lead-in.
    var measuredFrom: UInt64?

    /// When the current part ends.
    var limit: UInt64 { measuredFrom == nil ? leadInEnd : end }
}

/// What one client did in the measured part of a turn.
struct ClientSlice: Sendable {
    let operations: UInt64
    let lookups: UInt64
    let hits: UInt64
    let nanoseconds: UInt64
    /// How it shared its core; `nil` for a client that has no thread of its own.
    let share: CoreShare?
    fileprivate let latencies: [LatencySample]

    /// - Parameter parts: the operations by kind.
    init(_ parts: [IntervalSlice], nanoseconds: UInt64, share: CoreShare? = nil) {
        (self.nanoseconds, self.share) = (nanoseconds, share)
        operations = parts.reduce(0) { $0 &+ $1.count }
        hits = parts.reduce(0) { $0 &+ $1.hits }
        lookups = parts.reduce(hits) { $0 &+ $1.misses }
        latencies = parts.flatMap(\.samples)
    }

    /// - Parameter waiting: for how long another program had its core.
    fileprivate func operationsPerSecond(without waiting: UInt64) -> Double {
        let own = Nanoclock.elapsed(from: waiting, to: nanoseconds)
        return own > 0 ? Double(operations) * 1e9 / Double(own) : 0
    }
}

/// What all clients did in the measured part of a turn.
struct SliceFigures: Sendable {
    let operations: UInt64
    let lookups: UInt64
    let hits: UInt64
    /// The sum of the clients' own rates: a client that had to wait for another's slow load at the end of the slice was
    /// not slow, and neither was one whose core another program had.
    let operationsPerSecond: Double
    /// For how long clients had no core because another program had it, in nanoseconds; `nil` when that is not known.
    let waiting: UInt64?
    /// The median over all clients in nanoseconds, with fractions; `nil` without operations.
    let p50: Double?

    /// A client without a core waits for another program, or for another thread of its own program. Those threads can
    /// have had its core for no longer than they ran, so that much of a client's wait counts as the strategy's own time.
    ///
    /// - Parameter processorTime: the processor time of the program in the whole turn, in nanoseconds.
    init(of clients: [ClientSlice], processorTime: UInt64) {
        let ofClients = clients.reduce(0) { $0 &+ ($1.share?.processorTime ?? 0) }
        let ofOthers = Nanoclock.elapsed(from: ofClients, to: processorTime)
        let waits = clients.map { $0.share.map { Nanoclock.elapsed(from: ofOthers, to: $0.waiting) } }
        operations = clients.reduce(0) { $0 &+ $1.operations }
        (lookups, hits) = (clients.reduce(0) { $0 &+ $1.lookups }, clients.reduce(0) { $0 &+ $1.hits })
        operationsPerSecond = zip(clients, waits).reduce(0) { $0 + $1.0.operationsPerSecond(without: $1.1 ?? 0) }
        waiting = waits.contains { $0 == nil } ? nil : waits.reduce(0) { $0 &+ ($1 ?? 0) }
        p50 = LatencySample.median(of: clients.flatMap(\.latencies))
    }
}

/// The machine's clocks without the time between turns, in which no entry may expire.
///
/// A thread of the strategy's own that reads the clock just when a turn ends may see a time that is ahead by one pause.
/// No client reads it then.
final class TurnClock: Sendable {
    /// The length of all pauses, in nanoseconds.
    private let paused = Atomic<Int64>(0)
    /// When the current pause began, in nanoseconds of the machine's clock; 0 during a turn.
    private let pauseBegan = Atomic<Int64>(0)

    /// A pause begins; does nothing during a pause.
    func stop() {
        guard pauseBegan.load(ordering: .relaxed) == 0 else { return }
        pauseBegan.store(max(1, Self.now()), ordering: .releasing)
    }

    /// A turn begins; does nothing during a turn.
    func goOn() {
        let began = pauseBegan.load(ordering: .relaxed)
        guard began != 0 else { return }
        paused.add(Self.now() &- began, ordering: .releasing)
        pauseBegan.store(0, ordering: .releasing)
    }

    /// The clock for a strategy's configuration.
    var cacheClock: CacheClock {
        CacheClock(
            now: { .nanoseconds(self.time()) },
            date: { CacheClock.system.date().addingTimeInterval(Double(self.time() &- Self.now()) / 1e9) })
    }

    private func time() -> Int64 {
        let before = paused.load(ordering: .acquiring)
        let began = pauseBegan.load(ordering: .acquiring)
        return (began == 0 ? Self.now() : began) &- before
    }

    private static func now() -> Int64 {
        let (seconds, attoseconds) = CacheClock.system.now().components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}

/// The processor time of this process, during its turns and between them.
struct ProcessorTime: Sendable {
    private var inTurns: UInt64 = 0
    private var between: UInt64 = 0
    private(set) var turnBegan: UInt64
    private var turnEnded: UInt64?
    /// The processor time of the thread that takes grants, when it took the last one.
    private var ofTaker: UInt64 = 0

    /// The first turn has begun.
    ///
    /// - Parameter now: the processor time of the process so far, in nanoseconds; the same in the other functions.
    init(at now: UInt64 = ProcessClock.now()) {
        turnBegan = now
    }

    /// Must be called from the thread that takes grants. Its own processor time since the last turn belongs to the
    /// harness.
    mutating func turnBegins(at now: UInt64 = ProcessClock.now(), taker: UInt64 = ProcessClock.ofThread()) {
        // What the taker did before its first turn does not belong to a gap.
        if let turnEnded, ofTaker > 0 {
            let own = Nanoclock.elapsed(from: ofTaker, to: taker)
            between += Nanoclock.elapsed(from: own, to: Nanoclock.elapsed(from: turnEnded, to: now))
        }
        (turnBegan, ofTaker) = (now, taker)
    }

    mutating func turnEnds(at now: UInt64 = ProcessClock.now()) {
        inTurns += Nanoclock.elapsed(from: turnBegan, to: now)
        turnEnded = now
    }

    /// The processor time between turns as a share of that in turns; `nil` where there was only one turn.
    var shareOutside: Double? {
        turnEnded == nil || inTurns == 0 ? nil : Double(between) / Double(inTurns)
    }
}
