package import TrialModel

/// A script as a scenario file.
package enum ScriptFile {
    /// The file's text; `run --explore` reads it, and runs the script as it was run.
    ///
    /// - Parameters:
    ///   - script: what the callers do.
    ///   - strategy: whom it is for.
    ///   - capacity: the limits that it was run under.
    ///   - title: what it shows, in one line.
    ///   - comments: lines above all.
    package static func text(
        _ script: ScheduleScript, strategy: String, capacity: Capacity, title: String, comments: [String]
    ) -> String {
        var limits: [String] = []
        if let entries = capacity.entries { limits.append("entries: \(entries)") }
        if let bytes = capacity.bytes { limits.append("bytes: \(bytes) B") }
        let lines =
            comments.map { "# \($0)" } + [
                "", "title: \"\(title)\"", "keys: { kind: integer, count: \(max(1, script.keyCount)) }",
                "values: { kind: bytes, size: 64 B }", "capacity: { \(limits.joined(separator: ", ")) }",
                "origin: { kind: memory }", "strategies: [\(strategy)]", "phases:", "  - name: script", "    script:",
            ] + script.lines.map { "      - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
