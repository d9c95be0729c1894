import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Comparison
import Foundation
import Measurement
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A requested run: its scenarios, its strategies, and the changes to them.
struct RunRequest {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    var smoke = false
    var check = false
    /// How many orders of each strategy's tasks or threads a check tries.
    var orders = 0
    var seed: UInt64?
    var repetitions: Int?
    /// Whether each scenario is repeated until it is known who is best, as long as there is time.
    var decides = false
    /// Where strategies take turns of some milliseconds.
    var turns = Turns.none
    /// Whether instructions are counted instead of time.
    var isCounted = false
    /// The part to run; `nil` for everything.
    var shard: Shard?

    /// Where the strategies of a scenario take turns, if it allows that.
    enum Turns {
        case none
        /// Where a figure that decides is a time: counts are the same in turns, and turns take longer.
        case whereTimesDecide
        case all
    }

    /// Whether the strategies of a scenario take turns, if it allows that.
    func takesTurns(_ scenario: Scenario) -> Bool {
        switch turns {
        case .none: false
        case .whereTimesDecide: !scenario.isDecidedByCounts
        case .all: true
        }
    }

    /// A scenario as it is run.
    func prepared(_ scenario: Scenario) -> Scenario {
        var prepared = smoke ? scenario.smoke() : scenario
        if let seed { prepared.seed = seed }
        if check { prepared.check = true }
        if prepared.check { prepared = prepared.checkable() }
        return isCounted ? prepared.counted() : prepared
    }

    /// The strategies that a scenario is run against.
    func strategies(for scenario: Scenario) -> [Strategy] { ApplicableStrategies(chosen: chosen).of(scenario) }

    /// All trials of the scenarios, strategies and repetitions, on however many machines.
    func plan(_ scenarios: [Scenario]) -> RunPlan {
        let plan = RunPlan(
            scenarios: scenarios, strategies: strategies(for:),
            repetitions: smoke ? repetitions ?? 1 : decides ? Self.repetitionsMax : repetitions)
        guard decides else { return plan }
        // A sweep compares its points, by the repetitions that it asks for.
        let swept = Dictionary(scenarios.filter(\.isSwept).map { ($0.point, $0.repetitions) }) { first, _ in first }
        return plan.filter { $0.repetition <= swept[$0.scenario] ?? Self.repetitionsMax }
    }

    /// The most repetitions of a scenario in which it is not known who is best.
    private static let repetitionsMax = 30

    /// All trials of the prepared scenarios.
    func plan() -> RunPlan { plan(files.map { prepared($0.scenario) }) }
}

/// The strategies that run under a scenario: those of the command line, else those that the scenario names, else all
/// candidates and baselines. Strategies that can't run under it are left out.
struct ApplicableStrategies {
    /// The strategies of the command line; `nil` when it names none.
    let chosen: [Strategy]?

    /// The strategies of a scenario, in the order in which they were named.
    func of(_ scenario: Scenario) -> [Strategy] {
        named(by: scenario).filter { Self.obstacle(to: $0, under: scenario) == nil }
    }

    private func named(by scenario: Scenario) -> [Strategy] {
        let registry = StrategyRegistry.current
        let named = chosen ?? scenario.strategies?.compactMap { registry[$0] } ?? registry.defaults
        guard scenario.isSwept else { return named }
        // A curve is read against its bounds: no cache, a cache without limits, and the harness alone.
        let names = Set(named.map(\.declaration.name))
        // The ceiling returns no values, so there is nothing to check.
        let bounds = ["none", "unbounded"] + (scenario.check ? [] : ["ceiling"])
        return named + bounds.filter { !names.contains($0) }.compactMap { registry[$0] }
    }

    /// Why a strategy can't be run under a scenario; `nil` when it can.
    private static func obstacle(to strategy: Strategy, under scenario: Scenario) -> String? {
        let kind = scenario.keys.kind
        if !strategy.takes(kind) { return "for lack of a type for \(kind.rawValue) keys" }
        if scenario.point.swept[.capacity] != nil, !follows(scenario.capacity, strategy.declaration) {
            return "because it does not have the limit that the sweep varies"
        }
        let smallest = strategy.declaration.promises.limitRules.smallest
        guard let limit = scenario.capacity.entries, limit < smallest else { return nil }
        return "because a limit of \(limit) entries is below its smallest limit, \(smallest)"
    }

