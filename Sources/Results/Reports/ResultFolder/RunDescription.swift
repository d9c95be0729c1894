package import Foundation
package import TrialModel

/// The content of `run.json`: everything needed to tell where figures come from, and to produce them again.
package struct RunDescription: Changeable, Codable, Hashable, Sendable {
    /// Raised when a file changes in a way that affects its readers.
    package var schemaVersion = 1
    /// The version of this tool.
    package var toolVersion = ""
    /// `debug` or `release`.
    package var buildConfiguration = ""
    /// The commit of the tool's checkout; `nil` outside a checkout.
    package var gitCommit: String?
    /// Whether the checkout had changes that were not committed.
    package var gitDirty: Bool?
    /// The command line, one element per argument.
    package var commandLine: [String] = []
    /// The machine.
    package var host = Host()
    /// The compiler's version.
    package var swiftVersion = ""
    /// The seed of the command line; `nil` when each scenario used its own.
    package var seed: UInt64?
    /// The scenarios, in the order in which they ran.
    package var scenarios: [ScenarioReference] = []
    /// The names of the strategies on trial.
    package var strategies: [String] = []
    /// Those whose counts may differ between two runs, because they work in the background or in a server; `nil` without
    /// any.
    package var backgroundStrategies: [String]?
    /// How often each trial ran, from the command line; `nil` when each scenario sets its own number.
    package var repetitions: Int?
    /// Whether phases were shortened to a small size, so that times mean nothing.
    package var smoke = false
    /// Whether strategies were checked against their promises; `nil` where no scenario asked for it.
    package var check: Bool?
    /// Whether the strategies took turns of a few milliseconds; `nil` where they didn't.
    package var interleaved: Bool?
    /// Whether instructions were counted instead of time; `nil` where they were not.
    package var counted: Bool?
    /// The program that ran the trials, if another program wrote the folder.
    package var program: Program?
    /// What the harness itself costs.
    package var overhead = Overhead()
    /// What disturbed the machine during the run; `nil` while it runs.
    package var noise: Noise?
    /// The load average over one minute before the first trial.
    package var loadBefore: Double?
    /// The load average over one minute after the last trial.
    package var loadAfter: Double?
    /// When the run began; written as ISO 8601 in UTC.
    package var start = Date(timeIntervalSince1970: 0)
    /// When it ended; `nil` while it runs.
    package var end: Date?
    /// Whether planned trials are missing.
    package var partial = true
    /// What was left out, and why.
    package var leftOut: [LeftOut] = []
    /// What the user set in `TSAN_OPTIONS`, suppressions included; `nil` where no sanitizer was used.
    package var sanitizerOptions: String?
    /// The allocator whose statistics give the memory figures; `nil` without one.
    package var allocator: String?
    /// Whether each scenario was repeated until it was known who is best; `nil` for a fixed number of repetitions.
    package var untilDecided: Bool?
    /// The part of a plan that this run executed; `nil` where there was no plan, and in a merged folder.
    package var shard: Shard?
    /// A checksum of the traces and options of a replay, which it needs to be continued; `nil` elsewhere.
    package var inputs: String?
    /// The parts of a plan that were merged, and their machines; `nil` where nothing was merged.
    package var merged: Merged?

    package init() {}
}

extension RunDescription {
    /// The phases of strategies whose counts repeat exactly.
    package var exactPhases: Set<RowKey> {
        let steady = strategies.filter { backgroundStrategies?.contains($0) != true }
        return Set(
            scenarios.flatMap { scenario in
                (scenario.exactPhases ?? []).flatMap { phase in
                    steady.map { RowKey(scenario: scenario.name, strategy: $0, phase: phase) }
                }
            })
    }

    /// The scenarios with expectations.
    package var expecting: Set<ScenarioPoint> { Set(scenarios.filter { $0.expects == true }.map(\.name)) }

    /// What scenarios ask, and what decides.
    package var questions: [ScenarioPoint: ScenarioQuestion] {
        Dictionary(scenarios.compactMap { scenario in scenario.question.map { (scenario.name, $0) } }) { first, _ in
            first
        }
    }

