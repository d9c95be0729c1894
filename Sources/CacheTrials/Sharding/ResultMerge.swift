import Reports
import TrialModel

/// The results of the shards of one plan, added up to the results of a single run.
struct ResultMerge: Sendable {
    /// The result folder of one shard.
    struct Part: Sendable {
        var path: String
        var shard: Shard
        var run: RunDescription
        var contents: ResultContents
        var replays: [ReplayRow] = []
    }

    /// The rows, in the order of a single run.
    private(set) var contents = ResultContents()
    private(set) var replays: [ReplayRow] = []
    private(set) var machines: [MachineRow] = []
    /// Trials of the plan without rows, in its order.
    private(set) var missing: [TrialIdentity] = []
    /// Notes for readers of the rows, a line each.
    private(set) var notes: [String] = []

    /// Adds up parts that ``MergeCheck`` has found to belong together.
    ///
    /// - Parameter sharesCache: whether all generators of a strategy use one cache, so that the statistics of each are
    ///   those of the whole.
    /// - Throws: ``ShardError`` when the distributions of generators can't be added up.
    init(_ parts: [Part], sharesCache: (_ strategy: String) -> Bool = { _ in true }) throws(ShardError) {
        var pieces: [TrialIdentity: [Piece]] = [:]
        for (index, part) in parts.enumerated() {
            // All trials of a search belong to one planned trial.
            let isSearch = part.shard.options.search != nil
            let grouped = Dictionary(grouping: part.contents.results) {
                isSearch ? $0.trial.key.trial.search : $0.trial.key.trial
            }
            for (identity, results) in grouped {
                pieces[identity, default: []].append(Piece(part: index, results: results))
            }
        }
        for trial in Self.order(parts.map(\.shard)) {
            guard let found = pieces[trial.identity]?.sorted(by: { $0.part < $1.part }), let first = found.first else {
                missing.append(trial.identity)
                continue
            }
            for piece in found { machines.append(Self.row(trial.identity, parts[piece.part])) }
            if found.count == 1, parts[first.part].shard.generator == nil {
                contents.results += first.results
            } else {
                try add(found.map { (parts[$0.part], $0.results) }, sharesCache(trial.strategy))
            }
            let own = parts[first.part].contents
            contents.searches += own.searches.filter { $0.key.trial.search == trial.identity }
            contents.consistency += own.consistency.filter { $0.row.trial == trial.identity }
        }
        mergeReplays(parts)
    }

    private struct Piece {
        var part: Int
        var results: [PhaseResult]
    }

    /// Every trial of the plan that the given shards have, each once.
    private static func order(_ shards: [Shard]) -> [Shard.PlannedTrial] {
        var seen: Set<Int> = []
        return shards.flatMap(\.trials).sorted { $0.position < $1.position }.filter {
            seen.insert($0.position).inserted
        }
    }

    private static func row(_ trial: TrialIdentity, _ part: Part) -> MachineRow {
        MachineRow().with {
            ($0.trial, $0.shard) = (trial, UInt64(clamping: part.shard.number))
            $0.generator = part.shard.generator.map { UInt64(clamping: $0.number) }
            ($0.machine, $0.kind) = (part.run.host.name, part.run.host.kind)
        }
    }

    /// Adds up the results of several generators, phase by phase.
    private mutating func add(_ pieces: [(part: Part, results: [PhaseResult])], _ sharesCache: Bool) throws(ShardError)
    {
        let count = pieces.first?.part.shard.generator?.count ?? 1
        for phase in pieces.first?.results.map(\.trial.key.phase) ?? [] {
            let own = pieces.compactMap { piece in piece.results.first { $0.trial.key.phase == phase } }
            var sum = GeneratorSum(own, sharesCache: sharesCache)
            sum.expectedCount = count
            contents.results.append(try sum.result())
            if let note = sum.note { notes.append(note) }
        }
    }

    private mutating func mergeReplays(_ parts: [Part]) {
        let jobs = parts.flatMap { part in (part.shard.replay?.jobs ?? []).map { (part, $0) } }
            .sorted { $0.1.position < $1.1.position }
        var seen: Set<Int> = []
        for (part, job) in jobs where seen.insert(job.position).inserted {
            let rows = part.replays.filter { $0.trace == job.name && job.policies.contains($0.policy) }
            replays += rows
            for policy in job.policies {
                let identity = TrialIdentity(scenario: ScenarioPoint(named: job.name), strategy: policy, repetition: 1)
                if rows.contains(where: { $0.policy == policy }) {
                    machines.append(Self.row(identity, part))
                } else {
                    missing.append(identity)
                }
            }
        }
    }
}
