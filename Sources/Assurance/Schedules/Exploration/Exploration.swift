import CacheStrategies
import HistoryChecking
import TrialModel

/// Runs one schedule after the other and adds up their findings.
struct Exploration {
    private let plan: ExplorationPlan
    private let judge: ScheduleJudge
    private let run: StrategyExplorer.ScheduleRun
    private var findings: [ExplorationFinding]
    private var traces: Set<UInt64> = []
    /// The histories that were judged in an order in which nothing took part that is not controlled.
    private var judged: Set<UInt64> = []
    private var orders: Set<UInt64> = []
    private var digest = TraceDigest()
    private var endlessSeed: UInt64?
    /// Whether a schedule did not end: it is the last one.
    private var hasEnded = false
    private var unseen: UnseenOrders = []
    private var switchPoints: SwitchPoints = []
    private var schedules = 0
    private let onProgress: (() -> ExplorationReport) -> Void

    /// How many orders are tried to find the fewest preemptions that break a promise.
    private static let walkMax = 20_000

    /// How many orders are run before those that are judged.
    private static let warmUpCount: UInt64 = 16

    /// - Parameter onProgress: called after every schedule with what has been found so far.
    init(
        plan: ExplorationPlan, declaration: StrategyDeclaration, run: @escaping StrategyExplorer.ScheduleRun,
        onProgress: @escaping (() -> ExplorationReport) -> Void
    ) {
        self.plan = plan
        self.run = run
        self.onProgress = onProgress
        judge = ScheduleJudge(declaration.promises, worksInBackground: declaration.worksInBackground)
        findings = judge.promises.map(ExplorationFinding.init)
    }

    /// Runs the schedules of the plan, and then looks for smaller scripts.
    mutating func carryOut(willRun: (UInt64?) -> Void) throws -> ExplorationReport {
        try warmUp(willRun)
        let covered = plan.orders == .preemptions && !hasEnded ? try walk(willRun) : nil
        if covered == nil, !hasEnded { try sample(willRun) }
        var report = report
        report.spaceCovered = covered
        return plan.shrinks && !hasEnded ? try shrunk(report, willRun: willRun) : report
    }

    /// What has been found so far.
    private var report: ExplorationReport {
        ExplorationReport(
            schedules: schedules, distinctTraces: traces.count, distinctOrders: orders.count,
            unseen: unseen, switchPoints: switchPoints, digest: digest.value, findings: findings,
            endlessSeed: endlessSeed)
    }

    /// Runs some of the orders, and judges only one that does not end. The first orders of a process also initialise what is
    /// initialised once, and once for each thread, with steps of their own: without this, the seed of a finding would give
    /// another order to a process that begins with it.
    private mutating func warmUp(_ willRun: (UInt64?) -> Void) throws {
        let count = UInt64(clamping: max(plan.schedules, 1))
        for offset in 0..<Self.warmUpCount where !hasEnded {
            let seed = plan.seed &+ offset % count
            willRun(seed)
            let schedule = try run(plan.script(ofSeed: seed), plan.order(ofSeed: seed))
            if schedule.isEndless { try add(schedule, seed: seed) }
        }
    }

    /// Runs one order for each seed.
    private mutating func sample(_ willRun: (UInt64?) -> Void) throws {
        for offset in 0..<UInt64(clamping: plan.schedules) {
            let seed = plan.seed &+ offset
            willRun(seed)
            try add(try run(plan.script(ofSeed: seed), plan.order(ofSeed: seed)), seed: seed)
            if hasEnded { return }
        }
    }

    /// Runs all orders with few preemptions, one after the other. The seed is the position of an order in this
    /// sequence, so the orders before the first seed are also run, but not judged again.
    ///
    /// - Returns: the share of the orders with the most preemptions that was run.
    private mutating func walk(_ willRun: (UInt64?) -> Void) throws -> Double {
        let script = plan.script(ofSeed: plan.seed)
        let last = plan.seed.addingReportingOverflow(UInt64(clamping: plan.schedules))
        var walk = PreemptionWalk()
        try Self.walk(&walk, script, run) { number, schedule in
            if number >= plan.seed {
                willRun(number)
                try add(schedule, seed: number)
            }
            return !hasEnded && (last.overflow || number + 1 < last.partialValue)
        }
        return walk.choices == nil ? 1 : walk.preemptions == PreemptionWalk.preemptionsMax ? walk.share : 0
    }

