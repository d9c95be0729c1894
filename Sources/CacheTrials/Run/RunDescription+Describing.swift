import BuiltInStrategies
import Foundation
import Measurement
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

extension RunDescription {
    /// What is about to run, on this machine, from this checkout.
    ///
    /// - Parameters:
    ///   - files: the scenario files.
    ///   - scenarios: the scenarios of these files, as they are run.
    ///   - strategies: the names of those on trial.
    /// - Throws: when a file can no longer be read.
    static func describing(
        files: [ScenarioArguments.File], scenarios: [Scenario], strategies: Set<String>, repetitions: Int?,
        seed: UInt64?, smoke: Bool
    ) async throws(FileDigestError) -> RunDescription {
        let checkout: Checkout? =
            if let path = try? ThisProgram.path() { await Checkout.containing(file: path) } else { nil }
        let machine = Machine.current()
        let overhead = HarnessOverhead.measure()
        let references = try references(files, scenarios, repetitions)
        var description = RunDescription(
            toolVersion: CacheTrialsCommand.version, buildConfiguration: machine.optimized ? "release" : "debug",
            gitCommit: checkout?.commit, gitDirty: checkout?.isDirty, commandLine: CommandLine.arguments,
            host: RunDescription.Host(
                name: machine.host, cpu: machine.processorModel ?? machine.architecture, cores: machine.coreCount,
                memoryBytes: machine.memoryBytes, kernel: machine.kernel, operatingSystem: machine.operatingSystem),
            swiftVersion: machine.swiftVersion, seed: seed,
            scenarios: references,
            strategies: StrategyRegistry.current.ordered(Set(strategies)), repetitions: repetitions,
            smoke: smoke,
            overhead: RunDescription.Overhead(
                clockNanoseconds: overhead.clockReadNanoseconds, recordNanoseconds: overhead.recordNanoseconds),
            loadBefore: machine.loadAverage, start: .now)
        description.allocator = machine.allocator
        return description
    }

    /// Notes that the run, or a part of it that may be resumed, has ended, and what disturbed the machine since a
    /// reading.
    mutating func noteEnd(since before: NoiseReading) {
        let meanwhile = MachineNoise(from: before, to: .current())
        end = .now
        loadAfter = Machine.currentLoadAverage()
        noise = Noise(
            stealShare: meanwhile.stealShare, othersShare: meanwhile.othersShare,
            involuntarySwitches: meanwhile.involuntarySwitches,
            megahertzLowest: meanwhile.megahertz?.lowerBound, megahertzHighest: meanwhile.megahertz?.upperBound,
            warnings: meanwhile.warnings
        ).after(noise)
    }

    private static func references(
        _ files: [ScenarioArguments.File], _ scenarios: [Scenario], _ repetitions: Int?
    ) throws(FileDigestError) -> [ScenarioReference] {
        var references: [ScenarioReference] = []
        for (file, scenario) in zip(files, scenarios) {
            var reference = ScenarioReference(
                name: scenario.point, path: file.path, sha256: try file.digest(),
                seed: scenario.seed, repetitions: repetitions ?? scenario.repetitions)
            reference.exactPhases = scenario.exactPhases
            if scenario.question != .defaults { reference.question = scenario.question }
            reference.smallestDifferences = scenario.smallestDifferences.map { differences in
                Dictionary(differences.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
            }
            if let trace = scenario.keys.trace {
                reference.traceSha256 = try FileDigest.sha256(ofFile: trace.path)
            }
            references.append(reference)
        }
        return references
    }
}
