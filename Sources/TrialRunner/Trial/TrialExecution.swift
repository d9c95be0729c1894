import CacheStrategies
import Foundation
import Measurement
import Origins
import Payloads
import TrialModel

/// One trial in its own process: opens the strategy, runs the phases, reads what they left behind.
struct TrialExecution<Strategy: CacheStrategy>: Sendable where Strategy.Key: TrialKey, Strategy.Value == Payload {
    private let specification: TrialSpecification
    private let channel: TrialChannel
    private let preferredDriver: Driver
    /// Runs a phase on dedicated threads; only synchronous strategies can.
    private let runOnThreads: (@Sendable (PhaseWork<Strategy>) async -> PhaseOutcome)?

    private var scenario: Scenario { specification.scenario }

    init(_ specification: TrialSpecification, _ channel: TrialChannel) {
        self.specification = specification
        self.channel = channel
        preferredDriver = .tasks
        runOnThreads = nil
    }

    init(synchronous specification: TrialSpecification, _ channel: TrialChannel, preferred: Driver)
    where Strategy: SynchronousCacheStrategy {
        self.specification = specification
        self.channel = channel
        preferredDriver = preferred
        runOnThreads = { await ThreadClients.run($0) }
    }

    /// Runs all phases, off the main actor: the trial's main thread never blocks, because some strategies need it.
    @concurrent
    func run() async throws {
        let payloads = PayloadFactory(specification: scenario.values, seed: scenario.seed)
        let origin = try await openOrigin(payloads)
        do {
            try await runPhases(payloads: payloads, origin: origin)
        } catch {
            try? await origin.shutdown()
            throw error
        }
        try await origin.shutdown()
        channel.send(.finished)
    }

    @concurrent
    private func runPhases(payloads: PayloadFactory, origin: any Origin) async throws {
        let keys = (0..<scenario.keys.count).map { Strategy.Key(trialKeyNumber: $0) }
        let sizes = (0..<scenario.keys.count).map { UInt32(clamping: payloads.size(ofKey: UInt64($0))) }
        let untouched = MemoryMeter.read()
        var strategy: Strategy? = try open()
        for (index, phase) in scenario.phases.enumerated() {
            if phase.reopen {
                await strategy?.close()
                strategy = nil
                strategy = try open()
            }
            guard let current = strategy else { return }
            let work = PhaseWork(
                strategy: current, keys: keys, sizes: sizes, origin: origin, payloads: payloads, scenario: scenario,
                phaseIndex: index)
            var result = try await run(work)
            if index == scenario.phases.indices.last {
                strategy = nil
                result = await finish(work, result, untouched: untouched)
            }
            channel.send(.phaseFinished(result))
        }
    }

    /// Runs one phase between two readings of everything that is counted elsewhere.
    @concurrent
    private func run(_ work: PhaseWork<Strategy>) async throws -> PhaseResult {
        let phase = work.phase
        let threads =
            phase.driver == .tasks || (phase.driver == .automatic && preferredDriver == .tasks)
            ? nil : runOnThreads
        let driver: Driver = threads == nil ? .tasks : .threads
        channel.send(.phaseStarted(name: phase.name, driver: driver))
        work.origin.beginPhase(work.phaseIndex)
        let statisticsBefore = await work.strategy.statistics()
        MemoryMeter.resetPeak()
        let memoryBefore = MemoryMeter.read()

        let outcome = if let threads { await threads(work) } else { await TaskClients.run(work) }

        let memoryAfter = MemoryMeter.read()
        let originLog = try await settledLog(of: work)
        let books = PhaseBooks(
            key: RowKey(trial: specification.identity, phase: phase.name), scenario: scenario, phase: phase,
            driver: driver, outcome: outcome, originLog: originLog, statisticsBefore: statisticsBefore,
            statisticsAfter: await work.strategy.statistics(), memoryBefore: memoryBefore, memoryAfter: memoryAfter)
        return books.result()
    }

    /// The origin's log of the phase, once no request of it is under way any more.
    private func settledLog(of work: PhaseWork<Strategy>) async throws -> OriginLog {
        let limit = ContinuousClock.now + .seconds(5)
        while true {
            let log = try await work.origin.log(phase: work.phaseIndex)
            if log.underWay == 0 || ContinuousClock.now > limit { return log }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Empties the strategy, drops it, and adds to the last phase's memory row what remained each time.
    @concurrent
    private func finish(
        _ last: consuming PhaseWork<Strategy>, _ result: PhaseResult, untouched: MemoryReading
    ) async -> PhaseResult {
        var result = result
        let entries = await last.strategy.statistics().entryCount
        let full = MemoryMeter.read().allocatedBytes
        await last.strategy.removeAll()
        _ = await last.strategy.statistics()  // Waits for removals in the background.
        result.memory?.bytesAfterRemoveAll = MemoryMeter.read().allocatedBytes
        await last.strategy.close()
        _ = consume last
        let dropped = MemoryMeter.read().allocatedBytes
        result.memory?.bytesAfterDrop = dropped
        if let full, let dropped, let entries, entries > 0, full >= dropped {
            result.memory?.bytesPerEntry = Double(full - dropped) / Double(entries)
        }
        return result
    }

    private func open() throws -> Strategy {
        let lifetime = scenario.values.timeToLive.map { Duration.nanoseconds(Int64(clamping: $0)) }
        return try Strategy(
            configuration: StrategyConfiguration(
                entryLimit: scenario.capacity.entries, costLimit: scenario.capacity.bytes, timeToLive: lifetime,
                directory: URL(fileURLWithPath: specification.directory, isDirectory: true)))
    }

    private func openOrigin(_ payloads: PayloadFactory) async throws -> any Origin {
        guard let address = specification.originAddress else {
            return MemoryOrigin(scenarioSeed: scenario.seed, values: scenario.values, origin: scenario.origin)
        }
        return try await HTTPOrigin(
            address: address, trial: specification.trialName, scenarioSeed: scenario.seed, values: scenario.values,
            origin: scenario.origin, concurrency: scenario.mostConcurrentLoads,
            preparedKeyCount: scenario.mostKeysAskedFor)
    }
}

extension Scenario {
    /// How many keys a trial can ask for: no more than it has operations. The server encodes their values before the
    /// trial, because compressing a picture takes longer than its scripted delay.
    fileprivate var mostKeysAskedFor: Int {
        var operations = 0
        for phase in phases {
            guard case .operations(let count) = phase.length else { return keys.count }
            operations = min(keys.count, operations + min(count, keys.count))
        }
        return operations
    }

    /// How many loads can be under way at once: every client with its burst.
    fileprivate var mostConcurrentLoads: Int {
        phases.map { $0.clients * ($0.mix[.burst] > 0 ? $0.burstWidth : 1) }.max() ?? 1
    }
}
