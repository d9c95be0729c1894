package import TrialModel

extension ResultFolder {
    /// What a folder should hold and doesn't, a line each: files whose end is cut off, and measured phases of trials that
    /// completed without their latencies. Empty for a folder that is whole.
    ///
    /// An interrupted run leaves neither: what it had not finished is not in `trials.csv`.
    ///
    /// - Parameter results: what ``read(at:isLenient:)`` found there.
    package static func gaps(at path: String, _ results: [PhaseResult]) throws(ReportsError) -> [String] {
        var gaps: [String] = []
        for file in [ResultFile.trials, .latency, .hitRate, .memory, .timeline] {
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

    /// A phase, in whichever trial.
    private struct Place: Hashable {
        var scenario: String
        var phase: String

        init(_ key: RowKey) {
            scenario = key.trial.scenario
            phase = key.phase
        }
    }
}
