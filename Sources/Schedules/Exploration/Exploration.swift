import CacheStrategies
import HistoryChecking
import TrialModel

/// Runs schedule after schedule and adds up what they say.
struct Exploration {
    private let plan: ExplorationPlan
    private let judge: ScheduleJudge
    private let run: StrategyExplorer.ScheduleRun
    private var findings: [ExplorationFinding]
    private var judged: Set<UInt64> = []
    private var digest = TraceDigest()
    private var endlessSeed: UInt64?

    init(plan: ExplorationPlan, promises: Promises, run: @escaping StrategyExplorer.ScheduleRun) {
        self.plan = plan
        self.run = run
        judge = ScheduleJudge(promises)
        findings = judge.promises.map(ExplorationFinding.init)
    }

    /// Runs the schedules of the plan, and then looks for smaller scripts.
    mutating func carryOut(willRun: (UInt64?) -> Void) throws -> ExplorationReport {
        var schedules = 0
        for offset in 0..<UInt64(clamping: plan.schedules) {
            let seed = plan.seed &+ offset
            willRun(seed)
            schedules += 1
            let schedule = try run(plan.script(ofSeed: seed), seed)
            digest.add(schedule.digest)
            if schedule.isEndless {
                endlessSeed = seed
                break
            }
            try add(schedule, seed: seed)
        }
        let report = ExplorationReport(
            schedules: schedules, distinctTraces: judged.count, digest: digest.value, findings: findings,
            endlessSeed: endlessSeed)
        return plan.shrinks && endlessSeed == nil ? try shrunk(report, willRun: willRun) : report
    }

    /// Adds what a schedule says. Where everybody saw what was seen in an earlier one, only its end can be news.
    private mutating func add(_ schedule: ExploredSchedule, seed: UInt64) throws(ExplorationError) {
        let isNew = judged.insert(schedule.historyDigest).inserted
        guard isNew || !schedule.recorder.endFindings.isEmpty else { return }
        let found = try judge.findings(schedule.recorder, isNew: isNew)
        for index in findings.indices {
            guard let finding = found.first(where: { $0.promise == findings[index].promise }) else { continue }
            findings[index].add(finding, seed: seed)
        }
    }

    /// Looks for the smallest script that breaks each broken promise.
    private func shrunk(_ report: ExplorationReport, willRun: (UInt64?) -> Void) throws -> ExplorationReport {
        var report = report
        willRun(nil)
        for index in report.findings.indices {
            let promise = report.findings[index].promise
            guard let seed = report.findings[index].firstSeed else { continue }
            let shrinker = ScriptShrinker { script, seed in
                let schedule = try run(script, seed)
                guard !schedule.isEndless else { return nil }
                let found = try judge.findings(schedule.recorder, isNew: true)
                return found.first { $0.promise == promise && $0.verdict == .inconsistent }
            }
            report.findings[index].smallest = try shrinker.smallest(from: plan.script(ofSeed: seed), seed: seed)
        }
        return report
    }
}