    /// Whether a strategy holds as much as a capacity says: otherwise its curve would be flat and mean nothing. Bounds
    /// are in every sweep, and published designs are as they were published.
    private static func follows(_ capacity: Capacity, _ declaration: StrategyDeclaration) -> Bool {
        declaration.role != .candidate || capacity.entries != nil && declaration.bounds.contains(.entries)
            || capacity.bytes != nil && declaration.bounds.contains(.cost)
    }

    /// Reports on standard error what is left out, and what the harness adds.
    ///
    /// - Throws: ``Refusal`` when nothing is left.
    func noteLeftOut(of scenarios: [Scenario]) throws(Refusal) {
        let (lines, guarded) = leftOut(of: scenarios)
        lines.forEach(StandardError.write)
        var seen: Set<String> = []
        for strategy in scenarios.flatMap(of) where seen.insert(strategy.declaration.name).inserted {
            guard let text = PromiseProbe.leftOut(of: strategy) else { continue }
            StandardError.write(
                "\(strategy.declaration.name), \(text) is not checked, and loads take the share of others.")
        }
        if !guarded.isEmpty {
            StandardError.write(
                "One caller at a time, so the harness puts a lock around it and times both: "
                    + guarded.joined(separator: ", "))
        }
        guard scenarios.contains(where: { !of($0).isEmpty }) else {
            throw Refusal("no strategy can be run under these scenarios; name others with --strategies", .usage)
        }
    }

    /// What is left out, a line each, and the strategies that need a lock around them.
    func leftOut(of scenarios: [Scenario]) -> (lines: [String], guarded: [String]) {
        var lines: [String] = []
        var guarded: [String] = []
        for (name, points) in Dictionary(grouping: scenarios, by: \.point.name).sorted(by: { $0.key < $1.key }) {
            // The points of a sweep mostly leave out the same, which is said once.
            var pointsByText = NamesByReason()
            for scenario in points {
                var left = NamesByReason()
                for declared in named(by: scenario) {
                    let strategy = declared.declaration
                    if let reason = Self.obstacle(to: declared, under: scenario) {
                        left.add(strategy.name, reason)
                    } else if strategy.callers == .one, !guarded.contains(strategy.name) {
                        guarded.append(strategy.name)
                    }
                }
                for (reason, names) in left.groups {
                    pointsByText.add(scenario.point.pointText, "\(reason): \(names.joined(separator: ", "))")
                }
            }
            for (text, some) in pointsByText.groups {
                let part = some.count < points.count ? " at \(some.joined(separator: ", "))" : ""
                lines.append("Left out of \(name)\(part), \(text)")
            }
        }
        return (lines, guarded)
    }
}

/// Names that have something in common for a reason, in the order of their arrival.
struct NamesByReason {
    private(set) var groups: [(reason: String, names: [String])] = []

    /// Adds a name once.
    mutating func add(_ name: String, _ reason: String) {
        guard let index = groups.firstIndex(where: { $0.reason == reason }) else {
            return groups.append((reason, [name]))
        }
        if !groups[index].names.contains(name) { groups[index].names.append(name) }
    }
}

extension WorkSubject {
    /// - Parameter scenario: the file's scenario as it is run; `nil` for the scenario as written.
    init(_ file: ScenarioArguments.File, as scenario: Scenario? = nil, strategies: [Strategy]) {
        self.init(
            scenario: scenario ?? file.scenario, path: file.path, sha256: file.sha256, strategies: strategies)
    }
}

extension [WorkSubject] {
    /// What is in one part of a plan; everything where there is no part.
    func part(_ part: RunDescription.Shard?) -> [WorkSubject] {
        guard let part else { return self }
        let own = Set(part.trials.map(\.identity.place))
        return compactMap { subject in
            var subject = subject
            let scenario = subject.scenario.point
            subject.strategies.removeAll { !own.contains(.init(scenario: scenario, strategy: $0.declaration.name)) }
            return subject.strategies.isEmpty ? nil : subject
        }
    }
}

