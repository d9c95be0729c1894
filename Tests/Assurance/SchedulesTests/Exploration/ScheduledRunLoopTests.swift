import Foundation
import Locks
import Schedules
import Testing

/// The order of the tasks of a run loop.
@Suite(.timeLimit(.minutes(1)))
struct ScheduledRunLoopTests {
    private actor Notebook {
        private(set) var lines: [String] = []
        func note(_ line: String) { lines.append(line) }
    }

    @MainActor
    private final class MainNotebook {
        let lines: Locked<[String]>
        nonisolated init(_ lines: Locked<[String]>) { self.lines = lines }
        func note(_ line: String) {
            MainActor.assertIsolated()
            lines.withLock { $0.append(line) }
        }
    }

    /// Two tasks that call an actor, in the order in which the loop always takes the last ready job, or the first.
    private func lines(takesLast: Bool, _ granularity: ScheduledRunLoop.Granularity) throws -> (
        lines: [String], jobs: Int
    ) {
        let loop = try ScheduledRunLoop()
        let lines = Locked<[String]>([])
        var jobs = 0
        loop.capturing {
            let notebook = Notebook()
            for name in ["a", "b"] {
                Task.detached { @concurrent in
                    lines.withLock { $0.append(name) }
                    await notebook.note(name)
                    lines.withLock { $0.append(name) }
                }
            }
            while loop.readyCount > 0 {
                loop.run(at: takesLast ? loop.readyCount - 1 : 0, granularity)
                jobs += 1
            }
        }
        return (lines.withLock { $0 }, jobs)
    }

    @Test func `nothing runs before it is chosen`() throws {
        let loop = try ScheduledRunLoop()
        let hasRun = Locked(false)
        loop.capturing {
            Task.detached { hasRun.withLock { $0 = true } }
            #expect(loop.readyCount == 1)
            #expect(!hasRun.withLock { $0 })
            while loop.readyCount > 0 { loop.run(at: 0) }
            #expect(hasRun.withLock { $0 })
        }
    }

    @Test func `the chosen job runs first`() throws {
        #expect(try lines(takesLast: false, .suspensions).lines == ["a", "a", "b", "b"])
        #expect(try lines(takesLast: true, .suspensions).lines == ["b", "b", "a", "a"])
    }

    @Test func `a call of an actor is a separate job where hops are distinguished`() throws {
        #expect(try lines(takesLast: false, .suspensions).jobs == 2)
        #expect(try lines(takesLast: false, .hops).jobs > 2)
    }

    @Test func `the main actor's work is the loop's, on its thread`() throws {
        let loop = try ScheduledRunLoop()
        let lines = Locked<[String]>([])
        loop.capturing {
            let notebook = MainNotebook(lines)
            Task.detached { @concurrent in await notebook.note("main") }
            while loop.readyCount > 0 { loop.run(at: 0) }
        }
        #expect(lines.withLock { $0 } == ["main"])
    }

    @Test func `tasks of other threads are not affected`() async throws {
        let loop = try ScheduledRunLoop()
        let value = await withCheckedContinuation { continuation in
            Thread { Task.detached { continuation.resume(returning: 7) } }.start()
        }
        #expect(value == 7)
        #expect(loop.readyCount == 0)
    }

    @Test func `an index without a job runs nothing`() throws {
        let loop = try ScheduledRunLoop()
        loop.capturing {
            Task.detached {}
            loop.run(at: -1)
            loop.run(at: 5)
            #expect(loop.readyCount == 1)
            while loop.readyCount > 0 { loop.run(at: 0) }
        }
    }

    // In a separate process, because it takes over the process.
    @Test func `sleeps take no time and end in their order, and a yield lets others run`() async {
        await #expect(processExitsWith: .success) {
            ScheduledRunLoop.takeOverProcess()
            let loop = try ScheduledRunLoop()
            let lines = Locked<[String]>([])
            let start = ContinuousClock.now
            loop.capturing {
                for seconds in [300, 100, 200] {
                    Task.detached { @concurrent in
                        await Task.yield()
                        try? await Task.sleep(for: .seconds(seconds))
                        lines.withLock { $0.append("\(seconds)") }
                    }
                }
                repeat {
                    while loop.readyCount > 0 { loop.run(at: 0) }
                } while loop.wake()
            }
            guard lines.withLock({ $0 }) == ["100", "200", "300"] else { exit(3) }
            guard ContinuousClock.now - start < .seconds(60) else { exit(4) }
        }
    }
}
