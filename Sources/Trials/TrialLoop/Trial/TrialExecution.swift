import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Measurement
import Origins
import Platform
import Schedules
package import TimedStrategies
import TrialModel
import WorkloadGeneration

extension Strategy {
    /// Runs one trial in this process and sends its results to the channel.
    ///
    /// - Parameter turns: the gate at which it waits for its turns, when it takes turns with other processes.
    /// - Throws: the reason why the trial could not run, such as an origin that can't be reached or a strategy that
    ///   does not open.
    package func runTrial(
        _ specification: TrialSpecification, channel: TrialChannel, turns: TurnGate? = nil
    ) async throws {
        var specification = specification
        specification.scenario = specification.scenario.sending(only: operations)
        try await TrialExecution(strategy: self, specification: specification, channel: channel, turns: turns).run()
    }
}

/// One trial in its own process: opens the strategy, runs the phases, collects their results.
struct TrialExecution: Sendable {
    let strategy: Strategy
    let specification: TrialSpecification
    let channel: TrialChannel
    var turns: TurnGate?

    var scenario: Scenario { specification.scenario }
    var declaration: StrategyDeclaration { strategy.declaration }

    /// Runs all phases, off the main actor: the trial's main thread never blocks, because some strategies need it.
    @concurrent
    func run() async throws {
        await turns?.wait(beforePhase: 0)
        let payloads = try PayloadFactory(reading: scenario.values, seed: scenario.seed)
        let trace = try readTrace()
        let origin = try await openOrigin(payloads)
        do {
            try await runPhases(payloads: payloads, trace: trace, origin: origin)
        } catch {
            try? await origin.shutdown()
            throw error
        }
        try await origin.shutdown()
        channel.send(.finished)
    }

    /// What the phases share.
    final class State {
        let opening: StrategyOpening
        /// A cache that does nothing, with the same keys; `nil` where the instructions of operations are not counted.
        let bare: OpenStrategy?
        let sizes: [UInt32]
        let payloads: PayloadFactory
        let trace: TraceWorkload?
        let origin: any Origin
        /// The only reference between two phases, so that clearing it drops the strategy.
        var strategy: OpenStrategy?
        /// Whether it was opened before.
        var hasOpened = false
        /// The clients' records, in a trial that is checked.
        var history: TrialHistory?
        /// Findings from the final contents about the strategy's promises, in a trial that is checked.
        var contents: [PromiseFinding] = []
        /// The hit ratio of the last phase that had lookups.
        var hitRatio: Double?
        /// Ends a trial whose cache hangs; `nil` where another process lets it wait, or where no times are measured.
        let watch: CacheWatch?

        init(_ execution: TrialExecution, _ payloads: PayloadFactory, _ trace: TraceWorkload?, _ origin: any Origin)
            throws
        {
            let (specification, keys) = (execution.specification, execution.scenario.keys)
            opening = try execution.strategy.opening(keys.kind, keyCount: keys.count)
            // The harness's own instructions in an operation are counted with a strategy that does nothing.
            bare =
                specification.purpose == .counts && !execution.strategy.isCountedAsWhole
                ? try Strategy.bare.opening(keys.kind, keyCount: keys.count)(StrategyConfiguration()) : nil
            sizes = (0..<keys.count).map { UInt32(clamping: payloads.size(ofKey: UInt64($0))) }
            (self.payloads, self.trace, self.origin) = (payloads, trace, origin)
            history = execution.scenario.check && specification.purpose == .times ? TrialHistory() : nil
            watch = execution.cacheWatch()
        }

        /// One call of the cache outside of phases.
        func call<Answer>(_ name: String, _ body: () async throws -> Answer) async rethrows -> Answer {
            guard let watch else { return try await body() }
            return try await watch.call(name, body)
        }
    }

    /// The scenario's trace; every trial reads it for itself.
    private func readTrace() throws -> TraceWorkload? {
        guard let trace = scenario.keys.trace else { return nil }
        let workload = try TraceWorkload(trace, keepsTimes: scenario.phases.contains { $0.arrival == .trace })
        try workload.check(against: scenario.keys)
        return workload
    }