extension RunDescription.Host {
    fileprivate init(_ machine: Machine) {
        self.init()
        (name, cpu) = (machine.host, machine.processorModel ?? machine.architecture)
        (cores, memoryBytes) = (machine.coreCount, machine.memoryBytes)
        (kernel, operatingSystem) = (machine.kernel, machine.operatingSystem)
    }
}

extension RunDescription {
    /// What is about to run, on this machine, from this checkout.
    ///
    /// - Parameters:
    ///   - subjects: the scenarios and strategies.
    ///   - part: the part of them that this machine runs; `nil` for everything.
    ///   - isTimed: whether operations are timed, so that what the harness adds matters.
    /// - Throws: when a file can no longer be read.
    static func describing(
        _ subjects: [WorkSubject], part: Shard? = nil, repetitions: Int?, seed: UInt64?, smoke: Bool = false,
        isTimed: Bool = true
    ) async throws(FileDigestError) -> RunDescription {
        let checkout: Checkout? =
            if let path = try? ThisProgram.path() { await Checkout.containing(file: path) } else { nil }
        let machine = Machine.current()
        let overhead = isTimed ? HarnessOverhead.measure() : nil
        let subjects = subjects.part(part)
        var references: [ScenarioReference] = []
        for subject in subjects { references.append(try reference(to: subject, repetitions)) }
        var description = RunDescription()
        description.toolVersion = CacheTrialsCommand.version
        description.buildConfiguration = machine.optimized ? "release" : "debug"
        (description.gitCommit, description.gitDirty) = (checkout?.commit, checkout?.isDirty)
        description.commandLine = CommandLine.arguments
        description.host = Host(machine)
        description.swiftVersion = machine.swiftVersion
        (description.seed, description.scenarios) = (seed, references)
        description.strategies = StrategyRegistry.current.ordered(
            Set(subjects.flatMap { $0.strategies.map(\.declaration.name) }))
        let inBackground = subjects.flatMap(\.strategies).map(\.declaration).filter(\.isTimedByOthers).map(\.name)
        description.backgroundStrategies =
            inBackground.isEmpty ? nil : StrategyRegistry.current.ordered(Set(inBackground))
        (description.repetitions, description.smoke) = (repetitions, smoke)
        description.overhead.clockNanoseconds = overhead?.clockReadNanoseconds
        description.overhead.recordNanoseconds = overhead?.recordNanoseconds
        (description.loadBefore, description.start) = (machine.loadAverage, .now)
        (description.allocator, description.shard) = (machine.allocator, part)
        return description
    }

