package import Foundation
package import TrialModel

extension RunDescription {
    /// The part of a plan that a run executed. Every machine makes the same plan of the same files and options.
    package struct Shard: Codable, Hashable, Sendable {
        /// The digest of everything that all parts share: files, options, and the list of trials.
        package var plan: String
        /// The number of the part, from 1.
        package var number: Int
        package var count: Int
        /// What the part has to run, in the order of a single run.
        package var trials: [Trial]

        package init(plan: String, number: Int, count: Int, trials: [Trial]) {
            self.plan = plan
            self.number = number
            self.count = count
            self.trials = trials
        }

        /// A trial and its place in the plan. For `races` it is a strategy, for `replay` a trace and a policy.
        package struct Trial: Codable, Hashable, Sendable {
            /// From 0, in the order of a single run.
            package var position: Int
            package var scenario: ScenarioPoint
            package var strategy: String
            package var repetition: Int

            package init(position: Int, _ trial: TrialIdentity) {
                self.position = position
                scenario = trial.scenario
                strategy = trial.strategy
                repetition = trial.repetition
            }

            package var identity: TrialIdentity {
                TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition)
            }
        }
    }

    /// The plan and the parts that were merged.
    package struct Merged: Codable, Hashable, Sendable {
        /// The plan's digest.
        package var plan: String
        package var parts: [MergedPart]

        package init(plan: String, parts: [MergedPart]) {
            self.plan = plan
            self.parts = parts
        }
    }

    /// A part of a plan, and the machine that it ran on.
    package struct MergedPart: Codable, Hashable, Sendable {
        /// The number of the part, from 1.
        package var shard: Int
        package var host: Host
        /// The kind of machine, as in `machines.csv`.
        package var machineKind: String
        package var loadBefore: Double?
        package var loadAfter: Double?
        package var noise: Noise?
        package var start: Date
        package var end: Date?

        package init(_ run: RunDescription) {
            shard = run.shard?.number ?? 1
            host = run.host
            machineKind = run.host.kind
            loadBefore = run.loadBefore
            loadAfter = run.loadAfter
            noise = run.noise
            start = run.start
            end = run.end
        }
    }
}

extension RunDescription.Host {
    /// The properties that machines must share for their times to be comparable: processor, cores, memory to the
    /// gibibyte, system.
    package var kind: String {
        let memory = memoryBytes.map { ", \((($0 >> 29) + 1) >> 1) GiB" } ?? ""
        return "\(cpu), \(cores) \(cores == 1 ? "core" : "cores")\(memory), \(operatingSystem), \(kernel)"
    }
}
