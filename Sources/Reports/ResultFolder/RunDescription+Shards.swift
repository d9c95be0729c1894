package import Foundation

extension RunDescription {
    /// The part of a plan that a run executed.
    package struct Shard: Codable, Hashable, Sendable {
        /// The plan's name.
        package var plan: String
        /// The number of the part, from 1.
        package var number: Int
        package var count: Int
        /// The number of this generator among several generators of the same load, from 1; `nil` where there is one
        /// generator.
        package var generator: Int?
        package var generatorCount: Int?

        package init(plan: String, number: Int, count: Int, generator: Int? = nil, generatorCount: Int? = nil) {
            self.plan = plan
            self.number = number
            self.count = count
            self.generator = generator
            self.generatorCount = generatorCount
        }
    }

    /// The plan and the parts that were merged.
    package struct Merged: Codable, Hashable, Sendable {
        /// The plan's name.
        package var plan: String
        package var parts: [MergedPart]

        package init(plan: String, parts: [MergedPart]) {
            self.plan = plan
            self.parts = parts
        }
    }

    /// A part of a plan, and the machine that it ran on.
    package struct MergedPart: Codable, Hashable, Sendable {
        package var shard: Shard
        package var host: Host
        /// The kind of machine, as in `machines.csv`.
        package var machineKind: String
        package var loadBefore: Double?
        package var loadAfter: Double?
        package var noise: Noise?
        package var start: Date
        package var end: Date?

        package init(shard: Shard, run: RunDescription) {
            self.shard = shard
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
