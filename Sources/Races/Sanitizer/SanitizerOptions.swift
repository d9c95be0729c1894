import Foundation

/// The options of Thread Sanitizer for the processes of a run: the user's and the harness's.
package struct SanitizerOptions: Sendable, Hashable {
    /// One option.
    package struct Setting: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All options; those of the harness come last.
    package let settings: [Setting]

    /// Checks the user's `TSAN_OPTIONS`, and adds the harness's own options.
    ///
    /// A relative path of suppressions becomes an absolute one, because a child may run in another folder.
    ///
    /// - Parameters:
    ///   - user: the text of `TSAN_OPTIONS`; empty when it isn't set.
    ///   - harness: the harness's options, which the user can't set.
    ///   - flags: the options that the runtime knows.
    ///   - folder: the base of relative paths.
    /// - Throws: ``SanitizerOptionErrors`` with every mistake.
    package init(
        user: String, harness: [Setting], flags: SanitizerFlags,
        folder: String = FileManager.default.currentDirectoryPath
    ) throws(SanitizerOptionErrors) {
        var problems: [SanitizerOptionError] = []
        var kept: [Setting] = []
        do {
            var names: Set<String> = []
            for setting in try SanitizerOptionParser.settings(of: user) {
                if !names.insert(setting.name).inserted { problems.append(.repeated(setting.name)) }
                problems += Self.problems(of: setting, harness: harness, flags: flags)
                kept.append(setting)
            }
        } catch {
            problems.append(error)
        }
        problems += harness.filter { !flags.names.contains($0.name) }.map {
            .unknown($0.name, nearest: flags.nearest(to: $0.name))
        }

        var merged: [Setting] = []
        for setting in kept where setting.name != "suppressions" { merged.append(setting) }
        for setting in kept where setting.name == "suppressions" && !setting.value.isEmpty {
            let path = setting.value.hasPrefix("/") ? setting.value : folder + "/" + setting.value
            problems += SuppressionFile.problems(path: path, shownAs: setting.value)
            merged.append(Setting("suppressions", path))
        }
        merged += harness
        problems += merged.filter { Self.quoted($0.value) == nil }.map { .unquotable($0.name) }
        guard problems.isEmpty else { throw SanitizerOptionErrors(problems) }
        settings = merged
    }

    /// The text for `TSAN_OPTIONS`. O(length).
    package var text: String {
        settings.compactMap { setting in Self.quoted(setting.value).map { "\(setting.name)=\($0)" } }
            .joined(separator: " ")
    }

    /// A value in the form that the runtime reads back; nil if it can't be written, because quotes have no escape.
    private static func quoted(_ value: String) -> String? {
        let bytes = value.utf8
        guard !bytes.contains(0) else { return nil }
        let needsQuotes =
            bytes.contains(where: SanitizerOptionParser.isSeparator) || value.hasPrefix("'") || value.hasPrefix("\"")
        guard needsQuotes else { return value }
        if !bytes.contains(UInt8(ascii: "\"")) { return "\"\(value)\"" }
        return bytes.contains(UInt8(ascii: "'")) ? nil : "'\(value)'"
    }

    private static func problems(
        of setting: Setting, harness: [Setting], flags: SanitizerFlags
    ) -> [SanitizerOptionError] {
        let name = setting.name
        if let reason = reserved[name] { return [.reserved(name, reason: reason)] }
        if harness.contains(where: { $0.name == name }) {
            return [.reserved(name, reason: "the harness sets it itself")]
        }
        guard flags.names.contains(name) else { return [.unknown(name, nearest: flags.nearest(to: name))] }
        if flags.switches.contains(name), !["0", "1", "no", "yes", "false", "true"].contains(setting.value) {
            return [.badSwitch(name, value: setting.value)]
        }
        return []
    }

    /// The options that would make the harness blind, with the reason.
    static let reserved: [String: String] = [
        "log_path": "the harness reads the reports from files that it names",
        "log_exe_name": "the harness finds a report by the name of its file",
        "log_suffix": "the harness finds a report by the name of its file",
        "exitcode": "the harness tells a race from a crash by the exit code",
        "report_bugs": "without reports every strategy would look clean",
        "halt_on_error": "the harness decides whether a process continues after a race",
        "abort_on_error": "the harness tells a race from a crash by how the process ends",
        "help": "the process would print the list of options, and the harness asks for it itself",
        "include": "the options in another file can't be checked",
        "include_if_exists": "the options in another file can't be checked",
        "symbolize": "without symbols a race has no place",
        "external_symbolizer_path": "the harness picks the symbolizer of the toolchain",
        "stack_trace_format": "the harness reads the frames in their usual form",
        "symbolize_vs_style": "the harness reads the frames in their usual form",
        "enable_symbolizer_markup": "the harness reads the frames in their usual form",
        "strip_path_prefix": "the harness tells our code from other code by full paths",
        "stop_on_start": "every process would hang",
        "test_only_emulate_no_memorymap": "it breaks the runtime, for its own tests",
        "test_only_replace_dlopen_main_program": "it breaks the runtime, for its own tests",
    ]
}
