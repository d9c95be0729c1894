import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SanitizerFlagsTests {
    /// The runtime's help output, shortened; one description contains a line break.
    static let help = """
        Available flags for ThreadSanitizer:
        \treport_bugs
        \t\t- Turns off bug reporting entirely (useful for benchmarking). (Current Value: true)
        \thistory_size
        \t\t- Per-thread history size. (Current Value: 0x0)
        \tallocator_release_to_os_interval_ms
        \t\t- Negative values mean do not attempt to release memory to the OS.
         (Current Value: 5000)
        \thandle_segv
        \t\t- Controls custom tool's SIGSEGV handler (0 - do not registers the handler).  (Current Value: 1)
        \tdetect_deadlocks
        \t\t- If set, deadlock detection is enabled. (Current Value: true)
        \tlog_path
        \t\t- Write logs to "log_path.pid". (Current Value: <null>)
        \tinclude_if_exists
        \t\t- read more options from the given file (if it exists) (Current Value: )
        """

    @Test func `the runtime's list is read`() throws {
        let flags = try #require(SanitizerFlags(help: Self.help))
        #expect(
            flags.names == [
                "report_bugs", "history_size", "allocator_release_to_os_interval_ms", "handle_segv", "detect_deadlocks",
                "log_path", "include_if_exists",
            ])
        #expect(flags.switches == ["report_bugs", "detect_deadlocks"])
    }

    @Test func `other output around the list doesn't matter`() {
        let text = "\tnot_yet\nstart\n\(Self.help)\n==================\nWARNING: ThreadSanitizer: data race (pid=1)\n"
        #expect(SanitizerFlags(help: text) == SanitizerFlags(help: Self.help))
    }

    @Test(arguments: ["", "\treport_bugs\n", "Available flags for ThreadSanitizer:\n", "sh: not found\n"])
    func `a text without a list gives none`(text: String) {
        #expect(SanitizerFlags(help: text) == nil)
    }

    @Test(arguments: [
        ("history_sise", "history_size"), ("histroy_size", "history_size"), ("logpath", "log_path"),
        ("detect_deadlock", "detect_deadlocks"),
    ])
    func `the nearest name is found`(name: String, expected: String) {
        #expect(SanitizerFlags(help: Self.help)?.nearest(to: name) == expected)
    }

    @Test(arguments: ["", "colour", String(repeating: "history_size", count: 100_000)])
    func `a name without a similar one has no suggestion`(name: String) {
        #expect(SanitizerFlags(help: Self.help)?.nearest(to: name) == nil)
    }
}
