package import Reports
package import TrialModel

/// The figures of a run as rows of a history: the metrics that `compare` judges, for every measured phase.
package struct RunFigures: Sendable {
    private let result: String
    private let results: [PhaseResult]
    private let run: RunDescription
    private let machines: [MachineRow]

    /// - Parameters:
    ///   - result: the folder's path, for errors.
    ///   - results: the results of its trials.
    ///   - run: the content of `run.json`.
    ///   - machines: the machines of the trials of a merged folder; empty for a single run.
    package init(result: String, results: [PhaseResult], run: RunDescription, machines: [MachineRow] = []) {
        self.result = result
        self.results = results
        self.run = run
        self.machines = machines
    }

    /// A row for each figure of completed repetitions, separately for each kind of machine.
    ///
    /// - Parameters:
    ///   - commit: the commit that was measured.
    ///   - time: the time in UTC, such as `2030-01-31T12:00:00Z`.
    /// - Throws: ``HistoryError/noFigures(result:reason:)`` when there are no figures.
    package func rows(commit: String, time: String) throws -> [HistoryRow] {
        let all = try MachineSelection(machines)
        let kinds = all.kinds.map(\.kind)
        let found =
            kinds.count < 2
            ? try rows(of: results, on: kinds.first ?? run.host.kind, commit, time)
            : try kinds.flatMap { kind in
                try rows(of: try MachineSelection(machines, wanted: kind).selected(results), on: kind, commit, time)
            }
        guard !found.isEmpty else {
            throw HistoryError.noFigures(
                result: result, reason: "no measured phase of any trial completed, so there is nothing to add")
        }
        return found
    }

    private func rows(
        of results: [PhaseResult], on kind: String, _ commit: String, _ time: String
    ) throws(HistoryError) -> [HistoryRow] {
        let phases = ComparedRuns.side(results)
        var rows: [HistoryRow] = []
        for key in ComparedRuns.order(results) {
            let hash = try scenarioHash(key.scenario)
            for metric in Metric.compared {
                let figures = ComparedRuns.samples(phases[key] ?? [], metric).values.sorted()
                guard let low = figures.first, let high = figures.last, let median = figures.median else { continue }
                let methods = metric == .instructions ? phases[key]?.countedBy ?? [] : []
                guard methods.count < 2 else { continue }
                let build = ([build] + methods.map { "counted by \($0.rawValue)" }).joined(separator: ", ")
                let series = HistoryRow.Series(
                    machineKind: kind, build: build, scenarioHash: hash, scenario: key.scenario, strategy: key.strategy,
                    phase: key.phase, metric: metric)
                rows.append(
                    HistoryRow().with {
                        ($0.time, $0.commit, $0.series, $0.value, $0.low) = (time, commit, series, median, low)
                        ($0.high, $0.repetitions) = (high, UInt64(figures.count))
                    })
            }
        }
        return rows
    }

    /// The build properties that must agree between compared runs; see ``RunDifference``.
    private var build: String {
        [run.buildConfiguration, run.swiftVersion, run.allocator].compactMap(\.self).joined(separator: ", ")
    }

    /// A hash of everything that determines a scenario's operations; see ``RunDifference``.
    private func scenarioHash(_ name: ScenarioPoint) throws(HistoryError) -> String {
        guard let scenario = run.scenarios.first(where: { $0.name == name }) else {
            throw .noFigures(
                result: result,
                reason: "run.json does not name the scenario \(name) of trials.csv; add the folder as it was")
        }
        let size = (run.smoke ? "smoke" : "") + (run.check == true ? "check" : "")
        let parts = [scenario.sha256, scenario.traceSha256 ?? "", "\(scenario.seed)", size]
        guard let digest = FileDigest.sha256(ofText: parts.joined(separator: "\n")) else {
            throw .noFigures(result: result, reason: "there is not enough memory for a checksum")
        }
        return String(digest.prefix(16))
    }
}
