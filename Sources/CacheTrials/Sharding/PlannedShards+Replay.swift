import ArgumentParser
import Foundation
import Traces
import TrialModel

extension PlannedShards {
    /// A replay of many traces. A trace with all its policies and sizes is one piece, since reading it is most of the
    /// work; with more shards than traces, each policy is a piece.
    ///
    /// - Parameter arguments: what follows `replay` on the command line.
    /// - Throws: ``ShardError``, and the parser's error for bad arguments.
    init(replay arguments: [String], shards: Int) throws {
        let command = try ReplayCommand.parse(arguments)
        guard command.output == nil, !command.curve else {
            throw ShardError("'--output' and '--curve' belong to the replay of a shard: leave them out.", .usage)
        }
        let policies = try command.chosenPolicies().map(\.rawValue)
        let traces = try command.files.traces.map { try PlannedShards.trace(at: $0) }
        var jobs = zip(traces, command.files.names).map { (trace: $0, name: $1, policies: policies) }
        if shards > jobs.count {
            jobs = jobs.flatMap { job in policies.map { (trace: job.trace, name: job.name, policies: [$0]) } }
        }
        guard shards <= jobs.count else {
            throw ShardError(
                "'--shards \(shards)': there are \(jobs.count) traces × policies, so a number from 1 to \(jobs.count) is "
                    + "allowed.", .usage)
        }
        let costs = jobs.map { Double(Self.bytes(of: $0.trace.path)) * Double($0.policies.count) / 20e6 }
        let assigned = Balance.assign(costs, to: shards)
        let flags = Self.flags(in: arguments, without: Set(command.files.traces))
        let made = (0..<shards).map { shard in
            let own = jobs.indices.filter { assigned[$0] == shard }
            return Shard(
                number: shard + 1, count: shards, toolVersion: CacheTrialsCommand.version, options: Shard.Options(),
                scenarios: [], trials: [],
                replay: Shard.PlannedReplay(
                    arguments: flags,
                    jobs: own.map {
                        Shard.PlannedReplay.Job(
                            position: $0, name: jobs[$0].name, trace: jobs[$0].trace, policies: jobs[$0].policies)
                    }))
        }
        let seconds = (0..<shards).map { shard in
            zip(costs, assigned).filter { $0.1 == shard }.reduce(0) { $0 + $1.0 }
        }
        try self.init(made, seconds: seconds, splitsComparisons: false)
    }

    private static func bytes(of path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }

    /// The options without the traces, whose paths are in a shard. A value of an option may look like a trace only when
    /// it is one.
    private static func flags(in arguments: [String], without traces: Set<String>) -> [String] {
        arguments.filter { !traces.contains($0) }
    }
}
