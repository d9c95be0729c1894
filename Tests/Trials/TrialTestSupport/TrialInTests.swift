import BuiltInStrategies
import CacheStrategies
import Foundation
import Testing
package import TimedStrategies
package import TrialLoop
package import TrialModel

/// Trials in the process of the tests, with an origin in memory.
package enum TrialInTests {
    /// The results of all phases of a built-in strategy.
    package static func run(
        _ name: String, _ scenario: Scenario, _ purpose: TrialPurpose = .times
    ) async throws -> [PhaseResult] {
        try await messages(name, scenario, purpose).compactMap {
            if case .phaseFinished(let result) = $0 { result } else { nil }
        }
    }

    /// All messages of a trial.
    package static func messages(
        _ name: String, _ scenario: Scenario, _ purpose: TrialPurpose = .times
    ) async throws -> [TrialMessage] {
        try await messages(of: try #require(StrategyRegistry.builtIn[name]), scenario, purpose)
    }

    /// All messages of a trial of a strategy, registered or not.
    package static func messages(
        of strategy: Strategy, _ scenario: Scenario, _ purpose: TrialPurpose = .times
    ) async throws -> [TrialMessage] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (lines, line) = AsyncStream.makeStream(of: Data.self)
        let identity = TrialIdentity(
            scenario: scenario.point, strategy: strategy.declaration.name, repetition: 1)
        try await strategy.runTrial(
            TrialSpecification(
                identity: identity, scenario: scenario, purpose: purpose, originAddress: nil, directory: folder.path),
            channel: TrialChannel { line.yield($0) })
        line.finish()
        var messages: [TrialMessage] = []
        for await data in lines { messages.append(try JSONDecoder().decode(TrialMessage.self, from: data)) }
        return messages
    }
}
