package import TrialModel

/// A script as a scenario file.
package enum ScriptFile {
    /// The file's text; `explore` reads it and repeats the script.
    ///
    /// - Parameters:
    ///   - script: the operations of the callers.
    ///   - strategy: the strategy to run.
    ///   - scenario: the scenario of the exploration, which gives its keys, the size of its values and its limits.
    ///   - title: what it shows, in one line.
    ///   - comments: lines at the top.
    package static func text(
        _ script: ScheduleScript, strategy: String, scenario: Scenario, title: String, comments: [String]
    ) -> String {
        var limits: [String] = []
        if let entries = scenario.capacity.entries { limits.append("entries: \(entries)") }
        if let bytes = scenario.capacity.bytes { limits.append("bytes: \(bytes) B") }
        let lines =
            comments.map { "# \($0)" } + [
                "", "title: \"\(title)\"", "keys: { kind: integer, count: \(scenario.keys.count) }",
                "values: { kind: bytes, size: \(scenario.values.largestSize) B }",
                "capacity: { \(limits.joined(separator: ", ")) }",
                "origin: { kind: memory }", "strategies: [\(strategy)]", "phases:", "  - name: script", "    script:",
            ] + script.lines.map { "      - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
