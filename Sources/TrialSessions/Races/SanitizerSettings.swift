import Races
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
    import TrialModel
#endif

/// How child processes are run under Thread Sanitizer.
package struct SanitizerSettings: Sendable {
    /// What the user set in `TSAN_OPTIONS`.
    package let userOptions: String
    /// The options that the sanitizer knows.
    private let flags: SanitizerFlags
    /// The program that adds the files and lines to a report.
    private let symbolizer: String

    /// The exit code of a process with a report of the sanitizer.
    static let exitCode: Int32 = 66

    /// Checks the user's settings: the sanitizer itself ignores a misspelt option silently.
    ///
    /// - Parameters:
    ///   - userOptions: the text of `TSAN_OPTIONS`.
    ///   - executable: this program, which prints the options of its sanitizer.
    /// - Throws: ``HarnessError`` when an option can't be used, or when reports would have no source locations.
    package init(userOptions: String, executable: String) async throws {
        guard let symbolizer = SanitizerRuntime.symbolizer() else {
            throw HarnessError(
                "llvm-symbolizer is missing, so reports would name no files; it is part of the Swift toolchain: put "
                    + "the folder of 'swift' on PATH")
        }
        let help = try await Subprocess.run(
            .path(FilePath(executable)), arguments: ["--version"],
            environment: .inherit.updating(["TSAN_OPTIONS": "help=1", "SWIFT_BACKTRACE": "enable=no"]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard let flags = SanitizerFlags(help: help.standardOutput + help.standardError) else {
            throw HarnessError(
                "Thread Sanitizer does not say which options it knows, so it can't have started: "
                    + help.standardError.prefix(300))
        }
        self.userOptions = userOptions
        self.flags = flags
        self.symbolizer = symbolizer
        _ = try environment(logPath: "log", stopsAtFirst: false)
    }

    /// The environment of a child.
    ///
    /// - Parameters:
    ///   - logPath: the path of its reports, to which the sanitizer appends the process's number.
    ///   - stopsAtFirst: whether the first report ends the process, before a race can do damage.
    func environment(logPath: String, stopsAtFirst: Bool) throws -> [String: String] {
        var own = [
            ("log_path", logPath), ("exitcode", String(Self.exitCode)), ("halt_on_error", stopsAtFirst ? "1" : "0"),
            ("report_thread_leaks", "0"), ("print_suppressions", "1"), ("external_symbolizer_path", symbolizer),
            // It would wait a second at every exit for threads that are still running.
            ("atexit_sleep_ms", "0"),
        ]
        // A crash must end the process by its signal, not by the sanitizer's own exit code.
        own += ["segv", "sigbus", "sigill", "sigfpe", "abort"].map { ("handle_\($0)", "0") }
        do {
            let options = try SanitizerOptions(
                user: userOptions, harness: own.map { SanitizerOptions.Setting($0.0, $0.1) }, flags: flags)
            return ["TSAN_OPTIONS": options.text]
        } catch {
            throw HarnessError("\(error)")
        }
    }
}