    /// Continues an earlier run, and refuses to mix trials of different experiments in one folder.
    ///
    /// - Parameters:
    ///   - isOneMachine: whether all its rows have to be of one kind of machine.
    ///   - mayGrow: whether scenarios may be added.
    ///   - allowed: the kinds of differences between builds and machines that are allowed; `nil` compares neither.
    /// - Throws: ``Refusal`` that names what differs.
    mutating func carryOn(
        from earlier: RunDescription, at output: String, isOneMachine: Bool, mayGrow: Bool,
        allowing allowed: Set<RunDifference.Kind>?
    ) throws(Refusal) {
        for (index, scenario) in scenarios.enumerated() {
            let before = earlier.scenarios.first { $0.name == scenario.name }
            scenarios[index].strategies = ((before?.strategies ?? []) + (scenario.strategies ?? [])).distinct
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
        // Rows of earlier strategies stay in the folder.
        strategies = (earlier.strategies + strategies).distinct
        leftOut = earlier.leftOut
        let inBackground = ((earlier.backgroundStrategies ?? []) + (backgroundStrategies ?? [])).distinct
        backgroundStrategies = inBackground.isEmpty ? nil : inBackground
        guard let allowed else { return }
        let differences = RunDifference.surroundings(earlier, self, sides: (" when it began", " now"))
        let refused = differences.filter { !allowed.contains($0.kind) }
        guard refused.isEmpty else {
            let kinds = RunDifference.Kind.allCases.filter { kind in refused.contains { $0.kind == kind } }
            throw Refusal(
                "\(output) can't be continued, because its values would be of two builds or machines:\n"
                    + refused.map { "  \($0.text)\n" }.joined()
                    + "Choose another --output. To continue anyway: --allow-different "
                    + kinds.map(\.rawValue).joined(separator: ","))
        }
        for difference in differences {
            let warning = "continued with another \(difference.kind.rawValue): \(difference.text)"
            noise = (noise ?? Noise()).with { noise in
                if !noise.warnings.contains(warning) { noise.warnings.append(warning) }
            }
        }
    }

    /// The trials that this run was interrupted before, and that the command which continues it does not run.
    ///
    /// - Parameters:
    ///   - plan: the trials of that command.
    ///   - contents: those that have ended.
    func leftBehind(by plan: RunPlan, _ contents: ResultContents) -> [LeftOut] {
        guard partial else { return [] }
        let known = Set(plan.entries.map(\.identity) + contents.results.map(\.trial.key.trial))
        let named = Set(leftOut.map(\.what))
        let missing = plannedTrials.filter { !known.contains($0) && !named.contains($0.label) }
        return missing.map { LeftOut(what: $0.label, reason: LeftOut.earlierCommand) }
    }

    /// The trials that were to run, as far as the run says. Repetitions that only an open question needs are none of
    /// them.
    private var plannedTrials: [TrialIdentity] {
        scenarios.flatMap { scenario in
            let repetitions = untilDecided == true ? 1 : min(max(scenario.repetitions, 1), 1_000)
            return (1...repetitions).flatMap { repetition in
                (scenario.strategies ?? []).map {
                    TrialIdentity(scenario: scenario.name, strategy: $0, repetition: repetition)
                }
            }
        }
    }

    /// Notes that the run, or a part of it that may be resumed, has ended, and what disturbed the machine since a
    /// reading.
    mutating func noteEnd(since before: NoiseReading) {
        let meanwhile = MachineNoise(from: before, to: .current())
        end = .now
        loadAfter = Machine.currentLoadAverage()
        noise = Noise().with {
            ($0.stealShare, $0.othersShare) = (meanwhile.stealShare, meanwhile.othersShare)
            ($0.involuntarySwitches, $0.warnings) = (meanwhile.involuntarySwitches, meanwhile.warnings)
            $0.megahertzLowest = meanwhile.megahertz?.lowerBound
            $0.megahertzHighest = meanwhile.megahertz?.upperBound
        }.after(noise)
    }

    private static func reference(
        to subject: WorkSubject, _ repetitions: Int?
    ) throws(FileDigestError) -> ScenarioReference {
        let scenario = subject.scenario
        let digest = if let known = subject.sha256 { known } else { try FileDigest.sha256(ofFile: subject.path) }
        var reference = ScenarioReference()
        (reference.name, reference.seed) = (scenario.point, scenario.seed)
        (reference.path, reference.sha256) = (subject.path, digest)
        reference.repetitions = repetitions ?? scenario.repetitions
        reference.strategies = subject.strategies.map(\.declaration.name)
        reference.exactPhases = scenario.exactPhases
        if scenario.phases.contains(where: { !$0.expectations.isEmpty }) { reference.expects = true }
        if scenario.question != .defaults { reference.question = scenario.question }
        reference.smallestDifferences = scenario.smallestDifferences.map { differences in
            Dictionary(differences.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        }
        if let trace = scenario.keys.trace { reference.traceSha256 = try FileDigest.sha256(ofFile: trace.path) }
        return reference
    }
}

extension StrategyDeclaration {
    /// Whether the clock decides what its calls find, even with one client: it works in the background, or in the process
    /// of a server.
    fileprivate var isTimedByOthers: Bool { worksInBackground || reach == .manyMachines }
}

extension Refusal {
    /// Why a folder can't be continued: its results belong to another experiment.
    static func resuming(_ output: String, _ difference: String) -> Refusal {
        Refusal(
            "\(output) can't be continued: \(difference), so its trials are not comparable with new ones. "
                + "Choose another --output")
    }
}
