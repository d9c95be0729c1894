import ArgumentParser
import BuiltInStrategies
import Foundation
import Reports
import ScenarioFiles
import TimedStrategies
import TrialModel
import TrialSessions
import WorkloadGeneration

/// A shard on this machine: its scenarios are read, its traces located and checked.
struct LocalShard {
    let shard: Shard
    /// The folder of the file, which may also hold traces.
    private let folder: String

    /// Reads the file.
    ///
    /// - Throws: ``ShardError`` when it is bad, or this program can't run it.
    init(path: String) throws(ShardError) {
        shard = try ShardFile.read(path: path)
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard shard.toolVersion == CacheTrialsCommand.version else {
            throw ShardError(
                "\(path): was planned by version \(shard.toolVersion), and this is \(CacheTrialsCommand.version); use one "
                    + "version for the plan and all of its shards")
        }
        if let trial = shard.trials.first(where: { StrategyRegistry.current[$0.strategy] == nil }) {
            throw ShardError(
                "\(path): this build has no strategy '\(trial.strategy)'; use the build that the plan was made with")
        }
    }

    /// The scenarios, as if they had been read from their files.
    ///
    /// - Throws: ``ShardError``; exit code 65 when a scenario is bad, with the mistakes on standard error.
    func files() throws -> [ScenarioArguments.File] {
        let chosen = Set(shard.trials.map(\.scenario))
        return try shard.scenarios.flatMap { planned in
            let trace = try planned.trace.map(locate)
            let reader = ScenarioReader(
                knownStrategies: StrategyRegistry.current.names,
                otherStrategies: StrategyRegistry.current.sharingNames
            ) { named in
                var found = named
                if let trace { found.path = trace }
                return try TraceWorkload(found).facts
            }
            do {
                let points = try reader.points(
                    text: planned.text, file: planned.path, sweep: shard.options.sweep ?? [])
                if let other = points.first(where: { $0.name != planned.name }) {
                    throw ShardError(
                        "\(planned.path): is planned as '\(planned.name)' and called '\(other.name)'; make the plan again"
                    )
                }
                return points.filter { chosen.contains($0.point) }.map { scenario in
                    var scenario = scenario
                    if let trace { scenario.keys.trace?.path = trace }
                    return ScenarioArguments.File(
                        path: planned.path, scenario: scenario, sha256: planned.sha256,
                        traceSha256: planned.trace?.sha256)
                }
            } catch let error as ScenarioFileError {
                for mistake in error.mistakes { StandardError.write(mistake.description) }
                throw ExitCode(TrialExitCode.badInput.rawValue)
            }
        }
    }

    /// The path of a trace on this machine: the planned path, or beside the shard.
    ///
    /// - Throws: ``ShardError`` when it is missing or different.
    func locate(_ trace: Shard.PlannedTrace) throws(ShardError) -> String {
        let beside = "\(folder)/\(URL(fileURLWithPath: trace.path).lastPathComponent)"
        guard let path = [trace.path, beside].first(where: FileManager.default.fileExists) else {
            throw ShardError("\(trace.path): is not on this machine; copy the trace there, or to \(beside)")
        }
        do {
            guard try FileDigest.sha256(ofFile: path) == trace.sha256 else {
                throw ShardError("\(path): is not the trace that was planned; copy it again, or make the plan again")
            }
        } catch let error as ShardError {
            throw error
        } catch {
            throw ShardError("\(error)")
        }
        return path
    }
}