    @concurrent
    private func runPhases(payloads: PayloadFactory, trace: TraceWorkload?, origin: any Origin) async throws {
        let state = try State(self, payloads, trace, origin)
        defer { state.watch?.end() }
        if scenario.keepsStages, specification.purpose == .times { Payload.noteDecoding() }
        for (index, phase) in scenario.phases.enumerated() {
            let openNanoseconds =
                state.strategy == nil
                ? try await state.call("the opening of the cache") { try timedOpening(state) } : nil
            if index > 0, !phase.warmUp { await turns?.wait(beforePhase: index) }
            var result = try await run(index, state)
            result.trial.openNanoseconds = openNanoseconds
            if index == scenario.phases.indices.last {
                await finish(state, &result)
            } else if scenario.phases[index + 1].reopen {
                result.trial.closeNanoseconds = await timedClosing(state)
            }
            channel.send(.phaseFinished(result))
        }
        try await judge(state)
    }

    /// Opens the strategy; returns how long that took, in nanoseconds.
    private func timedOpening(_ state: State) throws -> UInt64 {
        let start = Nanoclock.now()
        if state.hasOpened { state.history?.noteLoss(in: start...start) }
        state.hasOpened = true
        state.strategy = try open(state)
        return Nanoclock.elapsed(from: start, to: Nanoclock.now())
    }

    /// Closes the strategy and drops it; returns how long that took, in nanoseconds.
    private func timedClosing(_ state: State) async -> UInt64 {
        let start = Nanoclock.now()
        await drop(state)
        return Nanoclock.elapsed(from: start, to: Nanoclock.now())
    }

    /// Checks the strategy's promises, once everything is measured.
    private func judge(_ state: State) async throws {
        let payloads = state.payloads
        guard var history = state.history else { return }
        state.history = nil
        channel.send(.judging)
        history.add(try await state.origin.requestList(), mayFailUnseen: specification.originAddress != nil)
        if let least = leastRefusedCost { history.noteRefusals { payloads.size(ofKey: $0, version: $1) >= least } }
        channel.send(.judged(history.findings(by: declaration.promises, terms(payloads)) + state.contents))
    }

    /// The least cost of an entry that the strategy may refuse while it keeps the key's old value; `nil` where it keeps
    /// none.
    private var leastRefusedCost: Int? {
        let promises = declaration.promises
        guard promises.limitRules.refusedReplacement == .keepsOld, declaration.bounds.contains(.cost),
            let limit = scenario.capacity.bytes
        else { return nil }
        // The contract does not say whether an entry of exactly the share is held, nor how the share is rounded.
        return promises.limitRules.largestEntry < 1
            ? Int(Double(limit) * promises.limitRules.largestEntry) - 1 : limit + 1
    }

