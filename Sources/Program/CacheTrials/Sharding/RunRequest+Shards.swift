import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// The parts of a run on many machines.
extension RunRequest {
    /// This machine's part of a plan; `nil` where one machine runs everything.
    ///
    /// All strategies of a scenario in one repetition are in one part, so that differences between strategies are never
    /// differences between machines; all repetitions are, where they take turns or end when it is known who is best.
    ///
    /// - Throws: ``Refusal``, and an error when a file can no longer be read.
    func part(of plan: RunPlan) throws -> RunDescription.Shard? {
        guard let shard else { return nil }
        let seconds = seconds(of: plan)
        var digests = [
            "\(CacheTrialsCommand.version), \(smoke), \(check), \(orders), \(turns), \(decides), "
                + (seed.map(String.init) ?? "")
        ]
        for file in files {
            digests.append(try file.digest())
            if let trace = file.scenario.keys.trace { digests.append(try FileDigest.sha256(ofFile: trace.path)) }
        }
        return try shard.part(of: plan.entries.map(\.identity), digests: digests, unit: unit) { seconds[$0] ?? 0 }
    }

    /// The trials of each unit of a plan, in the order of the shards when there is one for each.
    ///
    /// - Throws: ``Refusal`` when there are more units than shards can be.
    func units(of plan: RunPlan) throws(Refusal) -> [[RunPlan.Entry]] {
        let work = plan.entries.map(\.identity)
        let count = Set(work.map(unit)).count
        guard let shard = Shard(number: 1, count: count) else {
            throw Refusal("the plan has \(count) units, and at most \(Shard.countMax) are allowed", .usage)
        }
        let seconds = seconds(of: plan)
        return try shard.positions(of: work, unit: unit) { seconds[$0] ?? 0 }.map { $0.map { plan.entries[$0] } }
    }

    /// What one machine has to run: all strategies of a scenario in one repetition, or in all of them.
    private func unit(of trial: TrialIdentity) -> String {
        turns != .none || decides ? "\(trial.scenario)" : "\(trial.scenario), repetition \(trial.repetition)"
    }

    private func seconds(of plan: RunPlan) -> [TrialIdentity: Double] {
        Dictionary(plan.entries.map { ($0.identity, $0.scenario.expectedDuration / .seconds(1)) }) { first, _ in first }
    }

    /// The orders of each strategy that this machine tries in a check: the machines with trials of a strategy share its
    /// orders evenly. Empty where one machine runs everything.
    ///
    /// - Throws: ``Refusal`` when there are more machines than parts.
    func orderShares(of plan: RunPlan) throws -> [String: OrderTrials.Share] {
        guard let shard, orders > 0 else { return [:] }
        let seconds = seconds(of: plan)
        let parts = try shard.positions(of: plan.entries.map(\.identity), unit: unit) { seconds[$0] ?? 0 }
        let strategies = parts.map { Set($0.map { plan.entries[$0].identity.strategy }) }
        var shares: [String: OrderTrials.Share] = [:]
        for entry in plan.entries {
            let name = entry.identity.strategy
            guard shares[name] == nil, strategies[shard.number - 1].contains(name) else { continue }
            let machines = strategies.indices.filter { strategies[$0].contains(name) }
            guard let place = machines.firstIndex(of: shard.number - 1),
                let own = Shard(number: place + 1, count: machines.count)
            else { continue }
            shares[name] = OrderTrials.Share(scenario: entry.scenario, range: own.range(of: orders))
        }
        return shares
    }
}
