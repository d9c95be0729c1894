import Reports
import TrialModel

/// Checks that results belong together and are complete.
enum MergeCheck {
    /// Refuses results of other plans, versions, builds or scenarios, and duplicate shards.
    ///
    /// - Throws: ``ShardError`` that names the folders and what to do.
    static func requireOnePlan(_ parts: [ResultMerge.Part]) throws(ShardError) {
        guard let first = parts.first else { throw ShardError("there is nothing to merge", .usage) }
        var seen: [RunDescription.Shard: String] = [:]
        for part in parts {
            try same("plan", first, part) { $0.shard.plan }
            try same("version of cache-trials", first, part) { $0.run.toolVersion }
            try same("version of the files", first, part) { "\($0.run.schemaVersion)" }
            try same("commit of cache-trials", first, part) { commit($0.run) }
            try same("build", first, part) { "\($0.run.buildConfiguration), \($0.run.swiftVersion)" }
            try same("allocator", first, part) { $0.run.allocator ?? "none" }
            try checkScenarios(part)
            let place = part.shard.reference
            if let other = seen.updateValue(part.path, forKey: place) {
                throw ShardError(
                    "shard \(part.shard.label) appears twice, in \(other) and in \(part.path); name one of them")
            }
            guard part.run.shard == place else {
                throw ShardError(
                    "\(part.path): its run.json and its shard.json are of different shards; run the shard again")
            }
        }
    }

    /// Refuses a plan with missing shards or trials.
    ///
    /// - Parameter plan: the content of the plan; without it the parts say how many shards there are.
    /// - Throws: ``ShardError`` that names every missing shard with the command that runs it.
    static func requireAll(
        _ parts: [ResultMerge.Part], _ merge: ResultMerge, plan: PlanSummary?
    ) throws(ShardError) {
        let absent = missingShards(parts, plan: plan)
        guard absent.isEmpty else {
            let names = absent.map { "shard \($0.label): '\(ProgramName.current) run --shard \($0.file) --output …'" }
            throw ShardError(
                "missing: \(names.joined(separator: "; ")). Run what is missing and merge again, or merge what is there with "
                    + "--allow-missing")
        }
        for part in parts {
            try requireWhole(part)
            let left = merge.missing.filter { trial in
                part.shard.trials.contains { $0.identity == trial }
                    || (part.shard.replay?.jobs ?? []).contains {
                        $0.name == trial.scenario.name && $0.policies.contains(trial.strategy)
                    }
            }
            guard !left.isEmpty else { continue }
            throw ShardError(
                "\(part.path): \(left.count) of \(part.shard.trials.count) trials of shard \(part.shard.label) are missing; "
                    + wayOn(part))
        }
        try requireAllGenerators(parts)
    }

    /// Refuses rows of `latency.csv` without distributions in `histograms/`: they can't be added up any more.
    ///
    /// - Throws: ``ShardError`` that names the file.
    static func requireDistributions(_ parts: [ResultMerge.Part]) throws(ShardError) {
        for part in parts {
            for result in part.contents.results {
                guard let row = result.latency.first(where: { result.distribution(of: $0) == nil }) else { continue }
                throw ShardError(
                    "\(part.path)/\(HistogramLog.path(of: row.key.trial)): has no distribution of the operations "
                        + "\(row.labels.operation) in \(row.key.phase), repetition \(row.key.trial.repetition), which latency.csv "
                        + "has a row of; copy the folder again, or run the shard again in another one")
            }
        }
    }

    /// Every trial of a part must have ended, and its rows must be there.
    private static func requireWhole(_ part: ResultMerge.Part) throws(ShardError) {
        if let result = part.contents.results.first(where: { $0.trial.status == .partial }) {
            let trial = result.trial.key.trial
            throw ShardError(
                "\(part.path): \(trial.strategy) in \(trial.scenario), repetition \(trial.repetition), was interrupted; "
                    + wayOn(part))
        }
        if let missing = ResultFolder.missingRows(part.contents.results) {
            throw ShardError("\(part.path)/\(missing.description); run the shard again in another folder")
        }
    }