    /// Runs one phase between two readings of all counters outside the clients.
    private func run(_ index: Int, _ state: State) async throws -> PhaseResult {
        guard let strategy = state.strategy else { throw HarnessError("no strategy is open in phase \(index)") }
        let isCounted = specification.purpose == .counts && scenario.phases[index].isCounted
        let bare = isCounted ? state.bare : nil
        var work = PhaseWork(
            strategy: bare.map(strategy.counted(beside:)) ?? strategy, sizes: state.sizes,
            origin: state.origin, payloads: state.payloads,
            trace: state.trace,
            arrivals: ArrivalQueue(scenario: scenario, phaseIndex: index, trace: state.trace),
            scenario: scenario, phaseIndex: index, recordCountMax: recordCountMax(ofPhase: index),
            isBare: specification.purpose == .races, keyProgress: KeyProgress(scenario),
            turns: scenario.phases[index].warmUp ? nil : turns)
        let phase = work.phase
        if specification.purpose == .times {
            work.progress = PhaseProgress { channel.send(.progressed(operations: $0)) }
        }
        work.turns?.begin(clients: phase.clients)
        let driver = driver(of: phase)
        channel.send(.phaseStarted(name: phase.name, driver: driver))
        work.origin.beginPhase(index)
        let statisticsBefore = await state.call(Self.statisticsCall) { await strategy.statistics() }
        MemoryMeter.resetPeak()
        if specification.purpose == .times { await PoolThreads.settle() }
        let memoryBefore = MemoryMeter.read()
        let startSeconds = specification.purpose == .times ? Date.now.timeIntervalSince1970 : nil
        let sampler = samplesStatistics ? StatisticsSampler(work.strategy) : nil

        work.pressure = phase.memoryPressure.map {
            PressureDelivery($0, to: work.strategy, isMeasured: specification.purpose == .times)
        }
        let removalCountMax = scenario.check ? scenario.checkedOperationLimit(ofPhase: index) : nil
        work.invalidation = phase.invalidation.map {
            InvalidationEvents($0, of: work, recordCountMax: removalCountMax)
        }
        work.prefetching = phase.prefetching.map {
            PhasePrefetching($0, of: work.strategy, from: work.origin, isBare: work.isBare)
        }
        if let progress = work.progress, isWatched(work.phase) { state.watch?.begin(progress) }
        if isCounted { CallgrindMarks.begin() }
        var ended = try await runClients(work, driver)
        if isCounted { CallgrindMarks.end() }
        state.watch?.endPhase()
        await work.prefetching?.finish(&ended.clientMetrics)
        if let sampler { state.history?.add(await sampler.samples()) }
        let pressure = await work.pressure?.observation()
        let invalidations = await work.invalidation?.outcome()
        if specification.purpose == .times { await PoolThreads.settle() }
        let memoryAfter = MemoryMeter.read()
        state.history?.add(ended.clientMetrics)
        state.history?.add(work.prefetching?.log?.fetches ?? [])
        state.history?.add(removals: invalidations?.records ?? [])
        if let pressure, pressure.responds { state.history?.noteLoss(in: releaseSpan(pressure)) }
        ended.droppedOperations = work.arrivals?.drain()
        let originLog = try await settledLog(of: work)
        let summary = PhaseSummary(
            key: RowKey(trial: specification.identity, phase: phase.name), work: work, driver: driver, ended: ended,
            originLog: originLog, statisticsBefore: statisticsBefore,
            statisticsAfter: await state.call(Self.statisticsCall) { await strategy.statistics() },
            memoryBefore: memoryBefore, memoryAfter: memoryAfter,
            startSeconds: startSeconds, pressure: pressure, invalidations: invalidations?.events ?? [],
            hitRatioBefore: state.hitRatio,
            promises: declaration.promises)
        state.hitRatio = summary.hitRatio ?? state.hitRatio
        return summary.result()
    }

    /// When a strategy may have released entries under memory pressure: during its response or, where changes are seen
    /// later, until now, the end of the phase.
    private func releaseSpan(_ pressure: PressureDelivery.Observation) -> ClosedRange<UInt64> {
        let isOver = declaration.promises.limitsEveryMoment && !declaration.worksInBackground
        return pressure.delivered...(isOver ? pressure.returned : Nanoclock.now())
    }

    /// Runs the clients of a phase to their end.
    private func runClients(_ work: PhaseWork, _ driver: Driver) async throws -> EndedPhase {
        if let frames = work.phase.frames { return try await FrameClients.run(work, frames) }
        if driver == .threads { return await ThreadClients.run(work) }
        guard specification.purpose == .races else { return await TaskClients.run(work) }
        // The shared pool has one thread a core; a race shows more often with more threads.
        let executors = ThreadExecutors(count: work.phase.clients)
        defer { executors.stop() }
        return await TaskClients.run(work, on: executors)
    }

    /// The watch of this trial's cache; `nil` where it takes turns, because a gate may keep it waiting.
    private func cacheWatch() -> CacheWatch? {
        guard specification.purpose == .times, turns == nil else { return nil }
        // An answer from another process takes as long as that process.
        let isAlone = scenario.origin.kind == .memory && declaration.reach == .oneMachine
        let thinking = scenario.phases.map(\.thinkTime.largest).max() ?? 0
        let (pauses, overflows) = scenario.origin.longestLoadNanoseconds.addingReportingOverflow(thinking)
        guard !overflows else { return nil }
        let limit: Duration = (isAlone ? .seconds(8) : .seconds(30)) + .nanoseconds(Int64(clamping: pauses))
        return CacheWatch(limit) { [channel] reason in
            channel.send(.strategyHung(reason))
            _exit(0)
        }
    }

