import CacheStrategies
import HistoryChecking
import Origins
import TimedStrategies
import TrialModel

/// Checks what a strategy holds once its callers have ended against the limits it was opened with and its own figures.
///
/// No history shows the contents, because a strategy may evict any entry. So every key is looked up twice, and only
/// entries count that both passes find in the same version: all of them were held at the moment between the passes. One
/// pass would prove nothing: a load that was given up may still insert, an entry may expire, and a lookup may evict. A
/// lookup that evicts can hide that a limit was exceeded. That can't be avoided, because a cache has no other way to
/// show what it holds.
struct FinalContents: Sendable {
    let strategy: OpenStrategy
    var declaration: StrategyDeclaration
    let scenario: Scenario
    let origin: any PayloadSource
    /// How long a soft limit may be exceeded.
    var patience = Promises.settlingTime
    /// How long a pass may take; one that takes longer leaves keys out.
    var passTimeMax = Duration.seconds(5)

    /// What both passes found.
    private struct Holding {
        var entryCount: Int
        var byteCount: Int
        /// Whether the bytes are a lower bound of the cost of the entries, and not the cost itself.
        var isLeast: Bool
        /// The strategy's own statistics between the passes.
        var statistics: CacheStatistics
        /// Whether each pass reached the last key.
        var isWhole: Bool
        /// Whether nothing changed between the passes.
        var isSettled: Bool
    }

    private struct Entry: Hashable {
        var version: UInt64
        var byteCount: Int
    }

    /// The findings about the promised limits, and about the strategy's figures where they are wrong. O(keys), with two
    /// lookups of each.
    func findings() async -> [PromiseFinding] {
        guard limits != Capacity() else { return [] }
        let holding = await settledHolding()
        let kept = finding(.limits, holding, fault: excess(of: holding))
        guard let fault = disagreement(with: holding) else { return [kept] }
        return [kept, finding(.counts, holding, fault: fault)]
    }

    /// What is held beyond the limits, in words; `nil` when nothing is seen. A candidate that keeps no limit at all
    /// is measured by the scenario's: an approximate limit is a measure of the cache's own.
    func excess() async -> String? {
        var contents = self
        if declaration.role == .candidate, declaration.bounds.isEmpty, declaration.promises.limit != .approximate {
            contents.declaration.bounds = [.entries, .cost]
            contents.declaration.promises.limit = .hard
        }
        guard contents.limits != Capacity() else { return nil }
        return contents.excess(of: await contents.settledHolding())
    }

