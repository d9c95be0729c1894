import Dispatch
import Locks
import Measurement
import TrialModel

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
        var figures: [SliceFigures] = []
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
    func arrive(_ figures: SliceFigures) -> UInt64 {
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
    func arriveSuspending(_ figures: SliceFigures) async -> UInt64 {
        await withCheckedContinuation { continuation in
            arrive(figures) { continuation.resume(returning: $0) }
        }
    }

    /// A client has sent all its operations. Its last slice is shorter than the others, and is not counted.
    func leave() {
        endTurn { $0.clients -= 1 }
    }

    private func arrive(_ figures: SliceFigures, _ proceed: @escaping @Sendable (UInt64) -> Void) {
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
            if state.figures.count == state.everyClient { state.slices.append(SliceFigures(of: state.figures)) }
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
        throughputPerSecond = figures.operationsPerSecond
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
