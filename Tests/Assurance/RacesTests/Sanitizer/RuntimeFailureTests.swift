import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct RuntimeFailureTests {
    @Test(arguments: [
        "ThreadSanitizer: failed to read suppressions file '/none'",
        "ThreadSanitizer: failed to parse suppressions.",
        "ThreadSanitizer: ERROR: expected '=' in TSAN_OPTIONS",
        "ThreadSanitizer: ERROR: unterminated string",
        "ThreadSanitizer: incorrect value for io_sync (must be [0..2])",
        "ThreadSanitizer: CHECK failed: tsan_rtl.cpp:261 \"((!thr->slot)) != (0)\" (0x0, 0x0) (tid=5047)",
        "ERROR: Can't open file: /proc/x.12475 (reason: 2)",
        "ERROR: Invalid value for bool option: 'maybe'",
        "Failed to read options from '/none': error 2",
        "FATAL: ThreadSanitizer: unexpectedly found incompatible memory layout.",
        "FATAL: ThreadSanitizer can not mmap the shadow memory (asked to mmap at 0x1 got 0x2)",
        "WARNING: ThreadSanitizer: unexpected memory mapping 0x1-0x2",
    ])
    func `a failure of the runtime is reported in its own words`(line: String) {
        let log = SanitizerLog("start\n\(line)\nend\n")
        #expect(log.failure == line)
        #expect(log.crash == nil && log.reports == [])
    }

    @Test(arguments: [
        "FATAL: ThreadSanitizer: memory layout is incompatible, even though ASLR is disabled.",
        "ERROR: ThreadSanitizer setrlimit() failed 22",
        "ERROR: External symbolizer path is set to '/bin/true' which isn't a known symbolizer. Please set the path",
        "ERROR: ThreadSanitizer: out of memory: allocator is trying to allocate 0x10 bytes",
        "ThreadSanitizer: hard rss limit exhausted (1Mb vs 36Mb)",
        "WARNING: invalid path to external symbolizer!",
    ])
    func `the process at the start of a line is left out`(line: String) {
        #expect(SanitizerLog("==123==\(line)\n").failure == line)
    }

    @Test func `a failed check is found after unfinished output of the program`() {
        let line = "*** Signal 4: Backtracing from 0x7f...ThreadSanitizer: CHECK failed: tsan_rtl.cpp:1076 \"x\"\n"
        #expect(SanitizerLog(line).failure == "ThreadSanitizer: CHECK failed: tsan_rtl.cpp:1076 \"x\"")
    }

    @Test func `conditions that the runtime can correct are not a failure`() {
        let text = """
            ==9==WARNING: ThreadSanitizer: unexpected memory mapping 0x1-0x2
            ==9==WARNING: ThreadSanitizer: memory layout is incompatible, possibly due to high-entropy ASLR.
            Re-execing with fixed virtual address space.
            N.B. reducing ASLR entropy is preferable.

            """
        #expect(SanitizerLog(text).failure == nil)
        #expect(SanitizerLog(text + "==9==FATAL: ThreadSanitizer: memory layout\n").failure != nil)
    }

    @Test func `a fatal message takes precedence over a warning`() {
        let text = "==1==WARNING: invalid path to external symbolizer!\nThreadSanitizer: failed to set thread key\n"
        #expect(SanitizerLog(text).failure == "ThreadSanitizer: failed to set thread key")
    }

    @Test(arguments: [
        "ThreadSanitizer: reported 1 warnings", "FATAL: the program's own", "ERROR: Failed to load a picture",
        "ThreadSanitizer: Matched 1 suppressions (pid=1):", "WARNING: found 1 unrecognized flag(s):",
        "Swift/Array.swift:692: Fatal error: Index out of range", "SUMMARY: ThreadSanitizer: data race a.swift:1 in f",
    ])
    func `other lines are not a failure`(line: String) {
        let log = SanitizerLog(line + "\n")
        #expect(log.reports.isEmpty && log.failure == nil && log.crash == nil)
    }

    @Test func `a long line is truncated`() {
        let line = "ThreadSanitizer: failed to " + String(repeating: "x", count: 100_000)
        #expect(SanitizerLog(line).failure?.count == 1_001)
    }
}