    /// Runs one order after the other until a closure returns false.
    private static func walk(
        _ walk: inout PreemptionWalk, _ script: ScheduleScript, _ run: StrategyExplorer.ScheduleRun,
        _ goesOn: (UInt64, ExploredSchedule) throws -> Bool
    ) throws {
        var number: UInt64 = 0
        while let choices = walk.choices {
            let schedule = try run(script, ScheduleOrder(seed: 0, choice: .preemptions, choices: choices))
            guard walk.advance(schedule.decisions) else { continue }
            guard try goesOn(number, schedule) else { return }
            number += 1
        }
    }

    /// Adds the findings of a schedule. If all callers observed the same as in an earlier schedule, only its end can be
    /// new.
    private mutating func add(_ schedule: ExploredSchedule, seed: UInt64) throws(ExplorationError) {
        defer { onProgress { report } }
        schedules += 1
        digest.add(schedule.digest)
        orders.insert(schedule.digest)
        unseen.formUnion(schedule.unseen)
        switchPoints.formUnion(schedule.switchPoints)
        if schedule.isEndless {
            hasEnded = true
            if !schedule.unseen.voids { endlessSeed = seed }
            return
        }
        traces.insert(schedule.historyDigest)
        let isNew =
            schedule.unseen.voids
            ? !judged.contains(schedule.historyDigest) : judged.insert(schedule.historyDigest).inserted
        guard isNew || !schedule.recorder.endFindings.isEmpty else { return }
        let found: [PromiseFinding]
        do {
            found = try judge.findings(schedule, isNew: isNew)
        } catch {
            throw ExplorationError(description: "seed \(seed): \(error)")
        }
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
            let sizes = report.findings[index].seeds.map { (seed: $0, size: plan.script(ofSeed: $0).operationCount) }
            guard let seed = sizes.min(by: { $0.size < $1.size })?.seed else { continue }
            let shrinker = ScriptShrinker { script, seed in
                try broken(promise, try run(script, ScheduleOrder(seed: seed, choice: sampled)))
            }
            var smallest = try shrinker.smallest(from: plan.script(ofSeed: seed), seed: seed)
            if plan.carrier == .tasks {
                smallest = try smallest.map { try traced($0, promise, ScheduleOrder(seed: $0.seed, choice: sampled)) }
            } else {
                if plan.orders == .preemptions, smallest == nil {
                    smallest = SmallestScript(script: plan.script(ofSeed: seed), seed: seed, example: nil)
                }
                smallest = try smallest.map { try leastInterrupted($0, promise) }
            }
            report.findings[index].smallest = smallest
        }
        return report
    }

    /// How orders are chosen in the search for smaller scripts.
    private var sampled: OrderChoice? { plan.orders == .preemptions ? nil : plan.orders }

    /// The finding of a schedule that breaks a promise; `nil` if it does not break it.
    private func broken(_ promise: Promise, _ schedule: ExploredSchedule) throws -> PromiseFinding? {
        guard !schedule.isEndless else { return nil }
        let found = try judge.findings(schedule, isNew: true)
        return found.first { $0.promise == promise && $0.verdict == .inconsistent }
    }

    /// The order of a script that breaks a promise with the fewest preemptions, and its steps; if none with few was
    /// found, the known order.
    private func leastInterrupted(_ known: SmallestScript, _ promise: Promise) throws -> SmallestScript {
        var best = known
        var order = ScheduleOrder(seed: known.seed, choice: sampled)
        var walk = PreemptionWalk()
        var choices: [UInt8] = []
        try Self.walk(&walk, known.script, run) { number, schedule in
            if try broken(promise, schedule) != nil {
                (best.seed, best.orders) = (number, .preemptions)
                choices = schedule.decisions.map(\.chosen)
                return false
            }
            return number < UInt64(Self.walkMax)
        }
        if best.orders != nil { order = ScheduleOrder(seed: 0, choice: .preemptions, choices: choices) }
        return try traced(best, promise, order)
    }

    /// A script with the steps of one of its orders.
    private func traced(
        _ known: SmallestScript, _ promise: Promise, _ order: ScheduleOrder
    ) throws -> SmallestScript {
        var (best, order) = (known, order)
        order.isTraced = true
        let schedule = try run(known.script, order)
        best.example = try broken(promise, schedule)?.example ?? best.example
        best.timeline = schedule.timeline
        return best
    }
}
