import Foundation
import Origins
package import TrialModel
import WorkloadGeneration

/// Writes the sizes and lifetimes of keys in traces to files that all trials of a session and the fixture server read,
/// so that a value is the same everywhere, and the server need not read traces.
package struct KeyTableFiles {
    private let folder: String
    /// The files so far, by trace.
    private var paths: [KeyTrace: String] = [:]

    /// - Parameter folder: the folder of the files, created with the first one. Its files must stay while the session
    ///   lasts.
    package init(folder: String) {
        self.folder = folder
    }

    /// The scenario with the file of its keys, if its trace has sizes or lifetimes. Reads each trace once.
    ///
    /// - Throws: `TraceWorkloadError`, `KeyTableError`.
    package mutating func prepare(_ scenario: Scenario) throws -> Scenario {
        guard scenario.values.traced != nil, let trace = scenario.keys.trace else { return scenario }
        var prepared = scenario
        prepared.values.traced?.path = try path(for: trace, of: scenario)
        prepared.values.traced?.speed = trace.speed
        return prepared
    }

    private mutating func path(for trace: KeyTrace, of scenario: Scenario) throws -> String {
        if let known = paths[trace] { return known }
        let workload = try TraceWorkload(trace)
        try workload.check(against: scenario.keys)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(paths.count).keys"
        try KeyTable(sizes: workload.keySizes, lifetimes: workload.keyLifetimes).write(to: path)
        paths[trace] = path
        return path
    }
}
