package import TrialModel

extension ResultFolder {
    /// What a folder should hold and doesn't, one line each: files whose end is cut off, and measured phases of
    /// completed trials without latencies. Empty for a complete folder.
    ///
    /// An interrupted run leaves neither: its unfinished trials are not in `trials.csv`.
    ///
    /// - Parameter results: what ``read(at:isLenient:)`` found in the folder.
    package static func gaps(at path: String, _ results: [PhaseResult]) throws(ReportsError) -> [String] {
        var gaps: [String] = []
        // The other files have no rows of trials.
        for file in ResultFile.allCases where file.namingColumnCount != nil {
            let filePath = "\(path)/\(file.rawValue)"
            guard try Files.kind(of: filePath) != .nothing else { continue }
            if try ResultTable.read(file, at: filePath).isTorn { gaps.append("\(filePath): its end is cut off") }
        }
        let completed = results.filter { $0.trial.status == .completed }
        let measured = Set(results.filter { !$0.latency.isEmpty }.map { Place($0.trial.key) })
        let bare = completed.filter { $0.latency.isEmpty && measured.contains(Place($0.trial.key)) }
        if !completed.isEmpty, measured.isEmpty {
            gaps.append("\(path)/latency.csv: no trial has latencies")
        } else if let first = bare.first?.trial.key {
            gaps.append(
                "\(path)/latency.csv: \(bare.count) of \(completed.count) phases have no latencies, the first is "
                    + "\(first.trial.strategy) in \(first.trial.scenario), \(first.phase), repetition "
                    + "\(first.trial.repetition)")
        }
        return gaps
    }

    /// A measured phase without rows in a file where every measured phase has some.
    package struct MissingRows: Hashable, Sendable {
        package let file: ResultFile
        package let key: RowKey

        /// A description of what is missing.
        package var description: String {
            "\(file.rawValue) has no rows of \(key.trial.strategy) in \(key.trial.scenario), \(key.phase), repetition "
                + "\(key.trial.repetition)"
        }
    }

    /// The first completed phase that has rows in one of the measurement files and none in another; `nil` when there is
    /// none. A warm-up has rows in none of them. O(rows).
    ///
    /// Measurements are on disk before the row in `trials.csv`, so no crash leaves such a phase.
    ///
    /// - Parameter takesTurns: whether the operations of a short phase may all be untimed, because they come before the
    ///   slice of a turn.
    package static func missingRows(_ results: [PhaseResult], takesTurns: Bool = false) -> MissingRows? {
        for result in results where result.trial.status == .completed {
            let isTimed = (result.trial.operations ?? 0) > 0 && (!takesTurns || !result.slices.isEmpty)
            // Every measured phase has a row for all operations.
            let files: [(file: ResultFile, hasRows: Bool)] = [
                (.latency, !isTimed || result.latency[LatencyLabels()] != nil),
                (.hitRate, result.hitRate != nil), (.memory, result.memory != nil),
                (.frames, result.trial.driver != .main || result.frames != nil),
            ]
            let isMeasured = !result.latency.isEmpty || result.hitRate != nil || result.memory != nil
            if isMeasured, let missing = files.first(where: { !$0.hasRows }) {
                return MissingRows(file: missing.file, key: result.trial.key)
            }
        }
        return nil
    }

    /// A phase, regardless of the trial.
    private struct Place: Hashable {
        var scenario: ScenarioPoint
        var phase: String

        init(_ key: RowKey) {
            scenario = key.trial.scenario
            phase = key.phase
        }
    }
}
