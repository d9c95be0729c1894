import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Reports
import Testing
import TimedStrategies
import TrialModel
import TrialTestSupport

@testable import Schedules
@testable import TrialSessions

/// How an exploration reports scripted outcomes of its processes.
@Suite(.timeLimit(.minutes(1)))
struct ExplorationSessionTests {
    private let results = try? SessionFolder(ResultFile.ofExploration)

    /// Explores a strategy under two scenarios, from seed 10.
    private func explore(_ script: @escaping ScriptedExploration.Script) async throws -> ExplorationSession.Summary {
        let session = ExplorationSession(
            subjects: try ["one", "two"].map {
                .init(
                    scenario: RunPlanTests.scenario($0), path: "\($0).yaml",
                    strategies: [try #require(StrategyRegistry.builtIn["actor"])])
            },
            schedules: 100, seed: 10, folder: try #require(results).folder, progress: SessionFolder.progress(2),
            runner: {
                try ExplorationRunner(
                    program: ChildProgram("scripted", start: ScriptedExploration(script: script).start),
                    orders: 100, deadline: .seconds(60))
            })
        return try await session.run()
    }

    private func rows() throws -> [ExplorationRow] {
        try ResultFolder.rows(of: ExplorationRow.self, at: try #require(results).path)
    }

    @Test func `a promise kept by every schedule is a row`() async throws {
        let summary = try await explore { ScriptedExploration.finished($0) }
        #expect(summary.examples.isEmpty)
        #expect(try rows() == summary.rows)
        #expect(summary.rows.map(\.verdict) == [.consistent, .consistent])
        #expect(summary.rows.map(\.schedules) == [100, 100])
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).allSatisfy { $0.passed })
    }

    @Test func `a broken promise is a row with the seed and the command that reproduces it`() async throws {
        let summary = try await explore { plan in
            var finding = ExplorationFinding(.singleFlight)
            finding.violate(seed: 17, Counterexample(summary: "two loads at once", events: []))
            return ScriptedExploration.finished(plan, finding)
        }
        #expect(summary.rows.map(\.firstSeed) == [17, 17])
        #expect(summary.rows[1].replayCommand.hasSuffix("explore two.yaml --strategies actor --orders 1 --seed 17"))
        #expect(summary.examples.map(\.example.summary) == ["two loads at once", "two loads at once"])
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).map(\.passed) == [false, true])
    }

    @Test func `a schedule that kills its process is the last one, and earlier results are computed again`()
        async throws
    {
        let summary = try await explore { plan in
            plan.schedules == 100
                ? .died(seed: 13, .signaled(11))
                : ScriptedExploration.finished(plan)
        }
        #expect(summary.rows.map(\.verdict) == [.consistent, .crashed, .consistent, .crashed])
        #expect(summary.rows.map(\.schedules) == [3, 4, 3, 4])
        #expect(summary.rows[1].firstSeed == 13)
        // No smaller script killed the process, so the whole one is kept.
        #expect(FileManager.default.fileExists(atPath: "\(try #require(results).path)/\(summary.rows[1].scriptFile)"))
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).map(\.passed) == [true, false])
    }

    @Test func `a process that dies beside what is not controlled accuses no cache`() async throws {
        let summary = try await explore { _ in .diedBeside(4, .signaled(11)) }
        #expect(summary.rows.map(\.verdict) == [.unknown, .unknown] && summary.rows.allSatisfy { $0.violations == 0 })
        #expect(
            summary.rows[0].example
                == "in an interleaving in which a dispatch source took part, which is not controlled: the process died of SIGSEGV"
        )
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).allSatisfy { $0.passed })
    }

    @Test func `a hang at what can't be ordered keeps the promises that earlier schedules broke`() async throws {
        let summary = try await explore { plan in
            var broken = ExplorationFinding(.ownValues)
            broken.violate(seed: 11, nil)
            return .stuck(ScriptedExploration.report(plan, broken))
        }
        #expect(summary.rows.map(\.verdict) == [.inconsistent, .failed, .inconsistent, .failed])
        #expect(summary.rows[1].example.hasPrefix("a thread runs in a loop"))
        let kept = try await explore { plan in .stuck(ScriptedExploration.report(plan)) }
        #expect(kept.rows.map(\.verdict) == [.failed, .failed])
    }

    @Test func `a schedule that does not end is a row that says hung`() async throws {
        let summary = try await explore { plan in
            plan.schedules == 100
                ? .died(seed: 10, .deadlinePassed(.seconds(60))) : ScriptedExploration.finished(plan)
        }
        #expect(summary.rows.map(\.verdict) == [.hung, .hung])
        // The scripted program has no library beside it, so nothing would order a strategy's own threads.
        for row in summary.rows {
            #expect(row.example.hasPrefix("no progress in 60 s; the process was killed; if it has threads of its own"))
            #expect(row.example.contains("'swift build --product ThreadSchedule' makes it"))
        }
    }

    // It was a hang, and a finding about the cache.
    @Test func `an exploration that is stopped while it makes progress accuses no cache`() async throws {
        let summary = try await explore { plan in
            var report = ScriptedExploration.report(plan)
            report.schedules = 64
            return .slow(report)
        }
        #expect(summary.rows.map(\.verdict) == [.consistent, .unknown, .consistent, .unknown])
        #expect(summary.rows.allSatisfy { $0.schedules == 64 && $0.violations == 0 && $0.firstSeed == nil })
        #expect(
            summary.rows[1].example
                == "still at work after 180 s; the process was killed; lower --orders, or give 'explore' a longer --deadline"
        )
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).allSatisfy { $0.passed })

        let nothing = try await explore { _ in .died(seed: 10, .limitReached(.seconds(180))) }
        #expect(nothing.rows.map(\.verdict) == [.failed, .failed] && nothing.rows.allSatisfy { $0.violations == 0 })
        #expect(RunVerdict(gates: StrategyRegistry.builtIn.gates(for: nothing.rows)).exitCode == 2)
    }

    @Test func `the name of a script is one that a scenario may have, and its own`() throws {
        let names = [
            "scan-lru-freshness", "scan-shared+lru-freshness", "scan-shared-lru-freshness",
            "scan capacity=0.5-lru-freshness", "\(String(repeating: "long-", count: 13))a-freshness",
            "\(String(repeating: "long-", count: 13))b-freshness",
        ].map(ScriptFile.name)
        #expect(names[0] == "scan-lru-freshness.yaml" && Set(names).count == names.count)
        for name in names {
            let base = try #require(name.wholeMatch(of: /([A-Za-z0-9][A-Za-z0-9._-]*)\.yaml/)).1
            #expect(base.utf8.count <= 64 && name.shellQuoted == name)
        }
        var row = ExplorationRow()
        (row.scriptFile, row.scriptSeed) = ("scripts/\(names[1])", 3)
        #expect(
            row.scriptCommand(in: "my results")?.hasSuffix(
                "explore 'my results/scripts/\(names[1])' --orders 1 --seed 3") == true)
    }

    @Test(arguments: [ChildEnding.Way.exited(127), .signaled(11)])
    func `a process that could not be loaded accuses no cache`(way: ChildEnding.Way) async throws {
        let summary = try await explore { _ in .neverBegan(way) }
        #expect(summary.rows.map(\.verdict) == [.failed, .failed] && summary.rows.allSatisfy { $0.violations == 0 })
        #expect(
            summary.rows.allSatisfy { $0.example.hasPrefix("the exploration of actor could not start: the process ") })
        #expect(StrategyRegistry.builtIn.gates(for: summary.rows).first { !$0.passed }?.exitCode == .harnessTrouble)
    }

    @Test func `finished results of a cancelled exploration are kept`() async throws {
        _ = try await Task {
            let isSecond = Locked(false)
            return try await explore { plan in
                if isSecond.withLock({ isSecond in
                    defer { isSecond = true }
                    return isSecond
                }) {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return ScriptedExploration.finished(plan)
            }
        }.value
        #expect(try rows().map(\.scenario) == ["one"])
    }

    @Test func `an interrupted exploration keeps what it had found`() async throws {
        let summary = try await Task {
            try await explore { plan in
                var report = ScriptedExploration.report(plan)
                report.schedules = 64
                return .interrupted(report)
            }
        }.value
        #expect(summary.rows.map(\.schedules) == [64])
        #expect(summary.rows.map(\.verdict) == [.consistent])
        #expect(try rows() == summary.rows)
    }

    @Test func `a strategy that can't be explored has a row that says why, and the others have their turn`()
        async throws
    {
        let isSecond = Locked(false)
        let summary = try await explore { plan in
            let hadTurn = isSecond.withLock { isSecond in
                defer { isSecond = true }
                return isSecond
            }
            guard hadTurn else { throw HarnessError("there were no operations") }
            return ScriptedExploration.finished(plan)
        }
        #expect(summary.rows.map(\.verdict) == [.failed, .consistent])
        #expect(summary.rows[0].example == "there were no operations" && summary.rows[0].schedules == 0)
        #expect(RunVerdict(gates: StrategyRegistry.builtIn.gates(for: summary.rows)).exitCode == 2)
    }
}

