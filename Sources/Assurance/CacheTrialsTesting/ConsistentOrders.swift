public import CacheStrategies
import Foundation
import HistoryChecking
import Locks
public import Schedules
public import Testing
import TrialModel

/// The values of ``expectConsistentOrders(of:orders:seed:sourceLocation:)``: a key and a version, 12 bytes.
public typealias OrderedValue = ScriptedValue

/// Runs small scripts of callers on a synchronous cache, one thread at a time, in orders that seeds choose, and expects that
/// every order keeps what the cache declares: deadlocks, lost callers, stale values and others. It works in a process of its own.
///
/// Threads are ordered by the library `ThreadSchedule` on Linux on x86-64, which `swift build --product ThreadSchedule` puts
/// beside the test program. Without it, and where something took part that can't be ordered, such as a task of its own, the test has
/// a warning that says so; and where a cache declares `usesAtomics` and is not compiled so that threads switch at them.
///
/// - Parameters:
///   - type: the cache, with whole numbers as keys.
///   - orders: how many orders, from 1 to 10,000,000; some thousands take a second.
///   - seed: the seed of the first order.
public func expectConsistentOrders<Strategy: SynchronousCacheStrategy<Int, OrderedValue>>(
    of type: Strategy.Type, orders: Int = 2_000, seed: UInt64 = 1, sourceLocation: SourceLocation = #_sourceLocation
) async {
    await OrdersExpectation(StrategyExplorer(threads: type), orders, seed, sourceLocation).carryOut()
}

/// The same for a cache that suspends: the orders of its tasks, on several ordered threads where the library is there.
public func expectConsistentOrders<Strategy: CacheStrategy<Int, OrderedValue>>(
    of type: Strategy.Type, orders: Int = 2_000, seed: UInt64 = 1, sourceLocation: SourceLocation = #_sourceLocation
) async {
    await OrdersExpectation(StrategyExplorer(type), orders, seed, sourceLocation).carryOut()
}

/// The same for a cache that does not conform to `CacheStrategy`: a type of an app with an API of its own.
///
/// - Parameters:
///   - declaration: its name, its limits and its promises.
///   - orders: how many orders, from 1 to 10,000,000; some thousands take a second.
///   - seed: the seed of the first order.
///   - open: makes a cache with the limits of a configuration, and the calls that are made of it.
/// - Throws: nothing; an error of `open` is an issue of the test.
public func expectConsistentOrders(
    adapting declaration: StrategyDeclaration, orders: Int = 2_000, seed: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation,
    open: @escaping @Sendable (StrategyConfiguration) throws -> CacheOperations<Int, OrderedValue>
) async {
    let sharesLoads = declaration.promises.coalescesLoads
    let calls = AdaptedCache<Int, OrderedValue>.calls(opening: open)
    let explorer = StrategyExplorer(AdaptedCache<Int, OrderedValue>.self, declaring: declaration, calls: calls) {
        try AdaptedCache(configuration: AdaptedCache.configuration($0, opening: open, sharesLoads: sharesLoads))
    }
    // Its calls don't say whether a load joined another one.
    await OrdersExpectation(explorer, orders, seed, sourceLocation, unjudged: [.ownPast]).carryOut()
}

/// An exploration in a process of its own, and what it says to the test.
private struct OrdersExpectation: Sendable {
    private enum Answer: Codable {
        case report(ExplorationReport)
        /// Something that can't be ordered, and what was found before it.
        case trouble(String, ExplorationReport?)
        /// The cache could not be explored, as when it can't be opened.
        case failure(String)
    }

    private let explorer: StrategyExplorer
    private let plan: ExplorationPlan
    private let sourceLocation: SourceLocation
    private let unjudged: Set<Promise>

    init(
        _ explorer: StrategyExplorer, _ orders: Int, _ seed: UInt64, _ sourceLocation: SourceLocation,
        unjudged: Set<Promise> = []
    ) {
        self.explorer = explorer
        self.unjudged = unjudged
        self.sourceLocation = sourceLocation
        plan = ExplorationPlan().with {
            ($0.strategy, $0.carrier) = (explorer.declaration.name, explorer.carrier)
            ($0.keyCount, $0.seed, $0.schedules) = (100, seed, min(max(orders, 1), 10_000_000))
            $0.calls = explorer.calls
            $0.fit(explorer.declaration)
        }
    }

