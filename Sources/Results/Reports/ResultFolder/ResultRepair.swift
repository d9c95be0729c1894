import TrialModel

/// Restores a folder that a crash or an interrupt left behind to the state after its last finished trial.
struct ResultRepair {
    let path: String
    /// The files of the folder.
    var kinds = ResultFile.ofRun

    /// Drops the rows of unfinished trials from all files, and returns the finished trials.
    ///
    /// Interrupted and invalid trials are not finished: they must run again.
    ///
    /// Rows are kept as text: their fields stay the same byte for byte. A file that needs no change is not touched.
    func run(phases: [ScenarioPoint: [String]]) throws(ReportsError) -> Set<TrialIdentity> {
        var tables: [ResultFile: ResultTable] = [:]
        for file in kinds {
            tables[file] = try ResultTable.read(file, at: "\(path)/\(file.rawValue)")
        }
        let finished = try finishedTrials(tables[.trials]?.records ?? [], phases: phases)
        try requireMeasurements(of: finished)
        try removeLeftovers()
        for file in try HistogramFile.all(in: path) { try file.keep(finished) }
        // `trials.csv` last: until then it still says which measurements to expect, so the repair can be repeated.
        for file in kinds.reversed() {
            guard let table = tables[file] else { continue }
            var kept: [CSVRecord] = []
            for record in table.records where finished.contains(try identity(of: record, in: file)) {
                kept.append(record)
            }
            guard table.isTorn || !table.missing.isEmpty || kept.count < table.records.count else { continue }
            let text = file.header + kept.map { CSVWriter.line($0.fields) }.joined()
            try Files.replace("\(path)/\(file.rawValue)", with: text)
        }
        return finished
    }

    /// A finished trial is not run again, so its measurements must exist. This check runs before anything is changed.
    private func requireMeasurements(of finished: Set<TrialIdentity>) throws(ReportsError) {
        guard !finished.isEmpty, Set(ResultFile.ofRun).isSubset(of: kinds) else { return }
        let results = try ResultFolder.read(at: path).filter { finished.contains($0.trial.key.trial) }
        guard let missing = ResultFolder.missingRows(results, takesTurns: kinds.contains(.slices)) else { return }
        throw .missingRows(folder: path, missing)
    }

    /// Removes files that a crash left behind while it interrupted the replacement of a file.
    private func removeLeftovers() throws(ReportsError) {
        let ours = kinds.map(\.rawValue) + ["run.json", "verdict.json"]
        for name in try Files.names(in: path) where name.hasSuffix(".tmp") {
            if ours.contains(where: { name.hasPrefix($0 + ".") }) { Files.remove("\(path)/\(name)") }
        }
        for (folder, mark) in [(HistogramLog.folder, ".hlog."), (ConsistencyEntry.folder, ".json.")] {
            let folder = "\(path)/\(folder)"
            guard try Files.kind(of: folder) == .folder else { continue }
            for name in try Files.names(in: folder) where name.contains(mark) && name.hasSuffix(".tmp") {
                Files.remove("\(folder)/\(name)")
            }
        }
    }

    private func finishedTrials(
        _ records: [CSVRecord], phases: [ScenarioPoint: [String]]
    ) throws(ReportsError) -> Set<TrialIdentity> {
        let file = "\(path)/\(ResultFile.trials.rawValue)"
        var seen: [TrialIdentity: Set<String>] = [:]
        var inconclusive: Set<TrialIdentity> = []
        for record in records {
            let row: TrialRow = try record.row(at: file)
            let trial = row.key.trial
            guard let expected = phases[trial.scenario] else {
                throw .notInPlan(path: file, line: record.line, what: "the scenario \(trial.scenario)")
            }
            guard expected.contains(row.key.phase) else {
                throw .notInPlan(
                    path: file, line: record.line, what: "the phase \(row.key.phase) of \(trial.scenario)")
            }
            seen[trial, default: []].insert(row.key.phase)
            switch row.status {
            case .partial, .invalid, .slow: inconclusive.insert(trial)
            case .completed, .crashed, .hung: break
            }
        }
        let complete = seen.filter { trial, names in names.count == phases[trial.scenario]?.count }
        return Set(complete.keys).subtracting(inconclusive)
    }

    /// Every repaired file starts with these three columns, and ends with the values that a sweep set.
    private func identity(of record: CSVRecord, in file: ResultFile) throws(ReportsError) -> TrialIdentity {
        guard record.fields.count > 3, let repetition = Int(cellText: record.fields[2]), repetition >= 1 else {
            throw .badFile(
                path: "\(path)/\(file.rawValue)", line: record.line,
                problem: "there is no repetition \"\(record.fields.dropFirst(2).first ?? "")\"")
        }
        var trial = TrialIdentity(
            scenario: ScenarioPoint(named: record.fields[0]), strategy: record.fields[1], repetition: repetition)
        let columns = Column<TrialIdentity>.swept(\.scenario)
        for (column, text) in zip(columns, record.fields.suffix(columns.count)) where !column.read(text, &trial) {
            throw .badFile(
                path: "\(path)/\(file.rawValue)", line: record.line, problem: "\(column.name): can't be \"\(text)\"")
        }
        return trial
    }
}
