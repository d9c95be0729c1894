import ArgumentParser
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials
@testable import TrialSessions

/// How a comparison of two programs reports scripted outcomes of their trials.
@Suite(.timeLimit(.minutes(1)))
struct ScriptedComparisonTests {
    private let folder: TemporaryFolder
    private let programs: [String]
    private var output: String { "\(folder.path)/out" }

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        programs = try ["old", "new"].map { try Self.writeProgram("the \($0) program", to: $0, in: folder) }
    }

    private static func writeProgram(_ text: String, to name: String, in folder: TemporaryFolder) throws -> String {
        let path = try folder.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    /// Compares the rounds that are not yet in the folder; the candidate is program 1.
    ///
    /// - Returns: the exit code.
    private func compare(
        resume: Bool = false, budget: Duration = .seconds(30),
        _ script: @escaping @Sendable (ScriptedChildren.Trial) async throws -> TrialStatus = { _ in .completed }
    ) async throws -> Int32 {
        let comparison = LiveComparison(
            baseline: programs[0], candidate: programs[1],
            files: [.init(path: "one.yaml", scenario: ScriptedRun.scenario("one"), sha256: "aa")], chosen: nil,
            judging: try ComparisonArguments.parse([]), output: output, resume: resume, quiet: true, budget: budget,
            deadline: nil, all: false)
        let surroundings = Surroundings(
            program: "scripted", startChild: ScriptedChildren(script: script).start, write: { _, _ in })
        return try await Surroundings.$current.withValue(surroundings) {
            try await TrialExitCode.of { try await comparison.carryOut(format: .usual(.tables(.csv))) }.rawValue
        }
    }

    /// The rounds of each side.
    private func rounds(of strategy: String = "lru") throws -> [[Int]] {
        try ["baseline", "candidate"].map { side in
            try ResultFolder.read(at: "\(output)/\(side)").filter { $0.trial.key.strategy == strategy }
                .map(\.trial.key.repetition)
        }
    }

    private func gates() throws -> [String] {
        try ResultFolder.readVerdict(at: output).gates.filter { !$0.passed }.map(\.name)
    }

    @Test func `programs that behave the same are the same, after equally many rounds of each`() async throws {
        #expect(try await compare() == 0)
        let rounds = try rounds()
        #expect(rounds[0] == Array(1...rounds[0].count) && rounds[0] == rounds[1])
        #expect(try ResultFolder.rows(of: ComparisonRow.self, at: output).allSatisfy { $0.verdict == .same })
    }

    @Test(arguments: [TrialStatus.crashed, .hung])
    func `a failed trial of the candidate alone fails the comparison`(status: TrialStatus) async throws {
        let code = try await compare(budget: .milliseconds(300)) { trial in
            trial.program.hasSuffix("/new") && trial.identity.strategy == "lru" ? status : .completed
        }
        #expect(code == 3)
        #expect(try gates().contains("ended"))
        let rounds = try rounds()
        #expect(rounds[0] == rounds[1])
    }

    @Test func `a budget without time for a round is harness trouble`() async throws {
        #expect(try await compare(budget: .zero) == 2)
        #expect(try rounds() == [[], []])
    }

    @Test func `finished rounds of a cancelled comparison are kept, and it continues after them`()
        async throws
    {
        _ = try await Task {
            try await compare { trial in
                if trial.identity.repetition == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                return .completed
            }
        }.value
        #expect(try rounds() == [[1, 2], [1, 2]])
        #expect(try ResultFolder.readRun(at: "\(output)/baseline").partial)
        #expect(try await compare(resume: true) { $0.identity.repetition > 2 ? .completed : .crashed } == 0)
        let rounds = try rounds()
        #expect(rounds[0] == Array(1...rounds[0].count) && rounds[0].count > 2)
        #expect(try !ResultFolder.readRun(at: "\(output)/baseline").partial)
    }

    // They were thrown away with the rest of their round.
    @Test func `pairs that were finished before the end are kept`() async throws {
        let code = try await compare { trial in
            if trial.identity.repetition == 3, trial.identity.strategy == "sieve" {
                throw HarnessError("no descriptors")
            }
            return .completed
        }
        #expect(code == 2)
        #expect(try rounds() == [[1, 2, 3], [1, 2, 3]] && rounds(of: "sieve") == [[1, 2], [1, 2]])
        #expect(try await compare(resume: true) == 0)
        let rounds = try (rounds(), self.rounds(of: "sieve"))
        #expect(rounds.0[0].count > 4 && rounds.0[0] == rounds.0[1])
        #expect(rounds.1[0] == rounds.1[1] && !rounds.1[0].contains(3))
    }

    @Test func `another program is not compared with the rounds of the one before`() async throws {
        #expect(try await compare() == 0)
        let before = try rounds()
        _ = try Self.writeProgram("a third program", to: "new", in: folder)
        #expect(try await compare(resume: true) == 65)
        #expect(try rounds() == before)
    }

    @Test func `harness trouble keeps the finished rounds`() async throws {
        let code = try await compare { trial in
            if trial.identity.repetition == 3 { throw HarnessError("no descriptors") }
            return .completed
        }
        #expect(code == 2)
        #expect(try rounds() == [[1, 2], [1, 2]])
    }
}
