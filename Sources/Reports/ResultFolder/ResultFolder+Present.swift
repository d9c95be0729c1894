package import TrialModel

extension ResultFolder {
    /// The result files that a folder holds, of any verb that writes results.
    ///
    /// - Throws: ``ReportsError/noSuchResults(path:)`` when there is no such file, or no folder.
    package static func files(at path: String) throws(ReportsError) -> Set<ResultFile> {
        guard try Files.kind(of: path) == .folder else { throw .noSuchResults(path: path) }
        let names = Set(try Files.names(in: path))
        let present = Set(ResultFile.allCases.filter { names.contains($0.rawValue) })
        guard !present.isDisjoint(with: [.trials, .races, .replay, .comparison]) else {
            throw .noSuchResults(path: path)
        }
        return present
    }

    /// The findings of `races` for each strategy under each scenario; empty without the file.
    package static func readRaces(at path: String) throws(ReportsError) -> [RaceRow] {
        try rowsIfPresent(.races, in: path)
    }

    /// The findings of `races` for its controls; empty without the file.
    package static func readControls(at path: String) throws(ReportsError) -> [ControlRow] {
        try rowsIfPresent(.controls, in: path)
    }

    /// The counts of `replay`; empty without the file.
    package static func readReplay(at path: String) throws(ReportsError) -> [ReplayRow] {
        try rowsIfPresent(.replay, in: path)
    }

    /// The bytes of another file of the folder; `nil` where it is missing.
    package static func bytes(of name: String, in path: String) throws(ReportsError) -> [UInt8]? {
        let path = "\(path)/\(name)"
        guard try Files.kind(of: path) == .other else { return nil }
        return try Files.read(path)
    }

    /// Writes a file that is derived from results, such as a page about them, and replaces an earlier one. Missing
    /// folders are made.
    package static func writeText(_ text: String, to path: String) throws(ReportsError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        if !folder.isEmpty { _ = try Files.makeFolders(folder) }
        guard try Files.kind(of: path) != .folder else {
            throw .system(action: "write", path: path, reason: "it is a folder; name a file")
        }
        try Files.replace(path, with: text)
    }

    static func rowsIfPresent<Row: ResultRow>(_ file: ResultFile, in path: String) throws(ReportsError) -> [Row] {
        guard try Files.kind(of: "\(path)/\(file.rawValue)") != .nothing else { return [] }
        return try rows(file, in: path)
    }
}
