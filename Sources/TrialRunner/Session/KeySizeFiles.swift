import Payloads
package import TrialModel
import WorkloadGeneration

/// Writes the sizes of traces' keys to files that all trials of a session and the fixture server read, so that a
/// value has the same size everywhere, and the server need not read traces.
package struct KeySizeFiles {
    private let folder: String
    /// The files so far, by trace.
    private var paths: [KeyTrace: String] = [:]

    /// - Parameter folder: where the files go; nobody removes anything there while the session lasts.
    package init(folder: String) {
        self.folder = folder
    }

    /// The scenario with the file of its sizes, if it takes sizes from its trace. Reads each trace once.
    ///
    /// - Throws: `TraceWorkloadError`, `KeySizeError`.
    package mutating func prepare(_ scenario: Scenario) throws -> Scenario {
        guard scenario.values.keySizes != nil, let trace = scenario.keys.trace else { return scenario }
        var prepared = scenario
        prepared.values.keySizes?.path = try path(for: trace, of: scenario.keys)
        return prepared
    }

    private mutating func path(for trace: KeyTrace, of keys: KeySpace) throws -> String {
        if let known = paths[trace] { return known }
        let workload = try TraceWorkload(trace)
        try workload.check(against: keys)
        guard let sizes = workload.keySizes else { throw TraceWorkloadError.changed(trace.path) }
        let path = "\(folder)/\(paths.count).sizes"
        try KeySizeTable(sizes: sizes).write(to: path)
        paths[trace] = path
        return path
    }
}
