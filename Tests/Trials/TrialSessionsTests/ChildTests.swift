import Foundation
import Testing

@testable import TrialSessions

/// Processes that a run starts, and what these start.
@Suite(.timeLimit(.minutes(2)))
struct ChildTests {
    /// A request that a shell script ignores.
    private struct Question: ChildRequest {
        typealias Message = String

        static let verb = "question"
        static let starter = "tests"

        var text = ""
    }

    /// Runs a script as a child. A helper that it starts writes its number to the file `$HELPER`.
    ///
    /// - Returns: how the child ended, and whether its helper still runs.
    private func run(_ script: String, deadline: Duration) async throws -> (way: ChildEnding.Way, lives: Bool) {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let file = scratch.path("helper")
        var settings = ChildSettings(deadline: deadline)
        (settings.launcher, settings.environment) = (["-c", script], ["HELPER": file])
        let ending = try await ChildProgram("/bin/sh").ask(Question(), settings) { _ in }
        let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let helper = try #require(pid_t(text))
        defer { kill(helper, SIGKILL) }
        return (ending.way, Self.runs(helper))
    }

    /// Whether a process has not ended; one that was killed may end in a moment.
    private static func runs(_ process: pid_t) -> Bool {
        for _ in 0..<200 {
            let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?
                .split(separator: ")").last?.split(separator: " ").first
            if state == nil || state == "Z" { return false }
            usleep(10_000)
        }
        return true
    }

    private static let helper = "sleep 3600 & echo $! > \"$HELPER\"; "

    // The process was killed, and its helper was left behind.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `at the deadline a child ends with all that it started`() async throws {
        let ending = try await run(Self.helper + "wait", deadline: .seconds(1))
        #expect(ending.way == .deadlinePassed(.seconds(1)) && !ending.lives)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `a child that ends is not waited for longer because a helper holds its output`() async throws {
        let ending = try await run(Self.helper + "exit 7", deadline: .seconds(3_000))
        #expect(ending.way == .exited(7) && !ending.lives)
    }

    // The write ended this process with SIGPIPE when the child was faster. A request larger than a pipe's buffer fails always.
    @Test
    func `a child that ends without reading its request does not end its parent`() async throws {
        var settings = ChildSettings(deadline: .seconds(3_000))
        settings.launcher = ["-c", "exit 7"]
        let question = Question(text: String(repeating: "x", count: 1 << 20))
        let ending = try await ChildProgram("/bin/sh").ask(question, settings) { _ in }
        #expect(ending.way == .exited(7))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `a helper in a session of its own does not hold up the end`() async throws {
        let ending = try await run("setsid sleep 3600 & echo $! > \"$HELPER\"; wait", deadline: .seconds(1))
        #expect(ending.way == .deadlinePassed(.seconds(1)))
    }
}