    /// Whether the clients of a phase send one operation after the other, so that one has to end. Others may have nothing
    /// to do for a while.
    private func isWatched(_ phase: Phase) -> Bool { phase.frames == nil && !phase.arrival.isOpen }

    static let statisticsCall = "a call of statistics"

    /// The driver of a phase's clients.
    private func driver(of phase: Phase) -> Driver {
        if phase.frames != nil { return .main }
        if strategy.suspends || phase.driver == .tasks { return .tasks }
        return phase.driver == .automatic ? strategy.preferredDriver : .threads
    }

    /// How many operations each client records; all of them under a race detector.
    private func recordCountMax(ofPhase index: Int) -> Int? {
        if specification.purpose == .races { return .max }
        return scenario.check ? scenario.checkedOperationLimit(ofClientInPhase: index) : nil
    }

    /// The origin's log of the phase, once none of its requests is in flight any more: a cancelled load may still be on
    /// its way. Waits no longer than the longest load takes.
    private func settledLog(of work: PhaseWork) async throws -> OriginLog {
        let limit = ContinuousClock.now + scenario.origin.settlingTime
        while true {
            let log = try await work.origin.log(phase: work.phaseIndex)
            if log.inFlight == 0 || ContinuousClock.now > limit { return log }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Whether the strategy's entries are in a server that was running before, and that others may use.
    var usesSharedServer: Bool { specification.servers?.addresses[strategy.baseName] != nil }

    /// - Throws: ``StrategyOpenError``; ``HarnessError`` where a named server can't be reached, which is not the
    ///   strategy's fault.
    func open(_ state: State) throws -> OpenStrategy {
        let lifetime = scenario.values.timeToLive.map { Duration.nanoseconds(Int64(clamping: $0)) }
        do {
            return try state.opening(
                StrategyConfiguration(
                    entryLimit: scenario.capacity.entries, costLimit: scenario.capacity.bytes, timeToLive: lifetime,
                    directory: URL(fileURLWithPath: specification.directory, isDirectory: true),
                    clock: turns?.clock.cacheClock ?? .system,
                    servers: specification.servers))
        } catch {
            if usesSharedServer { throw HarnessError("\(declaration.name): \(error)") }
            throw StrategyOpenError(reason: "\(error)")
        }
    }

    private func openOrigin(_ payloads: PayloadFactory) async throws -> any Origin {
        if specification.purpose == .races {
            return UnsharedOrigin(
                scenarioSeed: scenario.seed, values: scenario.values, origin: scenario.originOfTrial, payloads: payloads
            )
        }
        guard let address = specification.originAddress else {
            return MemoryOrigin(
                scenarioSeed: scenario.seed, values: scenario.values, origin: scenario.originOfTrial,
                payloads: payloads,
                entryCountMax: scenario.check ? Scenario.checkedOperationCountMax : 0)
        }
        #if HTTP
            return try await HTTPOrigin(
                address: address, trial: specification.trialName, scenarioSeed: scenario.seed,
                values: scenario.values, origin: scenario.originOfTrial, concurrency: scenario.mostConcurrentLoads,
                preparedKeyCount: scenario.mostKeysAskedFor)
        #else
            throw HarnessError("this build can't ask the server at \(address); build it with the trait HTTP")
        #endif
    }
}

#if HTTP
    extension Scenario {
        /// How many keys a trial can request: no more than it has operations. The server encodes their values before
        /// the trial, because compressing a picture takes longer than its scripted delay.
        fileprivate var mostKeysAskedFor: Int {
            var operations = 0
            for phase in phases {
                guard case .operations(let count) = phase.length else { return keys.count }
                operations = min(keys.count, operations + min(count, keys.count))
            }
            return operations
        }

        /// How many loads can be in flight at once: one for each client, or one for each caller of its burst.
        fileprivate var mostConcurrentLoads: Int {
            phases.map { phase in
                // A cancelled load may still be in flight when the load of the cell's next row begins.
                phase.frames.map { 2 * max($0.cells, $0.loaders) }
                    ?? phase.clients * (phase.mix[.burst] > 0 ? phase.burstWidth : 1)
            }.max() ?? 1
        }
    }
#endif

/// A strategy that did not open. That is the strategy's fault, and not trouble of the harness.
package struct StrategyOpenError: Error {
    package let reason: String
}
