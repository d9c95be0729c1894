import CacheStrategies
import TrialModel

/// Runs scripts against new instances of one strategy, each in the order of a seed. Its memory is reused for all of
/// them.
final class ScheduledTrial<Strategy: CacheStrategy>
where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    private let loop: ScheduledRunLoop
    private let recorder = ScheduleRecorder()
    private let origin: ScheduledOrigin
    private let configuration: StrategyConfiguration
    private let isolatesCancellation: Bool
    /// The schedule of the strategy's own threads and queues; `nil` if it has none that can be ordered.
    private let threads: ThreadSchedule?
    private let folders: ScheduleFolders?
    private let stored: UnseenOrders

    /// A schedule that runs longer than this many jobs counts as endless: the largest script takes some thousands.
    private static var stepsMax: Int { 200_000 }

    /// The result of a schedule, in addition to its records.
    struct Result {
        var ending: Ending
        /// A digest of the order of its jobs and of all observations of callers and origin.
        var digest: UInt64
        /// A digest of the observations of callers and origin only; schedules with the same one are judged once.
        var historyDigest: UInt64
    }

    /// How a schedule ended.
    enum Ending {
        /// Nothing is left to run; a caller that has not returned never will.
        case quiet
        /// There is always something left to run.
        case endless
    }

    /// - Parameter threads: orders the strategy's own threads; `nil` where it has none.
    init(configuration: StrategyConfiguration, threads: ThreadSchedule? = nil) throws {
        loop = try ScheduledRunLoop()
        self.threads = threads
        let found = StoredTypes.findings(Strategy.self)
        // An actor's code does not run on two threads at a time.
        let isAlone = threads == nil && Strategy.self is any Actor.Type
        stored = isAlone ? [] : UnseenOrders(found, isDeclared: Strategy.declaration.usesAtomics)
        if threads == nil, let executor = found.first(where: { $0.kind == .executor }) {
            throw ExplorationError(
                description: "the executor \(executor.description) runs tasks where no order can be chosen; name the "
                    + "strategy with 'exploring(withThreads:)', which controls the executor's threads and queues")
        }
        folders = Strategy.declaration.promises.durability == .none ? nil : try ScheduleFolders()
        origin = ScheduledOrigin(recorder)
        self.configuration = configuration
        isolatesCancellation = Strategy.declaration.promises.cancellation == .isolated
    }

    /// The records of the last schedule.
    var record: ScheduleRecorder { recorder }

    /// Runs one schedule to its end.
    ///
    /// - Throws: the strategy's error when it can't be opened.
    func run(_ script: ScheduleScript, seed: UInt64) throws -> Result {
        var random = RandomSource(seed: seed, stream: 1)
        recorder.begin(callerCount: script.callers.count)
        origin.begin(random: RandomSource(seed: seed, stream: 2))
        let granularity: ScheduledRunLoop.Granularity = random.next(below: 2) == 0 ? .hops : .suspensions
        var digest = TraceDigest()
        var configuration = configuration
        configuration.directory = try folders?.fresh()
        let strategy = try Strategy(configuration: configuration)
        let ending = loop.capturing {
            for caller in script.callers.indices { start(caller, script.callers[caller], strategy) }
            var ending = settle(&random, granularity, &digest)
            if case .quiet = ending, recorder.callersInFlight == 0 {
                recorder.isClosed = true
                startProbe(strategy, keyCount: random.next(below: 4) == 0 ? script.keyCount : 0)
                ending = settle(&random, granularity, &digest)
                if threads != nil {
                    Task.detached { @concurrent in await strategy.close() }
                    _ = settle(&random, granularity, &digest)
                }
            }
            if case .endless = ending { loop.forgetAll() }
            return ending
        }
        var seen = TraceDigest()
        seen.add(recorder.history)
        digest.add(seen.value)
        return Result(ending: ending, digest: digest.value, historyDigest: seen.value)
    }

    /// Runs jobs and answers fetches, one at a time as the random numbers choose, until nothing is left.
    private func settle(
        _ random: inout RandomSource, _ granularity: ScheduledRunLoop.Granularity, _ digest: inout TraceDigest
    ) -> Ending {
        for _ in 0..<Self.stepsMax {
            threads?.pause()
            let ready = loop.readyCount
            let choices = ready + origin.promptCount
            if choices == 0 {
                // Threads that can continue may give a task something to do.
                threads?.pause(isHeld: true)
                if loop.readyCount + origin.promptCount > 0 || loop.wake() { continue }
                guard origin.holdsFetches else { return .quiet }
                noteWaiting()
                origin.release()
                continue
            }
            let choice = choices == 1 ? 0 : Int(random.next(below: UInt64(choices)))
            digest.add(UInt64(choice) << 32 | UInt64(choices))
            if choice < ready {
                loop.run(at: choice, granularity)
            } else {
                origin.answer(at: choice - ready)
            }
        }
        return .endless
    }

    /// Runs one schedule to its end, with the strategy's own threads. The thread that runs tasks is one of the ordered
    /// threads.
    ///
    /// - Throws: the strategy's error when it can't be opened.
    func explored(_ script: ScheduleScript, _ order: ScheduleOrder) throws -> ExploredSchedule {
        guard let threads else {
            var explored = ExploredSchedule(recorder, try run(script, seed: order.seed))
            explored.unseen = stored
            return explored
        }
        threads.begin(order, expectedSteps: 20 * script.operationCount)
        loop.share(threads.isControlled)
        defer {
            loop.share(nil)
            threads.end()
        }
        var result: Swift.Result<Result, any Error>?
        let carrier = threads.add { result = Swift.Result { try self.run(script, seed: order.seed) } }
        let names = ThreadNames(callers: [carrier: "tasks"])
        let stop = ThreadStop(threads.run(), threads, names, hasLostCallers: result == nil)
        if let stop { recorder.note(stop.finding) }
        let known = try result?.get() ?? Result(ending: .quiet, digest: 0, historyDigest: 0)
        var digest = TraceDigest()
        digest.add(known.digest)
        digest.add(threads.digest)
        var explored = ExploredSchedule(recorder, known)
        explored.digest = digest.value
        explored.unseen = threads.unseen.union(stored)
        explored.timeline = order.isTraced ? ThreadTimeline(threads, names).lines : []
        return explored
    }

    /// Only callers that wait for the origin are left; a caller that has given up should not be among them.
    private func noteWaiting() {
        guard isolatesCancellation, let caller = recorder.callerGivingUp else { return }
        recorder.note(
            EndFinding(
                promise: .cancellation,
                what: "client \(caller + 1) gave up its load and still waited for the origin's answer"))
    }

    private func start(_ caller: Int, _ operations: [ScriptedOperation], _ strategy: Strategy) {
        let client = ScriptedCaller(strategy: strategy, caller: caller, recorder: recorder, origin: origin)
        Task.detached { @concurrent in
            for operation in operations { await client.perform(operation) }
            client.recorder.end()
        }
    }

    /// Checks the state that the callers left behind, when all have returned and all fetches have ended.
    ///
    /// - Parameter keyCount: the number of keys for which a load must fetch again; each takes time.
    private func startProbe(_ strategy: Strategy, keyCount: Int) {
        let probe = ScriptedCaller(strategy: strategy, caller: 0, recorder: recorder, origin: origin)
        Task.detached { @concurrent in await probe.probe(keyCount: keyCount) }
    }
}
