import CacheStrategies
import TrialModel

/// Runs scripts against new instances of one synchronous strategy, each with its callers as threads in the requested
/// order. Its memory is reused for all of them.
final class ThreadTrial<Strategy: SynchronousCacheStrategy>
where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    private let schedule: ThreadSchedule
    private let recorder = ScheduleRecorder()
    private let origin: ThreadOrigin
    private let configuration: StrategyConfiguration
    private let folders: ScheduleFolders

    /// - Throws: ``ExplorationError`` if the library is not loaded, and the file system's error.
    init(configuration: StrategyConfiguration) throws {
        let schedule = try ThreadSchedule.required()
        self.schedule = schedule
        self.configuration = configuration
        origin = ThreadOrigin(recorder, schedule)
        folders = try ScheduleFolders()
    }

    /// Runs one schedule to its end.
    ///
    /// - Throws: the strategy's error when it can't be opened.
    func run(_ script: ScheduleScript, _ order: ScheduleOrder) throws -> ExploredSchedule {
        var random = RandomSource(seed: order.seed, stream: 1)
        let isWalked = order.choice == .preemptions
        var configuration = configuration.limited(by: script, recorder.clock)
        configuration.directory = try folders.fresh()
        recorder.begin(callerCount: script.callers.count, entryLimit: configuration.entryLimit)
        origin.begin(random: RandomSource(seed: order.seed, stream: 2), holds: !isWalked)
        // This is about the number of steps of a lock-based cache; the drops of priorities are spread over so many
        // steps.
        schedule.begin(order, expectedSteps: 6 * script.operationCount)
        defer { schedule.end() }
        guard let strategy = try open(configuration) else { return outside }
        var names = try start(script, strategy)
        var ending = schedule.run()
        var stop = ThreadStop(ending, schedule, names, hasLostCallers: recorder.callersInFlight > 0)
        if stop == nil, ending != .outside {
            recorder.isClosed = true
            let keyCount = isWalked || random.next(below: 4) == 0 ? script.keyCount : 0
            let steps = schedule.eventCount
            (ending, stop) = close(strategy, keyCount: keyCount)
            if stop == nil, recorder.endFindings.isEmpty { names.stepsMax = steps }
        }
        if ending == .outside { return outside }
        if let stop { recorder.note(stop.finding) }
        var seen = TraceDigest()
        seen.add(recorder)
        var digest = TraceDigest()
        digest.add(schedule.digest)
        digest.add(seen.value)
        return ExploredSchedule(
            recorder: recorder, isEndless: false, digest: digest.value, historyDigest: seen.value,
            decisions: isWalked ? schedule.decisions : [], unseen: schedule.unseen,
            switchPoints: schedule.switchPoints.union(.anyAtomic),
            timeline: order.isTraced ? ThreadTimeline(schedule, names).lines : [])
    }

    /// An order that had to end, and with it the exploration.
    private var outside: ExploredSchedule {
        ExploredSchedule(
            recorder: recorder, isEndless: true, digest: schedule.digest, historyDigest: 0, unseen: schedule.unseen)
    }

    /// Opens the strategy on a thread of the order, so that the threads it starts belong to it.
    ///
    /// - Returns: `nil` where something that is not controlled would run beside the order.
    private func open(_ configuration: StrategyConfiguration) throws -> Strategy? {
        var opened: Result<Strategy, any Error>?
        let number = schedule.add { opened = Result { try Strategy(configuration: configuration) } }
        let ending = schedule.run(isOpening: true)
        if ending == .outside { return nil }
        let names = ThreadNames(callers: [number: "the thread that opens it"])
        let stop = ThreadStop(ending, schedule, names, hasLostCallers: opened == nil)
        guard stop == nil, let opened else {
            throw ExplorationError(description: "opening the strategy failed: \(stop?.text ?? "it never ended")")
        }
        return try opened.get()
    }

    /// Adds the callers.
    ///
    /// - Returns: the names of their threads.
    /// - Throws: ``ExplorationError`` if the strategy's own threads leave no room for them.
    private func start(_ script: ScheduleScript, _ strategy: Strategy) throws(ExplorationError) -> ThreadNames {
        var names = ThreadNames(stepsBefore: schedule.eventCount)
        for caller in script.callers.indices {
            let client = ThreadCaller(strategy: strategy, caller: caller, recorder: recorder, origin: origin)
            let operations = script.callers[caller]
            let schedule = schedule
            let number = schedule.add {
                for (index, operation) in operations.enumerated() {
                    if index > 0 { schedule.pause() }
                    client.perform(operation)
                }
                client.recorder.end()
            }
            guard number >= 0 else {
                throw ExplorationError(
                    description: "its own threads leave no room for callers: an exploration has 64 threads")
            }
            names.callers[number] = "client \(caller + 1)"
        }
        return names
    }

    /// Checks the state that the callers left behind, when all have returned, and closes the strategy.
    ///
    /// - Parameter keyCount: the number of keys for which a load must fetch again; each takes time.
    private func close(_ strategy: Strategy, keyCount: Int) -> (ThreadSchedule.Ending, ThreadStop?) {
        let probe = ThreadCaller(strategy: strategy, caller: 0, recorder: recorder, origin: origin)
        var hasEnded = false
        let number = schedule.add {
            probe.probe(keyCount: keyCount)
            // An `NSCache` that is dropped with entries in it leaks them on Linux.
            strategy.removeAll()
            strategy.close()
            hasEnded = true
        }
        let ending = schedule.run()
        let names = ThreadNames(callers: [number: "a caller after all others"])
        return (ending, ThreadStop(ending, schedule, names, hasLostCallers: !hasEnded))
    }
}
