import Reports
import TrialModel

/// The results of the shards of one plan, put together to the results of a single run.
struct ResultMerge: Sendable {
    /// The result folder of one shard.
    struct Part: Sendable {
        var path: String
        var shard: RunDescription.Shard
        var run: RunDescription
        /// The files of its rows, which say what ran: trials, races or replays.
        var files: Set<ResultFile> = []
        var contents = ResultContents()
        var races: [RaceRow] = []
        var controls: [ControlRow] = []
        var replays: [ReplayRow] = []

        /// Whether a trial has rows, or was left out for a reason that is no mistake.
        func accounts(for trial: RunDescription.Shard.Trial) -> Bool {
            // Repetitions that only a more precise figure needs are not missing.
            has(trial.identity) || run.leftOut.contains { $0.what == trial.identity.label }
                || run.stability != nil && trial.repetition > 1 && !run.partial
        }

        fileprivate func has(_ trial: TrialIdentity) -> Bool {
            contents.results.contains { $0.trial.key.trial == trial }
                || races.contains { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
                || replays.contains { $0.trace == trial.scenario.name && $0.policy == trial.strategy }
        }
    }

    /// The rows, in the order of a single run.
    private(set) var contents = ResultContents()
    private(set) var races: [RaceRow] = []
    private(set) var replays: [ReplayRow] = []
    private(set) var machines: [MachineRow] = []
    /// Trials of the parts without rows and without a reason, in the order of a single run.
    private(set) var missing: [TrialIdentity] = []

    /// Puts together parts that ``MergeCheck`` has found to belong together.
    init(_ parts: [Part]) {
        let results = parts.map { Dictionary(grouping: $0.contents.results, by: \.trial.key.trial) }
        let promises = parts.map { Dictionary(grouping: $0.contents.consistency, by: \.row.trial) }
        let trials = parts.enumerated().flatMap { part in part.element.shard.trials.map { (part: part.offset, $0) } }
        for (index, trial) in trials.sorted(by: { $0.1.position < $1.1.position }) {
            let (part, identity) = (parts[index], trial.identity)
            let own = results[index][identity] ?? []
            let ownRaces = part.races.filter { $0.scenario == trial.scenario && $0.strategy == trial.strategy }
            let ownReplays = part.replays.filter { $0.trace == trial.scenario.name && $0.policy == trial.strategy }
            guard !own.isEmpty || !ownRaces.isEmpty || !ownReplays.isEmpty else {
                if !part.accounts(for: trial) { missing.append(identity) }
                continue
            }
            contents.results += own
            contents.consistency += promises[index][identity] ?? []
            races += ownRaces
            replays += ownReplays
            machines.append(
                MachineRow().with {
                    ($0.trial, $0.shard) = (identity, UInt64(clamping: part.shard.number))
                    ($0.machine, $0.kind) = (part.run.host.name, part.run.host.kind)
                })
        }
    }
}