    private var part: String { "interleavings of \(plan.strategy) from \(plan.seed)" }

    func carryOut() async {
        switch TestProcess.isAsked(for: part) {
        case true: await explore()
        case false: return
        case nil: await expect()
        }
    }

    /// In the process of its own: on a thread on which no task runs.
    private func explore() async {
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in
            let thread = Thread {
                if let reason = explorer.whyUnavailable { TestProcess.answer(Answer.trouble(reason, nil)) }
                // A thread that an earlier order left in a deadlock may be why a later one hangs.
                let found = Locked<ExplorationReport?>(nil)
                HangWatch.begin { reason in TestProcess.answer(Answer.trouble(reason, found.withLock { $0 })) }
                ScheduledRunLoop.takeOverProcess()
                do {
                    let report = try explorer.explore(plan, onProgress: { report in found.withLock { $0 = report() } })
                    TestProcess.answer(Answer.report(report))
                } catch {
                    TestProcess.answer(Answer.failure("\(error)"))
                }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func expect() async {
        let name = plan.strategy
        // Dictionaries have the same order each time, so that a seed is the same order in every process.
        var environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        switch OrderLibrary.preload(from: TestProcess.folder) {
        case .success(let libraries): environment["LD_PRELOAD"] = libraries
        case .failure(let absence) where plan.carrier == .threads: return warn(absence.reason)
        case .failure: break
        }
        let limit = Duration.seconds(60) + .milliseconds(5) * plan.schedules
        do throws(TestProcess.Trouble) {
            switch try await TestProcess.ask(for: part, Answer.self, environment: environment, limit: limit) {
            case .report(let report): judge(report)
            case .trouble(let reason, let report):
                if let report { judge(report) }
                warn(reason)
            case .failure(let reason): Issue.record("\(name): \(reason)", sourceLocation: sourceLocation)
            }
        } catch {
            switch error.kind {
            case .unavailable: warn("no interleaving was tried: \(error.reason)")
            case .early:
                let reason = "the test's own process \(error.reason)"
                Issue.record("\(name): no interleaving was tried: \(reason)", sourceLocation: sourceLocation)
            case .death:
                if let doubt = error.unseen.doubt { return warn("\(doubt): \(error.reason)") }
                Issue.record(
                    "\(name): an interleaving ended the process: \(error.reason)", sourceLocation: sourceLocation)
            }
        }
    }

    private func judge(_ report: ExplorationReport) {
        for finding in report.findings
        where finding.verdict == .inconsistent && !unjudged.contains(finding.promise) {
            var lines = [
                "\(plan.strategy): \(finding.promise.rawValue), in \(finding.violations) of \(report.schedules) interleavings:"
            ]
            if let example = finding.smallest?.example ?? finding.example {
                lines += CounterexampleDrawing(example).lines
            }
            if let smallest = finding.smallest {
                lines += ["the smallest script:"] + smallest.script.lines + smallest.timeline
            }
            let text = ShownFinding.text(lines, of: "\(plan.strategy)-\(finding.promise.rawValue)")
            Issue.record("\(text)", sourceLocation: sourceLocation)
        }
        if let seed = report.endlessSeed {
            Issue.record(
                "\(plan.strategy): the interleaving of seed \(seed) did not end", sourceLocation: sourceLocation)
        }
        if !report.unseen.isEmpty {
            let doubt = report.findings.first { $0.verdict == .unknown && $0.doubts > 0 }?.example?.summary
            warn(
                "not all interleavings can be chosen: \(report.unseen.names.joined(separator: ", "))"
                    + (doubt.map { "; unknown \($0)" } ?? ""))
        }
        if explorer.declaration.usesAtomics, !report.switchPoints.triesAtomics {
            warn(
                "steps of its atomics or Mutex were not tried: the page 'Interleavings' has the flag of the compiler"
            )
        }
    }

    private func warn(_ what: String) {
        Issue.record("\(plan.strategy): \(what)", severity: .warning, sourceLocation: sourceLocation)
    }
}
