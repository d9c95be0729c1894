/// What Thread Sanitizer wrote about one process: to its log file, or to standard error among other lines.
package struct SanitizerLog: Sendable, Hashable {
    /// The findings, in the order in which they were written.
    package let reports: [SanitizerReport]
    /// The line that says why the runtime could not do its work: an environment error, and no word about the program.
    ///
    /// With one, an exit code of 66 means no race, and a missing report means no clean run.
    package let failure: String?
    /// The line in which the runtime says that the process got a deadly signal, such as SEGV.
    ///
    /// A race on a collection often ends so.
    package let crash: String?

    /// How many reports were kept back by suppressions; known with `print_suppressions=1` only.
    package let suppressed: UInt64

    package init(
        reports: [SanitizerReport], failure: String? = nil, crash: String? = nil, suppressed: UInt64 = 0
    ) {
        self.reports = reports
        self.failure = failure
        self.crash = crash
        self.suppressed = suppressed
    }

    /// Reads a log. Any bytes will do: what is no line of the runtime is passed over. O(n).
    ///
    /// A last report that was cut off counts when the heading of its first access is there: the process died while it
    /// was written, but the race had been seen. A last line without its end is not read as a frame, as its numbers may
    /// be cut short.
    package init(_ bytes: some Sequence<UInt8>) {
        var scanner = LogScanner()
        scanner.scan(Array(bytes))
        self.init(
            reports: scanner.reports, failure: scanner.failures.line, crash: scanner.failures.crash,
            suppressed: scanner.suppressed)
    }

    /// Reads the text of a log. O(n).
    package init(_ text: String) { self.init(text.utf8) }

    /// The findings that are races.
    package var races: [SanitizerReport] { reports.filter(\.isRace) }
}
