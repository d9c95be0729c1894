import Foundation
import Platform
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NanoclockTests {
    @Test
    func `the clock never goes back`() {
        var last = Nanoclock.now()
        for _ in 0..<10_000 {
            let next = Nanoclock.now()
            #expect(next >= last)
            last = next
        }
    }

    @Test
    func `the clock ticks in nanoseconds`() {
        // A monotonic clock counts from about the machine's start, so it can't have reached a century in seconds.
        #expect(Nanoclock.now() > 1_000_000)
        #expect(Nanoclock.now() < 3_200_000_000_000_000_000)
    }

    @Test
    func `an end before the start is a duration of zero`() {
        #expect(Nanoclock.elapsed(from: 10, to: 25) == 15)
        #expect(Nanoclock.elapsed(from: 10, to: 10) == 0)
        #expect(Nanoclock.elapsed(from: 11, to: 10) == 0)
    }

    #if canImport(Glibc)
        @Test
        func `a wait for a past time does not block`() {
            // A sleep in the kernel gives up the processor each time, however short it is.
            let before = Self.timesGivenUp()
            for _ in 0..<1_000 { Nanoclock.sleep(until: Nanoclock.now()) }
            #expect(Self.timesGivenUp() - before < 100)
        }

        /// How often the calling thread gave up its processor voluntarily.
        private static func timesGivenUp() -> Int {
            var usage = rusage()
            // RUSAGE_THREAD, which is a macro.
            getrusage(1, &usage)
            return usage.ru_nvcsw
        }
    #endif
}

@Suite(.timeLimit(.minutes(1)))
struct SignalActionTests {
    @Test func `what a signal does can be restored`() {
        // Nothing else in the tests uses it.
        let before = SignalAction(of: SIGUSR2)
        defer { before.restore() }
        #expect(!before.isIgnored)
        signal(SIGUSR2, SIG_IGN)
        let ignored = SignalAction(of: SIGUSR2)
        signal(SIGUSR2, SIG_DFL)
        #expect(ignored.isIgnored && !SignalAction(of: SIGUSR2).isIgnored)
        ignored.restore()
        #expect(SignalAction(of: SIGUSR2).isIgnored)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct StopwatchTests {
    @Test func `time between two intervals does not count`() {
        var watch = Stopwatch(isRunning: true)
        watch.stop()
        let before = watch.nanoseconds
        #expect(watch.nanoseconds == before)
        watch.start()
        while watch.nanoseconds == before {}
        watch.stop()
        #expect(watch.nanoseconds > before)
    }

    @Test func `a watch that was never started shows zero`() {
        var watch = Stopwatch()
        watch.stop()
        #expect(watch.nanoseconds == 0)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ProcessClockTests {
    /// Keeps this thread busy until it has used some processor time.
    private static func work(nanoseconds: UInt64) {
        let start = ProcessClock.ofThread()
        while Nanoclock.elapsed(from: start, to: ProcessClock.ofThread()) < nanoseconds {}
    }

    @Test func `time used by a thread counts for its process as well`() {
        let (process, thread) = (ProcessClock.now(), ProcessClock.ofThread())
        Self.work(nanoseconds: 2_000_000)
        let ofThread = Nanoclock.elapsed(from: thread, to: ProcessClock.ofThread())
        let ofProcess = Nanoclock.elapsed(from: process, to: ProcessClock.now())
        #expect(ofThread >= 2_000_000)
        #expect(ofProcess >= 2_000_000)
    }

    @Test func `time used by another thread counts for the process`() async {
        let start = ProcessClock.now()
        let used = await withCheckedContinuation { (continuation: CheckedContinuation<UInt64, Never>) in
            Thread.detachNewThread {
                let before = ProcessClock.ofThread()
                Self.work(nanoseconds: 5_000_000)
                continuation.resume(returning: Nanoclock.elapsed(from: before, to: ProcessClock.ofThread()))
            }
        }
        #expect(used >= 5_000_000)
        #expect(Nanoclock.elapsed(from: start, to: ProcessClock.now()) >= 5_000_000)
    }

    @Test func `neither clock goes back`() {
        var last = (process: ProcessClock.now(), thread: ProcessClock.ofThread())
        for _ in 0..<1_000 {
            let next = (process: ProcessClock.now(), thread: ProcessClock.ofThread())
            #expect(next.process >= last.process && next.thread >= last.thread)
            last = next
        }
    }

    @Test func `time used by a child is known once it has ended`() async throws {
        let before = ProcessClock.ofEndedChildren()
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "number=0; while [ $number -lt 100000 ]; do number=$((number + 1)); done"]
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        child.terminationHandler = { exit.yield($0.terminationStatus) }
        try child.run()
        for await code in exits {
            #expect(code == 0)
            break
        }
        #expect(ProcessClock.ofEndedChildren() > before)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ProcessesTests {
    @Test func `memory is counted in bytes`() throws {
        // A process of Swift code with Foundation takes some megabytes.
        #expect(try #require(rusage.ofThisProcess().residentBytesMax) > 4 << 20)
    }

    @Test func `another thread is not the main thread`() async {
        let isMain = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            Thread.detachNewThread { continuation.resume(returning: isMainThread()) }
        }
        #expect(!isMain)
    }
}
