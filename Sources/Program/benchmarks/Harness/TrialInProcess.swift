import BuiltInStrategies
import CacheStrategies
import Foundation
import Locks
import TimedStrategies
import TrialLoop
import TrialModel
import TrialSessions

/// Runs trials in this process, as the process of a trial runs them.
enum TrialInProcess {
    /// Runs a phase against a strategy, with values from an origin in memory without a noticeable delay.
    ///
    /// - Throws: the error that kept the trial from ending.
    static func run(_ registration: Strategy, _ phase: Phase) async throws -> PhaseResult {
        let scenario = Scenario(
            name: ScenarioPoint(named: phase.name), title: phase.name, seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: 1_000, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(entries: 100),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil, phases: [phase])
        let lines = Locked<[Data]>([])
        let channel = TrialChannel { line in lines.withLock { $0.append(line) } }
        let name = registration.declaration.name
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "trial-in-process-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let specification = TrialSpecification(
            identity: TrialIdentity(scenario: scenario.point, strategy: name, repetition: 1), scenario: scenario,
            originAddress: nil, directory: folder.path)
        try await registration.runTrial(specification, channel: channel)
        var last: PhaseResult?
        for line in lines.withLock({ $0 }) {
            if case .phaseFinished(let result) = try JSONDecoder().decode(TrialMessage.self, from: line) {
                last = result
            }
        }
        // When the harness itself was too slow, the result must show that.
        guard let last, last.trial.status == .completed || last.trial.status == .invalid else {
            throw HarnessError("\(scenario.point), \(name): \(last?.trial.reason ?? "the trial left no result")")
        }
        return last
    }

    /// A strategy of this package.
    static func strategy(_ name: String) throws -> Strategy {
        guard let registration = StrategyRegistry.builtIn[name] else {
            throw HarnessError("there is no strategy \(name)")
        }
        return registration
    }
}
