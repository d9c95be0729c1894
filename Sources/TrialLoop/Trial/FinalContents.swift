import CacheStrategies
import HistoryChecking
import Origins
import TimedStrategies
import TrialModel

/// What a strategy holds once its callers have ended, against the limits it was opened with and its own figures.
///
/// No history shows that, because a strategy may evict what it likes. So every key is looked up, twice, and what counts
/// is what both passes find in the same version: all of that was held at the moment between them. One pass would prove
/// nothing: a load that was given up may still insert, an entry may expire, and a lookup may evict. Such a lookup can hide
/// that a limit was exceeded, which can't be helped, because a cache has no other way to tell what it holds.
struct FinalContents: Sendable {
    let strategy: OpenStrategy
    let declaration: StrategyDeclaration
    let scenario: Scenario
    let origin: any PayloadSource
    /// How long a limit that may be exceeded for a while may stay so.
    var patience = Promises.settlingTime
    /// How long a pass may take; one that takes longer leaves keys out.
    var passTimeMax = Duration.seconds(5)

    /// What two passes found alike.
    private struct Holding {
        var entryCount: Int
        var byteCount: Int
        /// Whether the bytes are the least that the entries can take, and not what they cost.
        var isLeast: Bool
        /// What the strategy said of itself between the passes.
        var statistics: CacheStatistics
        /// Whether each pass came to the last key.
        var isWhole: Bool
        /// Whether nothing changed from one pass to the other.
        var isSettled: Bool
    }

    private struct Entry: Hashable {
        var version: UInt64
        var byteCount: Int
    }

    /// What is found out about the limits, where they were promised, and about the strategy's figures, where they are
    /// wrong. O(keys), and two lookups of each.
    func findings() async -> [PromiseFinding] {
        guard limits != Capacity() else { return [] }
        let deadline = ContinuousClock.now + patience
        var holding = await holding()
        while isSoft, excess(of: holding) != nil, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(10))
            holding = await self.holding()
        }
        let kept = finding(.limits, holding, fault: excess(of: holding))
        guard let fault = disagreement(with: holding) else { return [kept] }
        return [kept, finding(.counts, holding, fault: fault)]
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

    // MARK: What must hold

    /// The limits that the strategy was opened with and promised to keep in the measure of its entries.
    private var limits: Capacity {
        switch declaration.promises.limit {
        case .approximate, .none: Capacity()
        case .hard, .soft:
            Capacity(
                entries: declaration.bounds.contains(.entries) ? scenario.capacity.entries : nil,
                bytes: declaration.bounds.contains(.cost) ? scenario.capacity.bytes : nil)
        }
    }

    /// Whether a limit may be exceeded for a while.
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

    /// Where the strategy's own figures disagree with what is found; `nil` where they don't, or may.
    private func disagreement(with holding: Holding) -> String? {
        guard !isSoft, declaration.promises.consistency == .linearizable else { return nil }
        let (entries, cost) = (holding.statistics.entryCount, holding.statistics.totalCost)
        // What is over and still counted is not found, and what came or went between the passes may not be either.
        let isExact = holding.isWhole && holding.isSettled && !scenario.values.haveLifetimes
        let isCountWrong = entries.map { isExact ? $0 != holding.entryCount : $0 < holding.entryCount } ?? false
        // More than the entries cost is right where a strategy holds them on two levels.
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

    // MARK: Looking

    /// What is held, by the costs of the entries.
    ///
    /// A cache may hold pictures encoded, and count what they take then. Where pictures cost more than they may, the least
    /// counts that they can take.
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

    /// Looks up every key, as long as there is time for it.
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
            // The value of another key is a matter of `own-values`.
            guard let value = answer.answer.value, value.identity.key == UInt64(key) else { continue }
            entries[key] = Entry(
                version: value.identity.version, byteCount: isLeast ? value.byteCountMin : value.cost)
        }
        return (entries, true)
    }
}
