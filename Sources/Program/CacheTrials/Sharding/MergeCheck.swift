import Foundation
import Reports
import TrialModel

/// Checks that results belong together and are complete.
enum MergeCheck {
    /// Refuses results of other plans, versions, builds or scenarios, and duplicate shards.
    ///
    /// - Throws: ``Refusal`` that names the folders and what to do.
    static func requireOnePlan(_ parts: [ResultMerge.Part]) throws(Refusal) {
        guard let first = parts.first else { throw Refusal("there is nothing to merge", .usage) }
        var seen: [Int: String] = [:]
        for part in parts {
            try same("version of cache-trials", first, part) { $0.run.toolVersion }
            try same("version of the files", first, part) { "\($0.run.schemaVersion)" }
            try same("commit of cache-trials", first, part) { commit($0.run) }
            try same("build", first, part) { "\($0.run.buildConfiguration), \($0.run.swiftVersion)" }
            try same("allocator", first, part) { $0.run.allocator ?? "none" }
            try same("number of shards", first, part) { "\($0.shard.count)" }
            try same("plan", first, part) { $0.shard.plan }
            try checkTrials(part)
            if let other = seen.updateValue(part.path, forKey: part.shard.number) {
                throw Refusal(
                    "shard \(part.shard.label) appears twice, in \(other) and in \(part.path); name one of them")
            }
        }
    }

    /// Refuses a plan with missing shards or trials.
    ///
    /// - Throws: ``Refusal`` that names every missing shard.
    static func requireAll(_ parts: [ResultMerge.Part], _ merge: ResultMerge) throws(Refusal) {
        let absent = missingShards(parts)
        guard absent.isEmpty else {
            throw Refusal(
                "missing: shard \(absent.joined(separator: ", ")). Run the same command with '--shard \(absent[0])' and so "
                    + "on, and merge again, or merge what is there with --allow-missing")
        }
        for part in parts {
            if part.files.contains(.exploration), part.run.partial {
                throw Refusal(
                    "\(part.path): the exploration of shard \(part.shard.label) was interrupted; \(wayOn(part))")
            }
            try requireWhole(part)
            let own = Set(part.shard.trials.map(\.identity))
            let left = merge.missing.filter(own.contains)
            guard let trial = left.first else { continue }
            throw Refusal(
                "\(part.path): \(left.count) of \(own.count) trials of shard \(part.shard.label) are missing, such as "
                    + "\(trial.label); \(wayOn(part))")
        }
    }

    /// Refuses rows of `latency.csv` without distributions in `histograms/`: the merged folder would not have them.
    ///
    /// - Throws: ``Refusal`` that names the file.
    static func requireDistributions(_ parts: [ResultMerge.Part]) throws(Refusal) {
        for part in parts {
            for result in part.contents.results {
                guard let row = result.latency.first(where: { result.distribution(of: $0) == nil }) else { continue }
                throw Refusal(
                    "\(part.path)/\(HistogramLog.path(of: row.key.trial)): has no distribution of the operations "
                        + "\(row.labels.operation) in \(row.key.phase), repetition \(row.key.repetition), which latency.csv "
                        + "has a row of; copy the folder again, or run the shard again in another one")
            }
        }
    }

    /// Every trial of a part must have ended, and its rows must be there.
    private static func requireWhole(_ part: ResultMerge.Part) throws(Refusal) {
        if let result = part.contents.results.first(where: { $0.trial.status == .partial }) {
            throw Refusal("\(part.path): \(result.trial.key.trial.label), was interrupted; " + wayOn(part))
        }
        if let missing = ResultFolder.missingRows(
            part.contents.results, takesTurns: part.run.interleaved == true)
        {
            throw Refusal("\(part.path)/\(missing.description); run the shard again in another folder")
        }
    }

    /// How to complete a shard that did not end.
    private static func wayOn(_ part: ResultMerge.Part) -> String {
        (part.files.contains(.exploration) || part.files.contains(.races)
            ? "run its command again into another folder and merge again"
            : "run its command again with '--shard \(part.shard.label) --output \(part.path) --resume' and merge again")
            + ", or merge what is there with --allow-missing"
    }

    /// The shards of the plan without a part, as `2/4`.
    static func missingShards(_ parts: [ResultMerge.Part]) -> [String] {
        guard let count = parts.first?.shard.count else { return [] }
        let present = Set(parts.map(\.shard.number))
        return (1...max(1, count)).filter { !present.contains($0) }.map { "\($0)/\(count)" }
    }

    /// The shard of a file that anyone may have changed, and its rows: each must be of one of its trials.
    private static func checkTrials(_ part: ResultMerge.Part) throws(Refusal) {
        let (shard, planned) = (part.shard, Set(part.shard.trials.map(\.identity)))
        guard (1...Shard.countMax).contains(shard.count), (1...shard.count).contains(shard.number),
            planned.count == shard.trials.count, Set(shard.trials.map(\.position)).count == planned.count
        else { throw Refusal("\(part.path)/run.json: its shard contradicts itself; run the shard again") }
        guard
            let trial = part.contents.results.map(\.trial.key.trial).first(where: { !planned.contains($0) })
        else { return }
        throw Refusal(
            "\(part.path): \(trial.label), is not a trial of shard \(shard.label); was the folder changed? Run the shard again "
                + "in another folder")
    }

    private static func commit(_ run: RunDescription) -> String {
        (run.gitCommit ?? "unknown") + (run.gitDirty == true ? " with changes" : "")
    }

    private static func same(
        _ what: String, _ first: ResultMerge.Part, _ second: ResultMerge.Part, _ value: (ResultMerge.Part) -> String
    ) throws(Refusal) {
        guard value(first) != value(second) else { return }
        throw Refusal(
            "\(first.path) and \(second.path) can't be merged: \(what): \(value(first)) in one, \(value(second)) in the "
                + "other; shards are run by one build, with the same files and options")
    }
}

extension TrialIdentity {
    /// The trial in messages and in `run.json`.
    var label: String { "\(scenario), \(strategy), repetition \(repetition)" }
}

extension PhaseResult {
    /// The distribution of a row of `latency.csv`; `nil` when it was lost.
    fileprivate func distribution(of row: LatencyRow) -> EncodedDistribution? {
        distributions.first { $0.labels == row.labels }
    }
}
