/// What Thread Sanitizer wrote about one process: to its log file, or to standard error among other lines.
package struct SanitizerLog: Sendable, Hashable {
    /// The findings, in the order in which they were written.
    package let reports: [SanitizerReport]
    /// The line that says why the runtime could not do its work: an environment error, which says nothing about the
    /// program.
    ///
    /// If there is one, an exit code of 66 does not mean a race, and a missing report does not mean a clean run.
    package var failure: String?
    /// The line in which the runtime says that the process got a deadly signal, such as SEGV.
    ///
    /// A race on a collection often ends in one.
    package var crash: String?
    /// How many reports were suppressed; only known with `print_suppressions=1`.
    package var suppressed: UInt64 = 0
}

extension SanitizerLog {
    /// Reads a log. Any bytes are accepted: lines that the runtime did not write are skipped. O(n).
    ///
    /// A last report that was cut off counts if the heading of its first access is there: the process died while the
    /// report was written, but the race had been detected. A last line without a line break is not read as a frame,
    /// because its numbers may be cut short.
    package init(_ bytes: some Sequence<UInt8>) {
        var scanner = LogScanner()
        scanner.scan(Array(bytes))
        self.init(
            reports: scanner.reports, failure: scanner.failures.line, crash: scanner.failures.crash,
            suppressed: scanner.suppressed)
    }

    /// Reads the text of a log. O(n).
    package init(_ text: String) { self.init(text.utf8) }
}
