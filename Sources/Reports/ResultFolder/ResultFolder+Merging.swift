package import TrialModel

/// Everything that a result folder records about trials, so that a folder with the same rows can be written again.
package struct ResultContents: Sendable {
    /// The results, with their distributions if those were read.
    package var results: [PhaseResult]
    package var searches: [RateSearchRow]
    package var consistency: [ConsistencyEntry]

    package init(
        results: [PhaseResult] = [], searches: [RateSearchRow] = [], consistency: [ConsistencyEntry] = []
    ) {
        self.results = results
        self.searches = searches
        self.consistency = consistency
    }
}

extension ResultFolder {
    /// Reads the rows of all trials that ended.
    ///
    /// - Parameter withDistributions: whether distributions and examples are read as well.
    package static func readContents(
        at path: String, withDistributions: Bool = true
    ) throws(ReportsError) -> ResultContents {
        var contents = ResultContents(results: try read(at: path))
        var places: [RowKey: Int] = [:]
        for (place, result) in contents.results.enumerated() { places[result.trial.key] = place }
        for entry in withDistributions ? try histogramEntries(at: path) : [] {
            guard let place = places[entry.key] else { continue }
            contents.results[place].distributions.append(entry.distribution)
            contents.results[place].startSeconds = entry.startSeconds
        }
        if try Files.kind(of: "\(path)/\(ResultFile.rateSearch.rawValue)") != .nothing {
            contents.searches = try readRateSearches(at: path)
        }
        for row in try readConsistency(at: path) {
            let bytes = withDistributions ? try bytes(of: ConsistencyEntry.path(of: row), in: path) : nil
            let example = bytes.map { String(decoding: $0, as: UTF8.self) }
            contents.consistency.append(ConsistencyEntry(row: row, example: example))
        }
        return contents
    }

    /// Appends rows that record where trials ran.
    package func append(_ rows: [MachineRow]) throws(ReportsError) {
        try append([(.machines, CSVWriter.lines(rows))])
    }

    /// The machines on which the trials of a merged folder ran; empty in the folder of a single run.
    package static func readMachines(at path: String) throws(ReportsError) -> [MachineRow] {
        try rowsIfPresent(.machines, in: path)
    }
}
