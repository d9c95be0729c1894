import Foundation
import Locks
import Platform
import TrialLoop
import TrialModel

@testable import TrialSessions

/// Trials whose processes are shell scripts, in a folder that is removed afterwards.
final class ScriptedTrials: Sendable {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("scripts-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The lines that the scripts wrote into their log.
    var log: [String] {
        let text = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Starts a trial whose process waits for a turn in each of some phases, logs its name and the phase when it has
    /// the turn, and ends with a command.
    func start(
        _ name: String, phases: [Int], then end: String = "say '{\"finished\":{}}'",
        version: Int = TurnSettings.version, deadline: Duration = .seconds(60)
    ) async throws -> TurnTakingTrial {
        let steps = phases.map { phase in
            """
            say '{"waiting":{"version":\(version),"phase":\(phase)}}'
            read -r grant || exit
            echo '\(name) \(phase)' >> '\(folder)/log'
            """
        }
        return try await start(name, body: (steps + [end]).joined(separator: "\n"), deadline: deadline)
    }

    /// Writes a program that reads its plan and then runs some commands; `say` writes a line.
    ///
    /// - Returns: its path.
    func program(_ name: String, body: String) throws -> String {
        let path = "\(folder)/\(name)"
        let script = "#!/bin/sh\nsay() { printf '%s\\n' \"$1\"; }\nread -r specification\n\(body)\n"
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    /// Starts a trial whose process reads its plan and then runs some commands.
    func start(
        _ name: String, body: String, deadline: Duration = .seconds(60)
    ) async throws -> TurnTakingTrial {
        let path = try program(name, body: body)
        let scenario = RunPlanTests.scenario("s")
        return try await TurnTakingTrial.start(
            ChildProgram(path),
            TrialSpecification(
                identity: TrialIdentity(scenario: "s", strategy: name, repetition: 1), scenario: scenario,
                originAddress: nil, directory: folder, turns: scenario.turns(inRound: 1)),
            ChildSettings(deadline: deadline, turnWatch: Locked(Stopwatch(isRunning: true))))
    }
}