    /// The smallest differences worth reporting that scenarios set.
    package var smallestDifferences: [ScenarioPoint: [Metric: SmallestDifference]] {
        let pairs = scenarios.map { scenario in
            let read = (scenario.smallestDifferences ?? [:]).compactMap { name, share in
                Metric(rawValue: name).map { ($0, $0.smallestDifference(share)) }
            }
            return (scenario.name, Dictionary(read) { first, _ in first })
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// A program that ran trials.
    package struct Program: Codable, Hashable, Sendable {
        package var path: String
        package var sha256: String

        package init(path: String, sha256: String) {
            self.path = path
            self.sha256 = sha256
        }
    }

    /// The machine that a run took place on.
    package struct Host: Changeable, Codable, Hashable, Sendable {
        /// The host name.
        package var name = ""
        /// The processor's model.
        package var cpu = ""
        /// How many cores the process may use.
        package var cores = 0
        /// Main memory; `nil` when it is unknown.
        package var memoryBytes: UInt64?
        /// The kernel's name and release.
        package var kernel = ""
        /// The distribution and its version.
        package var operatingSystem = ""

        package init() {}
    }

    /// A scenario file as it was when it ran.
    package struct ScenarioReference: Changeable, Codable, Hashable, Sendable {
        /// The name as it appears in the rows.
        package var name: ScenarioPoint = ""
        /// The path as given.
        package var path = ""
        /// The SHA-256 of the file's bytes, in hexadecimal.
        package var sha256 = ""
        /// The seed that was used.
        package var seed: UInt64 = 0
        /// How often each trial ran.
        package var repetitions = 1
        /// The strategies that were to run under it; `nil` in the files of earlier versions.
        package var strategies: [String]?
        /// The SHA-256 of the trace that the keys come from; `nil` without a trace.
        package var traceSha256: String?
        /// Measured phases whose counts follow from scenario and seed: up to their end there is one client and no
        /// clock.
        package var exactPhases: [String]?
        /// Whether a phase has expectations; `nil` where none has.
        package var expects: Bool?
        /// What the scenario asks, and what decides; `nil` where it says nothing.
        package var question: ScenarioQuestion?
        /// The smallest difference worth reporting according to the scenario, by metric; `nil` where it sets none.
        package var smallestDifferences: [String: Double]?

        package init() {}
    }

    /// The cost of the harness per operation, in nanoseconds; it is part of every time in the files.
    package struct Overhead: Changeable, Codable, Hashable, Sendable {
        /// Reading the clock.
        package var clockNanoseconds: Double?
        /// Recording a time.
        package var recordNanoseconds: Double?

        package init() {}
    }

    /// What disturbed the machine between the first and the last trial, except between an interruption and the resumed
    /// part. Values that can't be read are `nil`.
    package struct Noise: Changeable, Codable, Hashable, Sendable {
        /// The share of the cores' time that the hypervisor gave to other guests (steal time), from 0 to 1.
        package var stealShare: Double?
        /// The share of the cores' time in which they worked for other processes, from 0 to 1; of the worst part of a
        /// run that was resumed, as ``stealShare``.
        package var othersShare: Double?
        /// How often a thread of the run, of its trials or of its server lost its core to another thread.
        package var involuntarySwitches: UInt64?
        /// The lowest frequency of a core in megahertz, before or after.
        package var megahertzLowest: Double?
        /// The highest frequency, likewise.
        package var megahertzHighest: Double?
        /// The warnings about noise on standard error.
        package var warnings: [String] = []

        package init() {}

        /// The noise of two parts of one run: the worse share, the sum of the switches, all frequencies and warnings.
        package func after(_ earlier: Noise?) -> Noise {
            guard let earlier else { return self }
            func of<Figure>(
                _ path: KeyPath<Noise, Figure?>, _ joined: (Figure, Figure) -> Figure
            ) -> Figure? {
                guard let first = earlier[keyPath: path], let second = self[keyPath: path] else {
                    return earlier[keyPath: path] ?? self[keyPath: path]
                }
                return joined(first, second)
            }
            return Noise().with {
                ($0.stealShare, $0.othersShare) = (of(\.stealShare, max), of(\.othersShare, max))
                $0.involuntarySwitches = of(\.involuntarySwitches) { $0.addingReportingOverflow($1).partialValue }
                $0.megahertzLowest = of(\.megahertzLowest, min)
                $0.megahertzHighest = of(\.megahertzHighest, max)
                $0.warnings = earlier.warnings + warnings.filter { !earlier.warnings.contains($0) }
            }
        }
    }

    /// Something that was left out of the run.
    package struct LeftOut: Codable, Hashable, Sendable {
        /// A scenario, a strategy, or a trial.
        package var what: String
        /// Why it was left out, and how to run it nevertheless.
        package var reason: String
        /// The reason of what a time budget leaves out.
        package static let timeBudget = "time budget"
        /// The reason of what a command left out that a later one continues.
        package static let earlierCommand = "an earlier command left it out"

        package init(what: String, reason: String) {
            self.what = what
            self.reason = reason
        }
    }
}
