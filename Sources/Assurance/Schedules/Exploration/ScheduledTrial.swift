import CacheStrategies
import TrialModel

/// Runs scripts against new instances of one strategy, each in the order of a seed. Its memory is reused for all of
/// them.
final class ScheduledTrial<Strategy: CacheStrategy>
where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    private let loop: ScheduledRunLoop
    private var recorder = ScheduleRecorder()
    private var origin: ScheduledOrigin
    /// Whether a caller of the last schedule may still return, on a thread that nothing orders.
    private var isOutlived = false
    private let configuration: StrategyConfiguration
    private let open: @Sendable (StrategyConfiguration) throws -> Strategy
    private let isolatesCancellation: Bool
    private let calls: CacheCalls
    /// Whether the strategy may have threads of its own.
    private let startsThreads: Bool
    /// The schedule of the strategy's own threads and queues; `nil` if it has none that can be ordered.
    private let threads: ThreadSchedule?
    private let folders: ScheduleFolders
    /// The jobs in flight on threads of their own.
    private var pool = JobPool()
    /// How many steps there were when all callers had returned.
    private var closingStep = Int.max

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

    /// - Parameters:
    ///   - declaration: what the strategy promises.
    ///   - calls: what can be asked of it.
    ///   - startsThreads: whether it may have threads of its own.
    ///   - threads: orders the strategy's own threads; `nil` where it has none.
    ///   - open: opens the strategy.
    init(
        configuration: StrategyConfiguration, _ declaration: StrategyDeclaration, _ calls: CacheCalls,
        startsThreads: Bool, threads: ThreadSchedule?,
        open: @escaping @Sendable (StrategyConfiguration) throws -> Strategy
    ) throws {
        self.open = open
        loop = try ScheduledRunLoop()
        self.threads = threads
        folders = try ScheduleFolders()
        origin = ScheduledOrigin(recorder)
        self.configuration = configuration
        (self.calls, self.startsThreads) = (calls, startsThreads)
        isolatesCancellation = declaration.promises.cancellation == .isolated && calls.contains(.cancellation)
    }

    /// Runs one schedule to its end.
    ///
    /// - Throws: the strategy's error when it can't be opened.
    func run(_ script: ScheduleScript, seed: UInt64) throws -> Result {
        if isOutlived {
            recorder = ScheduleRecorder()
            origin = ScheduledOrigin(recorder)
        }
        var random = RandomSource(seed: seed, stream: 1)
        var configuration = configuration.limited(by: script, recorder.clock)
        recorder.begin(callerCount: script.callers.count, entryLimit: configuration.entryLimit)
        origin.begin(random: RandomSource(seed: seed, stream: 2))
        let granularity: ScheduledRunLoop.Granularity = random.next(below: 2) == 0 ? .hops : .suspensions
        var digest = TraceDigest()
        configuration.directory = try folders.fresh()
        let ending = try loop.capturing {
            let strategy = try open(configuration)
            for caller in script.callers.indices { start(caller, script.callers[caller], strategy) }
            var ending = settle(&random, granularity, &digest)
            if case .quiet = ending, recorder.callersInFlight == 0 {
                recorder.isClosed = true
                closingStep = threads?.eventCount ?? .max
                let probe = ScriptedCaller(strategy: strategy, caller: 0, recorder: recorder, origin: origin)
                let keyCount = random.next(below: 4) == 0 && calls.contains(.remove) ? script.keyCount : 0
                startProbe { await probe.probe(keyCount: keyCount) }
                ending = settle(&random, granularity, &digest)
                if threads != nil || loop.hasSleepers {
                    startProbe { await strategy.close() }
                    _ = settle(&random, granularity, &digest)
                }
            } else if case .quiet = ending, recorder.statisticsInFlight > 0 {
                recorder.note(EndFinding(promise: .noLostCaller, what: "a call of statistics never returned"))
            }
            loop.forgetAll()
            return ending
        }
        isOutlived = threads == nil && recorder.stop()
        var seen = TraceDigest()
        seen.add(recorder)
        digest.add(seen.value)
        return Result(ending: ending, digest: digest.value, historyDigest: seen.value)
    }

    /// Runs jobs and answers fetches, one at a time as the random numbers choose, until nothing is left.
    private func settle(
        _ random: inout RandomSource, _ granularity: ScheduledRunLoop.Granularity, _ digest: inout TraceDigest
    ) -> Ending {
        var time = PassingTime()
        for _ in 0..<Self.stepsMax {
            threads?.pause()
            let ready = pool.hasRoom ? loop.readyCount : 0
            let choices = ready + origin.promptCount
            if choices > 0, time.races(loop, &random) { continue }
            if choices == 0 {
                // Threads that can continue may give a task something to do.
                threads?.pause(isHeld: true)
                if (pool.hasRoom ? loop.readyCount : 0) + origin.promptCount > 0 { continue }
                if pool.mayGoOn() { continue }
                let isAwaited = recorder.callersInFlight > 0
                if time.passes(loop, isAwaited: isAwaited, isPatient: origin.holdsFetches) { continue }
                guard origin.holdsFetches else { return .quiet }
                noteWaiting()
                origin.release()
                continue
            }
            let choice = choices == 1 ? 0 : Int(random.next(below: UInt64(choices)))
            digest.add(UInt64(choice) << 32 | UInt64(choices))
            if choice < ready {
                run(at: choice, granularity)
            } else {
                origin.answer(at: choice - ready)
            }
        }
        return .endless
    }

    /// Runs a ready job until its task waits: where threads are ordered, on one of them, as on the runtime's pool.
    private func run(at index: Int, _ granularity: ScheduledRunLoop.Granularity) {
        guard let threads else { return loop.run(at: index, granularity) }
        guard let job = loop.take(at: index) else { return }
        pool.inFlight += 1
        let number = threads.add { [self] in
            while job.isMain, pool.runsMain { threads.pause(isHeld: true) }
            if job.isMain { pool.runsMain = true }
            loop.run(job, granularity)
            if job.isMain { pool.runsMain = false }
            pool.inFlight -= 1
        }
        guard number >= 0 else {
            // There is no room for another thread, and a job that is not run would look like a lost caller.
            pool.inFlight -= 1
            return loop.run(job, granularity)
        }
        pool.numbers.insert(number)
    }

    /// Runs one schedule to its end, with the strategy's own threads. The thread that runs tasks is one of the ordered
    /// threads.
    ///
    /// - Throws: the strategy's error when it can't be opened.
    func explored(_ script: ScheduleScript, _ order: ScheduleOrder) throws -> ExploredSchedule {
        guard let threads else {
            let result = try run(script, seed: order.seed)
            var explored = ExploredSchedule(recorder, result)
            explored.unseen = startsThreads ? .threads : []
            explored.switchPoints = .tasks.union(.anyAtomic)
            return explored
        }
        threads.begin(order, expectedSteps: 20 * script.operationCount)
        pool = JobPool()
        loop.share(threads.isControlled)
        defer {
            loop.share(nil)
            threads.end()
            // What threads made ready after the last caller would run in the next schedule.
            loop.forgetAll()
        }
        var result: Swift.Result<Result, any Error>?
        let carrier = threads.add { result = Swift.Result { try self.run(script, seed: order.seed) } }
        let ending = threads.run()
        var names = ThreadNames(callers: [carrier: ThreadNames.pool])
        for number in pool.numbers { names.callers[number] = "pool thread \(number)" }
        let stop = ThreadStop(ending, threads, names, hasLostCallers: result == nil || pool.inFlight > 0)
        if let stop { recorder.note(stop.finding) }
        if recorder.isClosed, recorder.endFindings.isEmpty { names.stepsMax = closingStep }
        let known = try result?.get() ?? Result(ending: .quiet, digest: 0, historyDigest: 0)
        var digest = TraceDigest()
        digest.add(known.digest)
        digest.add(threads.digest)
        var explored = ExploredSchedule(recorder, known)
        explored.digest = digest.value
        explored.isEndless = explored.isEndless || ending == .outside
        explored.unseen = threads.unseen
        explored.switchPoints = threads.switchPoints.union([.tasks, .anyAtomic])
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

    /// Starts work after all callers have returned and all fetches have ended: checks the state that they left behind,
    /// or closes the strategy.
    private func startProbe(_ body: @escaping @Sendable () async -> Void) {
        recorder.beginOne()
        let recorder = recorder
        Task.detached { @concurrent in
            await body()
            recorder.end()
        }
    }
}

/// The jobs of tasks that run on threads of their own, as on the runtime's pool.
private struct JobPool {
    /// How many jobs run or wait for a lock at once: more than the cores of a small machine.
    private static let jobsMax = 3

    var inFlight = 0
    /// Whether one of them belongs to the main actor.
    var runsMain = false
    /// The threads that ran jobs.
    var numbers: Set<Int> = []

    var hasRoom: Bool { inFlight < Self.jobsMax }

    /// How often nothing has happened since a job was last started.
    private var idle = 0

    /// Whether a job in flight may still go on, after nothing else could: one that waits for a lock of the task runtime
    /// tries again and again.
    mutating func mayGoOn() -> Bool {
        idle = inFlight > 0 ? idle + 1 : 0
        return idle % 8 != 0
    }
}
