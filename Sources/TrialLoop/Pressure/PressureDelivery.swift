import CacheStrategies
import Measurement
import TimedStrategies
import TrialModel

/// Tells a strategy that the system wants memory back, a little after a phase's clients have begun, and looks what it does.
///
/// Two looks at the strategy's own statistics while clients are at work: the protocol of such strategies allows it. One more
/// at the end of the phase is that of every phase.
struct PressureDelivery: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        let level: PressureLevel
        var responds = false
        /// When the strategy was told, on the trial's clock, and when it had answered.
        var delivered: UInt64 = 0
        var returned: UInt64 = 0
        var before: CacheStatistics?
        var after: CacheStatistics?
        /// 100 ms later, or at the end of a shorter phase.
        var later: CacheStatistics?
        var allocatedBefore: UInt64?
        var allocatedLater: UInt64?
    }

    /// Told by the first client when all are released.
    let release: AsyncStream<UInt64>.Continuation
    private let task: Task<Outcome, Never>

    /// How long clients are at work before, in nanoseconds: long enough for loads to be in flight.
    static let lead: UInt64 = 5_000_000

    /// - Parameter isMeasured: whether anybody looks; under a race detector looking would put callers in an order.
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

    /// The phase has ended. What was not delivered yet is delivered now.
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
            // A task of its own, which the end of the phase does not cancel.
            await Task { @concurrent in await respond(level) }.value
        }
        outcome.returned = Nanoclock.now()
        outcome.after = await look()
        await sleep(until: outcome.delivered &+ PressureRow.grace)
        outcome.later = await look()
        if isMeasured { outcome.allocatedLater = MemoryMeter.read().allocatedBytes }
        return outcome
    }

    /// Sleeps, and no longer than the phase goes on.
    private static func sleep(until time: UInt64) async {
        let now = Nanoclock.now()
        if time > now { try? await Task.sleep(for: .nanoseconds(Int64(clamping: time &- now)), tolerance: .zero) }
    }
}
