import Foundation
import Locks
import Measurement
import Origins
import Platform
import Subprocess
import TrialModel
import TrialSessions

/// Facts about this program for the verbs that start processes.
enum ThisProgram {
    /// Its name in usage lines and hints.
    static let name = ProgramName.current

    /// Whether it was entered by a `main` that is not async, as a counted trial requires.
    static let hasSynchronousMain = Locked(false)

    /// The program's own file, which it starts for every trial.
    static func path() throws -> String {
        if let surroundings = Surroundings.current { return surroundings.program }
        guard let path = Bundle.main.executablePath else {
            throw HarnessError(
                "the program can't find its own file, which it starts for every trial; give its full path")
        }
        return path
    }

    /// The program's own file for verbs that start it, after a check that there are enough descriptors.
    static func starter() throws -> ChildProgram {
        try checkDescriptors()
        return child(at: try path())
    }

    /// A program that verbs start.
    static func child(at path: String) -> ChildProgram {
        ChildProgram(path, start: Surroundings.current?.startChild)
    }

    /// A run holds pipes to two children and the files of its folder; starting a process traps when too few are left.
    static func checkDescriptors() throws {
        let limit = FileDescriptorLimit.raise()
        guard limit >= 64 else {
            throw HarnessError(
                "the process may open \(limit) files and needs 64; run 'ulimit -n 1024', then start again")
        }
    }

    /// Refuses scenarios whose origins the program does not have.
    static func checkOrigins(of scenarios: [Scenario]) throws {
        #if !HTTP
            if let scenario = scenarios.first(where: { $0.origin.kind == .server }) {
                throw HarnessError(
                    "\(scenario.name) needs the fixture server, which this build does not have; build it with the "
                        + "package's trait HTTP, which is on by default")
            }
        #endif
    }

    /// The default result folder, which is named after the time.
    static func defaultOutput() -> String {
        // Every part is named: a style that is given only separators prints nothing but the zone.
        let time = Date.now.formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .dash, dateTimeSeparator: .standard, timeSeparator: .omitted,
                timeZoneSeparator: .omitted, includingFractionalSeconds: false))
        return "Results/\(time)"
    }
}

/// The state of the source that a program was built from, as git reports it.
struct Checkout: Sendable {
    let commit: String
    /// Whether files differ from the commit.
    let isDirty: Bool

    /// The checkout that holds a file, such as the program in its build folder; `nil` outside a checkout, or without
    /// git.
    static func containing(file path: String) async -> Checkout? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let commit = await git(["-C", folder, "rev-parse", "HEAD"]), !commit.isEmpty,
            let changes = await git(["-C", folder, "status", "--porcelain", "--untracked-files=no"])
        else { return nil }
        return Checkout(commit: commit, isDirty: !changes.isEmpty)
    }

    private static func git(_ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