    /// The contents, once a soft limit has had time to be kept.
    private func settledHolding() async -> Holding {
        let deadline = ContinuousClock.now + patience
        var holding = await holding()
        while isSoft, excess(of: holding) != nil, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(10))
            holding = await self.holding()
        }
        return holding
    }

    private func finding(_ promise: Promise, _ holding: Holding, fault: String?) -> PromiseFinding {
        var finding = PromiseFinding(
            promise: promise, verdict: .consistent, operationsChecked: UInt64(holding.entryCount))
        if let fault {
            (finding.verdict, finding.violations) = (.inconsistent, 1)
            finding.operationsChecked = max(finding.operationsChecked, 1)
            finding.example = Counterexample(summary: fault, events: [])
        } else if holding.entryCount == 0 || !holding.isWhole {
            finding.verdict = .unknown
            let seconds = passTimeMax.components.seconds
            finding.example = Counterexample(
                summary: holding.isWhole
                    ? "nothing is found after the trial" : "not all keys could be looked up within \(seconds) s",
                events: [])
        }
        return finding
    }

    // MARK: Limits

    /// The limits that the strategy was opened with and promised to keep, in the measure of its entries.
    private var limits: Capacity {
        switch declaration.promises.limit {
        case .approximate, .none: Capacity()
        case .hard, .soft:
            Capacity(
                entries: declaration.bounds.contains(.entries) ? scenario.capacity.entries : nil,
                bytes: declaration.bounds.contains(.cost) ? scenario.capacity.bytes : nil)
        }
    }

    /// Whether a limit may be exceeded for a short time.
    private var isSoft: Bool {
        declaration.promises.limit == .soft || declaration.promises.consistency == .eventual
    }

    /// Which limits are exceeded, in words; `nil` when none is.
    private func excess(of holding: Holding) -> String? {
        if let exceeded = exceeded(by: holding.entryCount, holding.byteCount) {
            return "\(Self.text(holding)) found after the trial; the limit is \(exceeded)"
        }
        let (entries, cost) = (holding.statistics.entryCount, holding.statistics.totalCost)
        guard !isSoft, let exceeded = exceeded(by: entries ?? 0, cost ?? 0) else { return nil }
        return "the strategy itself counts \(Self.text(entries, cost)) after the trial; the limit is \(exceeded)"
    }

    private func exceeded(by entryCount: Int, _ byteCount: Int) -> String? {
        let entries = limits.entries.flatMap { entryCount > $0 ? $0 : nil }
        let bytes = limits.bytes.flatMap { byteCount > $0 ? $0 : nil }
        return entries == nil && bytes == nil ? nil : Self.text(entries, bytes)
    }

    /// Where the strategy's own figures disagree with the contents found; `nil` where they agree, or may differ.
    private func disagreement(with holding: Holding) -> String? {
        guard !isSoft, declaration.promises.consistency == .linearizable else { return nil }
        let (entries, cost) = (holding.statistics.entryCount, holding.statistics.totalCost)
        // Expired entries that still count are not found, and neither may be entries that came or went between the
        // passes.
        let isExact = holding.isWhole && holding.isSettled && !scenario.values.haveLifetimes
        let isCountWrong = entries.map { isExact ? $0 != holding.entryCount : $0 < holding.entryCount } ?? false
        // A figure above the cost of the entries is right where a strategy holds them on two levels.
        guard isCountWrong || cost ?? .max < holding.byteCount else { return nil }
        return "\(Self.text(holding)) found after the trial; the strategy itself counts \(Self.text(entries, cost))"
    }

    private static func text(_ holding: Holding) -> String {
        guard holding.entryCount != 1 else {
            return "1 entry that \(holding.isLeast ? "takes at least" : "costs") \(holding.byteCount) bytes is"
        }
        let verb = holding.isLeast ? "take at least" : "cost"
        return "\(holding.entryCount) entries that \(verb) \(holding.byteCount) bytes in all are"
    }

    private static func text(_ entries: Int?, _ bytes: Int?) -> String {
        let parts = [entries.map { "\($0) \($0 == 1 ? "entry" : "entries")" }, bytes.map { "\($0) bytes" }]
        return parts.compactMap { $0 }.joined(separator: " and ")
    }

    // MARK: Looking up

    /// The contents, by the costs of the entries.
    ///
    /// A cache may hold pictures encoded, and count their encoded size. Where the decoded pictures exceed the limit,
    /// the lower bound of their cost counts.
    private func holding() async -> Holding {
        let holding = await holding(isLeast: false)
        let isFaulty = excess(of: holding) != nil || disagreement(with: holding) != nil
        return isFaulty && scenario.values.kind == .image ? await self.holding(isLeast: true) : holding
    }

    private func holding(isLeast: Bool) async -> Holding {
        let (first, isFirstWhole) = await pass(isLeast: isLeast)
        let statistics = await strategy.statistics()
        let (second, isSecondWhole) = await pass(isLeast: isLeast)
        let both = first.filter { second[$0.key] == $0.value }.values
        return Holding(
            entryCount: both.count, byteCount: both.reduce(0) { $0 + $1.byteCount }, isLeast: isLeast,
            statistics: statistics, isWhole: isFirstWhole && isSecondWhole, isSettled: first == second)
    }

    /// Looks up every key, within the time that a pass may take.
    private func pass(isLeast: Bool) async -> (entries: [UInt32: Entry], isWhole: Bool) {
        let kernel = strategy.kernel(origin)
        let deadline = ContinuousClock.now + passTimeMax
        var entries: [UInt32: Entry] = [:]
        for key in 0..<UInt32(clamping: scenario.keys.count) {
            if key % 16 == 0, ContinuousClock.now > deadline { return (entries, false) }
            let answer =
                if let blocking = kernel.blocking {
                    blocking(.read, key, nil, nil)
                } else {
                    await kernel.suspending(.read, key, nil)
                }
            // The check `own-values` reports values of other keys.
            guard let value = answer.answer.value, value.identity.key == UInt64(key) else { continue }
            entries[key] = Entry(
                version: value.identity.version, byteCount: isLeast ? value.byteCountMin : value.cost)
        }
        return (entries, true)
    }
}