    /// How to complete a shard that did not end.
    private static func wayOn(_ part: ResultMerge.Part) -> String {
        "continue with '\(ProgramName.current) run --shard \(part.path)/\(ShardFile.copyName) --output \(part.path) "
            + "--resume' and merge again, or merge what is there with --allow-missing"
    }

    /// Every generator must have run each of its trials: a sum without one of them is not a figure of the planned load.
    private static func requireAllGenerators(_ parts: [ResultMerge.Part]) throws(ShardError) {
        for part in parts where part.shard.generator != nil {
            let ran = Set(part.contents.results.map(\.trial.key.trial))
            guard let trial = part.shard.trials.first(where: { !ran.contains($0.identity) }) else { continue }
            throw ShardError(
                "\(part.path): generator \(part.shard.label) did not run \(trial.strategy) in \(trial.scenario), repetition "
                    + "\(trial.repetition), and the others did; run all generators of the trial again")
        }
    }

    /// The shards of the plan without a part.
    static func missingShards(
        _ parts: [ResultMerge.Part], plan: PlanSummary?
    ) -> [(label: String, file: String)] {
        guard var shard = parts.first?.shard else { return [] }
        // Only the name counts; a copy of everything else for each would take memory.
        (shard.scenarios, shard.trials) = ([], [])
        let present = Set(parts.map(\.shard.fileName))
        let all: [Shard] = (1...max(1, shard.count)).flatMap { [shard] number in
            (1...max(1, shard.generator?.count ?? 1)).map { generator in
                var other = shard
                other.number = number
                other.generator?.number = generator
                return other
            }
        }
        let known = plan.map { Set($0.shards.map(\.file)) }
        return all.filter { !present.contains($0.fileName) && known?.contains($0.fileName) != false }
            .map { ($0.label, $0.fileName) }
    }

    /// Every row must be of a trial of the shard, and none may appear twice.
    private static func checkScenarios(_ part: ResultMerge.Part) throws(ShardError) {
        let isSearch = part.shard.options.search != nil
        let planned = Set(part.shard.trials.map(\.identity))
        for result in part.contents.results {
            let trial = result.trial.key.trial
            guard !planned.contains(isSearch ? trial.search : trial) else { continue }
            throw ShardError(
                "\(part.path): \(trial.strategy) in \(trial.scenario), repetition \(trial.repetition), is not a trial of shard "
                    + "\(part.shard.label); was the folder changed? Run the shard again in another folder")
        }
        for scenario in part.run.scenarios {
            guard let known = part.shard.scenarios.first(where: { $0.name == scenario.name.name }) else { continue }
            guard known.sha256 == scenario.sha256, known.trace?.sha256 == scenario.traceSha256 else {
                throw ShardError(
                    "\(part.path): ran a different \(scenario.name) than the plan has; run the shard again")
            }
        }
    }

    private static func commit(_ run: RunDescription) -> String {
        (run.gitCommit ?? "unknown") + (run.gitDirty == true ? " with changes" : "")
    }

    private static func same(
        _ what: String, _ first: ResultMerge.Part, _ second: ResultMerge.Part, _ value: (ResultMerge.Part) -> String
    ) throws(ShardError) {
        guard value(first) != value(second) else { return }
        throw ShardError(
            "\(first.path) and \(second.path) can't be merged: \(what): \(value(first)) in one, \(value(second)) in the "
                + "other; merge the shards of one plan, run by one build")
    }
}

extension Shard {
    /// The shard's entry in `run.json`.
    var reference: RunDescription.Shard {
        RunDescription.Shard(
            plan: plan, number: number, count: count, generator: generator?.number, generatorCount: generator?.count)
    }
}
