import BuiltInStrategies
import CacheStrategies
import Foundation
import Measurement
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A scenario as it is run, and the strategies on trial.
struct WorkSubject {
    /// The file, with the scenario as it is run.
    var file: ScenarioArguments.File
    var strategies: [Strategy]

    /// The same for a session.
    var inSession: SessionSubject {
        SessionSubject(scenario: file.scenario, path: file.path, strategies: strategies)
    }

    /// Each strategy once.
    var trials: [TrialIdentity] {
        strategies.map {
            TrialIdentity(scenario: file.scenario.point, strategy: $0.declaration.name, repetition: 1)
        }
    }
}

extension [WorkSubject] {
    /// What is in one part of a plan; everything where there is no part.
    func part(_ part: RunDescription.Shard?) -> [WorkSubject] {
        guard let part else { return self }
        let own = Set(part.trials.map { RunPlan.Place(scenario: $0.scenario, strategy: $0.strategy) })
        return compactMap { subject in
            var subject = subject
            let scenario = subject.file.scenario.point
            subject.strategies.removeAll { !own.contains(.init(scenario: scenario, strategy: $0.declaration.name)) }
            return subject.strategies.isEmpty ? nil : subject
        }
    }
}

extension RunDescription {
    /// What is about to run, on this machine, from this checkout.
    ///
    /// - Parameters:
    ///   - subjects: the scenarios and strategies.
    ///   - part: the part of them that this machine runs; `nil` for everything.
    /// - Throws: when a file can no longer be read.
    static func describing(
        _ subjects: [WorkSubject], part: Shard? = nil, repetitions: Int?, seed: UInt64?, smoke: Bool = false
    ) async throws(FileDigestError) -> RunDescription {
        let checkout: Checkout? =
            if let path = try? ThisProgram.path() { await Checkout.containing(file: path) } else { nil }
        let machine = Machine.current()
        let overhead = HarnessOverhead.measure()
        let subjects = subjects.part(part)
        var references: [ScenarioReference] = []
        for subject in subjects { references.append(try reference(to: subject.file, repetitions)) }
        var description = RunDescription(
            toolVersion: CacheTrialsCommand.version, buildConfiguration: machine.optimized ? "release" : "debug",
            gitCommit: checkout?.commit, gitDirty: checkout?.isDirty, commandLine: CommandLine.arguments,
            host: RunDescription.Host(
                name: machine.host, cpu: machine.processorModel ?? machine.architecture, cores: machine.coreCount,
                memoryBytes: machine.memoryBytes, kernel: machine.kernel, operatingSystem: machine.operatingSystem),
            swiftVersion: machine.swiftVersion, seed: seed, scenarios: references,
            strategies: StrategyRegistry.current.ordered(
                Set(subjects.flatMap { $0.strategies.map(\.declaration.name) })),
            repetitions: repetitions, smoke: smoke,
            overhead: RunDescription.Overhead(
                clockNanoseconds: overhead.clockReadNanoseconds, recordNanoseconds: overhead.recordNanoseconds),
            loadBefore: machine.loadAverage, start: .now)
        description.allocator = machine.allocator
        description.shard = part
        return description
    }

    /// Continues an earlier run, and refuses to mix trials of different experiments in one folder.
    ///
    /// - Parameters:
    ///   - isOneMachine: whether all its rows have to be of one kind of machine.
    ///   - mayGrow: whether scenarios may be added.
    /// - Throws: ``Refusal`` that names what differs.
    mutating func carryOn(
        from earlier: RunDescription, at output: String, isOneMachine: Bool, mayGrow: Bool
    ) throws(Refusal) {
        for scenario in scenarios {
            let before = earlier.scenarios.first { $0.name == scenario.name }
            if before == nil, mayGrow { continue }
            if before?.sha256 != scenario.sha256 { throw .resuming(output, "\(scenario.path) has changed") }
            if before?.traceSha256 != scenario.traceSha256 {
                throw .resuming(output, "the trace of \(scenario.path) has changed")
            }
            if let seed = before?.seed, seed != scenario.seed {
                throw .resuming(output, "the seed of \(scenario.name) was \(seed), not \(scenario.seed)")
            }
        }
        if earlier.smoke != smoke { throw .resuming(output, "--smoke has changed") }
        if isOneMachine, earlier.host.kind != host.kind {
            throw .resuming(output, "it was started on \(earlier.host.kind), and this is \(host.kind)")
        }
        (start, loadBefore, noise) = (earlier.start, earlier.loadBefore, earlier.noise)
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

    private static func reference(
        to file: ScenarioArguments.File, _ repetitions: Int?
    ) throws(FileDigestError) -> ScenarioReference {
        let scenario = file.scenario
        var reference = ScenarioReference(
            name: scenario.point, path: file.path, sha256: try file.digest(), seed: scenario.seed,
            repetitions: repetitions ?? scenario.repetitions)
        reference.exactPhases = scenario.exactPhases
        reference.smallestDifferences = scenario.smallestDifferences.map { differences in
            Dictionary(differences.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        }
        if let trace = scenario.keys.trace { reference.traceSha256 = try FileDigest.sha256(ofFile: trace.path) }
        return reference
    }
}

extension Refusal {
    /// Why a folder can't be continued: its results belong to another experiment.
    static func resuming(_ output: String, _ difference: String) -> Refusal {
        Refusal(
            "\(output) can't be continued: \(difference), so its trials are not comparable with new ones. "
                + "Choose another --output")
    }
}
