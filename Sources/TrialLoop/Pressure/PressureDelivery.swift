import CacheStrategies
import Measurement
import TimedStrategies
import TrialModel

/// Signals memory pressure to a strategy, a little after a phase's clients have begun, and observes what it does.
///
/// It reads the strategy's own statistics twice while clients are running, which the protocol of such strategies
/// allows. The reading at the end of the phase is the one that every phase has.
struct PressureDelivery: Sendable {
    /// What was observed.
    struct Outcome: Sendable {
        let level: PressureLevel
        var responds = false
        /// When the signal was delivered, on the trial's clock, and when the strategy had responded.
        var delivered: UInt64 = 0
        var returned: UInt64 = 0
        var before: CacheStatistics?
        var after: CacheStatistics?
        /// The statistics 100 ms later, or at the end of a shorter phase.
        var later: CacheStatistics?
        var allocatedBefore: UInt64?
        var allocatedLater: UInt64?
    }

    /// Receives the time at which the clients are released, from the first of them.
    let release: AsyncStream<UInt64>.Continuation
    private let task: Task<Outcome, Never>

    /// How long clients run before the signal, in nanoseconds: long enough for loads to be in flight.
    static let lead: UInt64 = 5_000_000

    /// - Parameter isMeasured: whether statistics are read; under a race detector, reading them would create
    ///   happens-before edges between callers.
    init(_ level: PressureLevel, to strategy: OpenStrategy, isMeasured: Bool) {
        let (releases, release) = AsyncStream.makeStream(of: UInt64.self)
        self.release = release
        task = Task { @concurrent in
            var released = Nanoclock.now()
            for await time in releases {
                released = time
                break
            }
            await Self.sleep(until: released &+ Self.lead)
            return await Self.deliver(level, to: strategy, isMeasured: isMeasured)
        }
    }

    /// The phase has ended. A signal that was not delivered yet is delivered now.
    func outcome() async -> Outcome {
        release.finish()
        task.cancel()
        return await task.value
    }

    @concurrent
    private static func deliver(
        _ level: PressureLevel, to strategy: OpenStrategy, isMeasured: Bool
    ) async -> Outcome {
        var outcome = Outcome(level: level, responds: strategy.respond != nil)
        func look() async -> CacheStatistics? {
            isMeasured && outcome.responds ? await strategy.statistics() : nil
        }
        outcome.before = await look()
        if isMeasured { outcome.allocatedBefore = MemoryMeter.read().allocatedBytes }
        outcome.delivered = Nanoclock.now()
        if let respond = strategy.respond {
            // It runs in a task of its own, which the end of the phase does not cancel.
            await Task { @concurrent in await respond(level) }.value
        }
        outcome.returned = Nanoclock.now()
        outcome.after = await look()
        await sleep(until: outcome.delivered &+ PressureRow.grace)
        outcome.later = await look()
        if isMeasured { outcome.allocatedLater = MemoryMeter.read().allocatedBytes }
        return outcome
    }

    /// Sleeps, but not beyond the end of the phase.
    private static func sleep(until time: UInt64) async {
        let now = Nanoclock.now()
        if time > now { try? await Task.sleep(for: .nanoseconds(Int64(clamping: time &- now)), tolerance: .zero) }
    }
}
