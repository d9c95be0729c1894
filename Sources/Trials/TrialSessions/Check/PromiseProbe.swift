import CacheStrategies
package import Conformance
import Foundation
package import HistoryChecking
import Locks
import Origins
package import TimedStrategies
package import TrialModel

/// Checks promises of a strategy that the history of a trial can't show: limits, lifetimes, the state after errors and
/// cancellations, the content after reopening, and whether a full cache admits new entries.
///
/// It runs in a process of its own, so that a crash or a hang is one finding.
package struct PromiseProbe: ChildRequest {
    package typealias Message = Step

    package static var verb: String { "probe" }
    package static var starter: String { "check" }

    /// The strategy's name.
    package var strategy: String
    /// The limits of the scenario, for the check of admission; the other checks have limits of their own.
    package var capacity: Capacity
    /// The promise to check.
    package var promise: Promise
    /// How long all checks together may wait for delayed effects, in seconds. Only a fault makes them wait.
    package var patienceSeconds = 60
    /// How many of its checks an earlier process has run; the last of them killed it.
    package var skipped = 0
    /// How many calls of the strategy have hung before: after a few, nothing is checked.
    package var hangs = 0
    /// Instead of the checks: writes entries and closes, or opens the same folder and looks them up.
    package var reopening: Reopening?

    /// What one of two processes does, which have different hash seeds and share a folder.
    package enum Reopening: String, Codable, Sendable, CaseIterable { case write, read }

    /// The findings.
    package struct Report: Codable, Sendable {
        /// How many facts were checked.
        package var checked = 0
        /// How many times one of them did not hold.
        package var violations = 0
        /// The facts that do not hold, in lines.
        package var failures: [String] = []
        /// The operations that show the first failure, when it was seen in a history.
        package var events: [Counterexample.Event] = []
        /// The checks that could not be run, and why, a line each.
        package var unasked: [String] = []
        /// The behaviour of a full cache, when that was checked and there is a limit.
        package var admission: AdmissionFinding?
        /// How many checks waited for calls that did not go on.
        package var hangs = 0
    }

    /// The messages of a probe, which show its parent how far it came.
    package enum Step: Codable, Sendable {
        /// A check begins.
        case check(String)
        /// An operation is sent.
        case operation(String)
        /// A check has ended; the findings of all checks so far.
        case found(Report)
        /// The check in progress does not go on: what is in flight. The last message.
        case hung(String)
    }

    /// The promises that are probed, in the order of the rows.
    package static let promises: [Promise] = [
        .contents, .ownPast, .counts, .limits, .admission, .retention, .costs, .singleFlight,
        .noLeakedLoad, .noLeaks, .errors, .cancellation, .lifetimes, .durability, .memoryPressure, .prefetching,
    ]

    /// Whether a strategy can be probed for the promise. Admission is always checked where something can be inserted.
    package static func isAnswerable(_ promise: Promise, by strategy: Strategy) -> Bool {
        !checks(of: promise, by: strategy).isEmpty || promise == .admission && asksForAdmission(strategy)
    }

    private static func asksForAdmission(_ strategy: Strategy) -> Bool {
        strategy.available().isSuperset(of: [.lookUp, .insert])
    }

    /// The checks of a promise, without those that need a call which the strategy does not have.
    private static func checks(of promise: Promise, by strategy: Strategy) -> [ConformanceCheck] {
        wantedChecks(of: promise, by: strategy).filter { strategy.available().isSuperset(of: $0.needed) }
    }

    private static func wantedChecks(of promise: Promise, by strategy: Strategy) -> [ConformanceCheck] {
        guard let type = strategy.type else { return [] }
        return ConformanceCheck.checks(
            of: promise, by: type, declaring: strategy.isAdapted ? strategy.declaration : nil)
    }

    /// The checks that need a call which the strategy does not have, with the names of these calls; `nil` where it has all.
    package static func leftOut(of strategy: Strategy) -> String? {
        let calls = strategy.available()
        // A cache that only loads is not asked for anything else.
        guard calls != .all, calls.contains(.lookUp) else { return nil }
        let checks = promises.flatMap { wantedChecks(of: $0, by: strategy) }.filter { !calls.isSuperset(of: $0.needed) }
        let names = Array(Set(checks.map(\.rawValue))).sorted().joined(separator: "; ")
        let missing = calls.missing(of: checks.reduce(into: []) { $0.formUnion($1.needed) })
        return names.isEmpty ? nil : "without \(missing.joined(separator: " and ")): \(names)"
    }

    /// Runs the checks in this process.
    ///
    /// - Parameter onStep: called before every check and every operation, so that the last step before a crash is
    ///   known.
    /// - Returns: the findings of all checks, which are also the last step.
    /// - Throws: ``HarnessError`` when there is no such strategy, and the error that keeps the strategy from opening.
    package func report(
        registry: StrategyRegistry, onStep: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws -> Report {
        guard let known = registry[strategy] else {
            throw HarnessError("there is no strategy called '\(strategy)'")
        }
        if let type = known.stringKeyed { return try await report(on: known, type, onStep) }
        if let type = known.integerKeyed { return try await report(on: known, type, onStep) }
        if let type = known.urlKeyed { return try await report(on: known, type, onStep) }
        throw HarnessError("\(strategy) has no type for any keys")
    }

    /// Runs the checks. Not on the main actor: some strategies need its thread, and a check may block its own.
    @concurrent
    private func report<Key: TrialKey>(
        on strategy: Strategy, _ type: any CacheStrategy<Key, Payload>.Type,
        _ onStep: @escaping @Sendable (Step) -> Void
    ) async throws -> Report {
        if let reopening { return try await reopened(strategy, type, reopening, onStep) }
        var report = Report()
        let (patience, calls) = (Patience(.seconds(patienceSeconds)), CallsInFlight())
        let watch = calls.watch { text, _ in onStep(.hung(text)) }
        defer { watch.end() }
        for check in Self.checks(of: promise, by: strategy).dropFirst(skipped) {
            guard hangs + calls.hangs < Self.hangsMax else {
                report.unasked.append("\(check.rawValue): \(Self.afterHangs)")
                break
            }
            onStep(.check(check.rawValue))
            let found = await failures(of: check, on: strategy, type, patience, calls, onStep)
            report.hangs = calls.hangs
            let broken = found.filter { !$0.isPremise }
            report.checked += 1
            report.violations += broken.count
            if report.failures.isEmpty { report.events = broken.first?.events ?? [] }
            report.failures += lines(of: broken)
            report.unasked += lines(of: found.filter(\.isPremise))
            onStep(.found(report))
        }
        if promise == .admission, Self.asksForAdmission(strategy) {
            onStep(.check("new entries in a cache with the scenario's limits"))
            report.admission = try await admission(of: strategy, type, calls)
        }
        onStep(.found(report))
        return report
    }

    /// The failures of one check: a line for each of the first few, the check's name in the first, and the number of
    /// others.
    private func lines(of found: [ConformanceFailure]) -> [String] {
        let shown = found.prefix(4)
        let rest = found.count - shown.count
        return shown.prefix(1).map(\.text) + shown.dropFirst().map { "also: \($0.message)" }
            + (rest > 0 ? ["also: \(rest) more of this check"] : [])
    }

    private func failures<Cache: CacheStrategy>(
        of check: ConformanceCheck, on strategy: Strategy, _ type: Cache.Type, _ patience: Patience,
        _ calls: CallsInFlight, _ onStep: @escaping @Sendable (Step) -> Void
    ) async -> [ConformanceFailure] where Cache.Key: TrialKey, Cache.Value == Payload {
        var kit = PayloadKit.kit(for: type, countsAlive: promise == .noLeaks)
        if strategy.isAdapted {
            (kit.declaration, kit.available) = (strategy.declaration, strategy.available())
            kit.open = { try Cache(configuration: strategy.prepared($0, forKeysOf: Cache.Key.self)) }
        }
        (kit.patience, kit.calls) = (patience, calls)
        kit.onStep = { onStep(.operation($0)) }
        return await kit.failures(of: check)
    }

    private func admission<Cache: CacheStrategy>(
        of strategy: Strategy, _ type: Cache.Type, _ calls: CallsInFlight
    ) async throws -> AdmissionFinding? where Cache.Key: TrialKey, Cache.Value == Payload {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cache-admission-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var probe = AdmissionProbe(
            type, makeKey: { Cache.Key(trialKeyNumber: $0) }, makeValue: { PayloadKit.payload($0, byteCount: 1024) },
            calls: calls)
        probe.declaration = strategy.declaration
        return try await probe.finding(entryLimit: capacity.entries, costLimit: capacity.bytes, folder: folder) {
            try Cache(configuration: strategy.prepared($0, forKeysOf: Cache.Key.self))
        }
    }
}

extension PromiseProbe {
    /// The time without a step after which the process of a probe counts as hung: well after its patience, so that a check can first
    /// report what it waits for, and a slow machine can do the work.
    private var deadline: Duration { .seconds(5 * patienceSeconds) }

    /// The deaths of one strategy's probes so far.
    struct Deaths: Sendable {
        /// The promise that was being checked when a process first died at a place in the code.
        fileprivate(set) var places: [String: Promise] = [:]
        /// How many trials and checks have hung.
        var hangs = 0

        /// Why no more is checked; `nil` while more is.
        var reason: String? { hangs < PromiseProbe.hangsMax ? nil : PromiseProbe.afterHangs }
    }

    /// How many hangs of a strategy are waited for. Each takes some seconds, and one fault may cause all of them.
    static let hangsMax = 2
    private static let afterHangs = "not checked, because \(hangsMax) trials or checks of it have hung"

    /// The same probe with less patience, so that it ends within a time.
    func within(_ limit: Duration?) -> Self {
        var probe = self
        if let limit { probe.patienceSeconds = min(patienceSeconds, max(1, Int(limit.components.seconds / 5))) }
        return probe
    }

    /// The messages of a process so far.
    struct Transcript: Sendable {
        /// The findings of its checks so far.
        var report = Report()
        /// The check in progress, or the last one.
        var check: String?
        /// The cache that the last operations were sent to.
        var cache: String?
        /// The last operations, the newest at the end.
        var operations: [String] = []
        /// What did not go on.
        var hang: String?

        mutating func add(_ step: Step) {
            switch step {
            case .check(let name): (check, cache, operations) = (name, nil, [])
            case .operation(let text) where text.hasPrefix("open a cache"): (cache, operations) = (text, [])
            case .operation(let text): operations = operations.suffix(11) + [text]
            case .found(let found): report = found
            case .hung(let text): hang = text
            }
        }
    }

    /// A crash is rare here and must be explained, so the runtime's backtracer is on: for the crashed thread only,
    /// without colours and without questions.
    private static let backtraces = [
        "enable=yes", "color=no", "interactive=no", "threads=crashed", "registers=none", "images=none", "limit=24",
    ].joined(separator: ",")

    /// Runs the checks in processes of their own: one, unless a check kills it. Then another process runs the remaining
    /// checks.
    ///
    /// - Parameters:
    ///   - program: the program to start.
    ///   - folder: an empty folder for the files of the strategy.
    ///   - deaths: those of earlier probes; one fault that kills several is the finding of the first.
    /// - Throws: `CancellationError` when the run is interrupted, and the error that kept the process from starting.
    func finding(
        program: ChildProgram, folder: String, of strategy: Strategy, _ deaths: inout Deaths
    ) async throws -> PromiseFinding {
        let checkCount = Self.checks(of: promise, by: strategy).count
        var probe = self
        var report = Report()
        while true {
            probe.hangs = deaths.hangs
            let (ending, seen) = try await probe.ask(program, folder: folder)
            report.add(seen.report)
            deaths.hangs += seen.report.hangs
            if ending.isClean, seen.hang == nil { break }
            if case .limitReached = ending.way {
                report.unasked.append("\(seen.check ?? "the first check"): \(ending.clause)")
                break
            }
            if case .deadlinePassed = ending.way { deaths.hangs += 1 }
            if seen.hang != nil { deaths.hangs += 1 }
            report.checked += 1
            let place = Self.ownFrames(of: ending.tail.backtrace).first
            if let place, let first = deaths.places[place], first != promise {
                report.unasked.append("\(seen.check ?? "a check") died as under \(first.rawValue), at \(place)")
            } else {
                if let place { deaths.places[place] = promise }
                report.violations += 1
                report.failures += Self.death(ending, seen)
            }
            guard seen.check != nil, report.checked < checkCount else { break }
            if let reason = deaths.reason {
                report.unasked.append("\(checkCount - report.checked) more: \(reason)")
                break
            }
            probe.skipped = report.checked
        }
        if promise == .durability, checkCount > 0, report.failures.isEmpty {
            report.add(try await reopened(program, folder: folder))
        }
        return finding(of: report, strategy.declaration)
    }

    /// Runs the checks in one process.
    func ask(_ program: ChildProgram, folder: String) async throws -> (ChildEnding, Transcript) {
        let transcript = Locked(Transcript())
        let settings = ChildSettings(
            environment: [
                "TMPDIR": folder, "SWIFT_BACKTRACE": Self.backtraces, "SWIFT_DETERMINISTIC_HASHING": "0",
            ], deadline: deadline)
        let ending = try await program.ask(self, settings) { step in transcript.withLock { $0.add(step) } }
        return (ending, transcript.withLock { $0 })
    }

    private func finding(of report: Report, _ declaration: StrategyDeclaration) -> PromiseFinding {
        if let admission = report.admission { return finding(of: admission, report, declaration) }
        if promise == .admission, report.failures.isEmpty {
            return unknown(["the scenario has no limit that this cache keeps"] + report.unasked)
        }
        if report.failures.isEmpty, !report.unasked.isEmpty { return unknown(report.unasked) }
        return PromiseFinding(
            promise: promise, verdict: report.failures.isEmpty ? .consistent : .inconsistent,
            operationsChecked: UInt64(report.checked), violations: UInt64(report.violations),
            example: Self.example(report.failures + report.unasked, report.failures.isEmpty ? [] : report.events))
    }

    private func unknown(_ reasons: [String]) -> PromiseFinding {
        PromiseFinding(
            promise: promise, verdict: .unknown, operationsChecked: 0, example: Self.example(reasons))
    }

    /// An example with the first line as its summary and the others below it; `nil` without lines.
    private static func example(_ lines: [String], _ events: [Counterexample.Event] = []) -> Counterexample? {
        lines.first.map { Counterexample(summary: $0, events: events, details: Array(lines.dropFirst())) }
    }

    /// The behaviour of a full cache is reported whether it was promised or not. `violations` are the entries it
    /// refused, or else the failed checks.
    private func finding(
        of admission: AdmissionFinding, _ report: Report, _ declaration: StrategyDeclaration
    ) -> PromiseFinding {
        let isPromised = declaration.promises.admission == .always
        let refused = max(admission.offered - admission.admitted, 0)
        let seen =
            "\(admission.admitted) of \(admission.offered) new entries were found right after their insert into a cache "
            + "full with \(admission.limit)"
        guard isPromised else {
            return PromiseFinding(
                promise: promise, verdict: .consistent, operationsChecked: UInt64(admission.offered),
                violations: UInt64(refused), example: Counterexample(summary: "not declared: \(seen)"))
        }
        let isBroken = refused > 0 || !report.failures.isEmpty
        let lines = (refused > 0 ? [seen] : []) + report.failures + (refused > 0 ? [] : [seen])
        return PromiseFinding(
            promise: promise, verdict: isBroken ? .inconsistent : .consistent,
            operationsChecked: UInt64(admission.offered),
            violations: UInt64(refused > 0 ? refused : report.violations), example: Self.example(lines))
    }

    /// How a process died, in lines: its check, its last operations, the place of the crash.
    private static func death(_ ending: ChildEnding, _ seen: Transcript) -> [String] {
        let steps = [seen.cache].compactMap { $0 } + seen.operations
        return ["\(seen.check ?? "before the first check"): \(seen.hang ?? ending.clause)"]
            + (steps.isEmpty ? [] : ["the last operations: \(steps.joined(separator: "; "))"])
            + ownFrames(of: ending.tail.backtrace).map { "at \($0)" }
    }

    /// The frames up to the one that the check called; all of them when the strategy died elsewhere.
    private static func ownFrames(of frames: [String]) -> [String] {
        let own = frames.prefix { frame in
            !frame.contains("ConformanceProbe") && !frame.hasPrefix("protocol witness for CacheStrategy")
        }
        return own.isEmpty ? frames : Array(own)
    }
}

extension PromiseProbe.Report {
    /// Adds the findings of another process.
    mutating func add(_ other: Self) {
        if failures.isEmpty { events = other.events }
        checked += other.checked
        violations += other.violations
        failures += other.failures
        unasked += other.unasked
        admission = other.admission ?? admission
    }
}
