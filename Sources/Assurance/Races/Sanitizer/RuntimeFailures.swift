/// Finds the lines in which the runtime reports that it can't work.
///
/// The wordings are those of the runtime of Swift 6.3: each was provoked, or found in the strings of its library.
struct RuntimeFailures {
    /// The first line that says that the runtime gave up; otherwise the first that says that it works badly.
    var line: String? { fatal ?? warning }
    /// The first line about a deadly signal.
    var crash: String? { signal ?? signalMark }
    private var signal: String?
    private var signalMark: String?
    private var fatal: String?
    private var warning: String?

    /// A longer line is cut: it goes into a table and a message.
    private static let byteCountMax = 1_000

    /// The process ends after one of these.
    private static let fatalBeginnings = [
        "FATAL: ThreadSanitizer", "FATAL: Internal error: ThreadSanitizer", "ThreadSanitizer: failed to ",
        "ThreadSanitizer: ERROR: ", "ThreadSanitizer: Out of memory",
        "ThreadSanitizer: mmap at bad address", "ThreadSanitizer: incorrect value for ",
        "ThreadSanitizer: can't find longjmp buf", "ThreadSanitizer: hard rss limit exhausted",
        "ThreadSanitizer: starting new threads after multi-threaded fork is not supported. Dying",
        "ERROR: Invalid value for ", "ERROR: Failed to mmap", "ERROR: Failed to munmap",
        "ERROR: Failed to protect the shadow gap", "ERROR: Can't open file: ", "ERROR: Can't create directory: ",
        "ERROR: Path is too long: ", "ERROR: Unexpected pattern: ", "ERROR: External symbolizer path ",
        "Failed to read options from ", "ERROR: ThreadSanitizer failed to ",
        "ERROR: ThreadSanitizer setrlimit() failed", "ERROR: ThreadSanitizer getrlimit() failed",
        "ERROR: ThreadSanitizer: out of memory", "ERROR: ThreadSanitizer: allocator exceeded the RSS limit",
        "ERROR: ThreadSanitizer: internal allocator is out of memory",
    ]

    /// The process continues after one of these, but its reports can't be trusted, or have no lines.
    private static let warningBeginnings = [
        "WARNING: ThreadSanitizer: unexpected memory mapping", "WARNING: ThreadSanitizer: memory layout",
        "WARNING: invalid path to external symbolizer", "WARNING: external symbolizer didn't start",
        "WARNING: Failed to use and restart external symbolizer", "WARNING: Program is run with ",
        "ThreadSanitizer: soft rss limit exhausted",
    ]

    /// Reads one line. O(length of the line).
    mutating func read(_ bytes: Bytes) {
        if let check = bytes.first("ThreadSanitizer: CHECK failed") {
            // The message can follow unfinished output of the program.
            note(fatal: bytes[check.lowerBound...])
            return
        }
        if let signal = bytes.first("ThreadSanitizer:DEADLYSIGNAL") {
            // The first word of a crash; the name of the signal may follow, or never be written.
            signalMark = signalMark ?? Self.text(bytes[signal])
            return
        }
        guard
            bytes.first("anitizer") != nil || bytes.first("R: ") != nil || bytes.first("Re-exec") != nil
                || bytes.begins(with: "F") || bytes.begins(with: "=")
        else { return }
        let line = Self.withoutProcess(bytes)
        if line.begins(with: "Re-execing ") || bytes.first(". Re-execing ") != nil {
            // The runtime recovered: it starts the program again in an environment that suits it.
            warning = nil
        } else if Self.fatalBeginnings.contains(where: line.begins(with:)) {
            note(fatal: line)
        } else if Self.warningBeginnings.contains(where: line.begins(with:)) {
            warning = warning ?? Self.text(line)
        } else if line.begins(with: "ERROR: ThreadSanitizer: ") {
            signal = signal ?? Self.text(line)
        } else if line.begins(with: "ThreadSanitizer: "), line.first("overflow")?.isEmpty == false,
            line.first("Dying") != nil
        {
            note(fatal: line)
        }
    }

    private mutating func note(fatal line: Bytes) { fatal = fatal ?? Self.text(line) }

    /// The line without the `==123==` that some begin with.
    private static func withoutProcess(_ line: Bytes) -> Bytes {
        guard line.begins(with: "==") else { return line }
        let rest = line.dropFirst(2)
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        let after = rest.dropFirst(digits.count)
        return !digits.isEmpty && after.begins(with: "==") ? after.dropFirst(2) : line
    }

    private static func text(_ line: Bytes) -> String {
        line.count <= byteCountMax ? line.text : line.prefix(byteCountMax).text + "…"
    }
}
