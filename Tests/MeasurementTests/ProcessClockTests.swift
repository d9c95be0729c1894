import Foundation
import Testing
import TrialModel

@testable import Measurement

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