/// Explorations that end as a script says.
private struct ScriptedExploration {
    /// How an exploration ends.
    enum Ending {
        case finished(ExplorationReport)
        /// The process ended in this way, in the schedule of a seed.
        case died(seed: UInt64, ChildEnding.Way)
        /// The process ended in this way, after it noted what was not controlled.
        case diedBeside(UInt32, ChildEnding.Way)
        /// The process ended before it began with any schedule.
        case neverBegan(ChildEnding.Way)
        /// The process is stopped after it reported what it had found.
        case slow(ExplorationReport)
        /// The process hangs at something that can't be ordered, after it reported what it had found.
        case stuck(ExplorationReport)
        /// The run is interrupted after the process reported what it had found.
        case interrupted(ExplorationReport)
    }

    typealias Script = @Sendable (ExplorationPlan) async throws -> Ending

    let script: Script

    func start(_ call: ChildCall) async throws -> ChildEnding {
        guard let task = call.request(ExplorationTask.self) else { throw CancellationError() }
        switch try await script(task.plan) {
        case .finished(let report):
            try call.answer(ExplorationMessage.finished(report))
            return ChildEnding(.exited(0))
        case .died(let seed, let way):
            try SeedMark(creating: task.seedFile).set(seed)
            return ChildEnding(way)
        case .diedBeside(let unseen, let way):
            try SeedMark(creating: task.seedFile).set(1)
            guard let path = call.settings.environment[UnseenOrders.fileVariable] else {
                return ChildEnding(.exited(2))
            }
            try withUnsafeBytes(of: unseen.littleEndian) { try Data($0).write(to: URL(fileURLWithPath: path)) }
            return ChildEnding(way)
        case .neverBegan(let way): return ChildEnding(way)
        case .slow(let report):
            try SeedMark(creating: task.seedFile).set(1)
            try call.answer(ExplorationMessage.soFar(report))
            return ChildEnding(.limitReached(.seconds(180)))
        case .stuck(let report):
            try call.answer(ExplorationMessage.soFar(report))
            try call.answer(ExplorationMessage.trouble("a thread runs in a loop"))
            return ChildEnding(.exited(0))
        case .interrupted(let report):
            try call.answer(ExplorationMessage.soFar(report))
            withUnsafeCurrentTask { $0?.cancel() }
            return ChildEnding(.signaled(9))
        }
    }

    /// The end of all schedules, with one finding.
    static func finished(_ plan: ExplorationPlan, _ finding: ExplorationFinding? = nil) -> Ending {
        .finished(report(plan, finding))
    }

    /// A report of all schedules, with one finding.
    static func report(_ plan: ExplorationPlan, _ finding: ExplorationFinding? = nil) -> ExplorationReport {
        var kept = ExplorationFinding(.ownValues)
        kept.verdict = .consistent
        return ExplorationReport(
            schedules: plan.schedules, distinctTraces: 1, digest: 1, findings: [finding ?? kept])
    }
}
