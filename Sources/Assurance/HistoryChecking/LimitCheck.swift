import CacheStrategies
import TrialModel

/// A span of time in which a key was certainly held: one of its versions was inserted or seen before, and seen
/// afterwards.
struct HeldSpan: Sendable {
    var start: UInt64
    var end: UInt64
    /// The cost of the entry, in bytes.
    var cost: Int
    /// The events that show that it had been inserted, and that it had not yet gone.
    var first: EventReference?
    var last: EventReference?
}

extension KeyCheck {
    /// Records when the current key was certainly held. A version that has gone doesn't come back, because each
    /// version is made once.
    ///
    /// A key has one entry. Where other callers may see a change later, two of its versions are seen at one moment:
    /// they count once, with the lower cost. O(n log n) in the key's versions.
    mutating func noteHeld(_ terms: HistoryTerms) {
        let first = held.count
        let forward = zones.filter { $0.isForward && $0.hitCount > 0 }.sorted { $0.earliestEnd < $1.earliestEnd }
        for zone in forward {
            let cost = terms.costLimit == nil ? 0 : terms.cost(key, zone.version)
            if held.count > first, var entry = held.last, zone.earliestEnd < entry.end {
                if zone.latestStart > entry.end { (entry.end, entry.last) = (zone.latestStart, zone.latestStarter) }
                entry.cost = min(entry.cost, cost)
                held[held.count - 1] = entry
            } else {
                held.append(
                    HeldSpan(
                        start: zone.earliestEnd, end: zone.latestStart, cost: cost, first: zone.earliestEnder,
                        last: zone.latestStarter))
            }
        }
    }
}

/// Judges ``Promise/limits`` by what callers saw, and by samples of the strategy's own statistics.
///
/// Keys that were seen both before and after a moment were held together at that moment. A hard limit is never
/// exceeded; a soft limit holds again within ``Promises/settlingTime``.
struct LimitCheck {
    private let terms: HistoryTerms
    private let writer: ExampleWriter
    /// How long a limit may be exceeded, in nanoseconds.
    private let patience: UInt64

    /// The number of keys that an example shows; the others are only counted.
    private static var shownSpans: Int { 3 }

    init(_ terms: HistoryTerms, _ promises: Promises, _ writer: ExampleWriter) {
        self.terms = terms
        self.writer = writer
        patience = promises.limitsEveryMoment ? 0 : Promises.settlingTime.nanoseconds
    }

    /// The tally of both sources. O(n log n) in the spans.
    func tally(_ held: [HeldSpan], _ samples: [StatisticsSample]) -> PromiseTally {
        var tally = PromiseTally()
        judge(samples, &tally)
        judge(held, &tally)
        return tally
    }

    private func isExceeded(_ entries: Int, _ cost: Int) -> Bool {
        terms.entryLimit.map { entries > $0 } ?? false || terms.costLimit.map { cost > $0 } ?? false
    }

    /// Whether the costs of the entries that callers saw are known.
    private var seesCosts: Bool { terms.costLimit != nil && terms.costsAreExact }

    // MARK: The strategy's own statistics

    private func judge(_ samples: [StatisticsSample], _ tally: inout PromiseTally) {
        var since: StatisticsSample?
        for sample in samples where sample.entryCount != nil || sample.totalCost != nil {
            tally.checked += 1
            guard isExceeded(sample.entryCount ?? 0, sample.totalCost ?? 0) else {
                since = nil
                continue
            }
            let first = since ?? sample
            since = first
            guard patience == 0 || sample.call > first.answer.addingClamped(patience) else { continue }
            tally.violate(eventCount: 1) { example(sample, since: first) }
        }
    }

    private func example(_ sample: StatisticsSample, since first: StatisticsSample) -> Counterexample {
        let figures = [
            sample.entryCount.map { "\($0) \($0 == 1 ? "entry" : "entries")" }, sample.totalCost.map { "\($0) bytes" },
        ].compactMap { $0 }.joined(separator: " and ")
        let age = patience == 0 ? "" : ", for \(CounterexampleDrawing.time(sample.call - first.answer)) by then"
        return Counterexample(
            summary: "the strategy itself counted \(figures) during the run\(age); the limit is \(limit)",
            events: [
                Counterexample.Event(
                    caller: "sampler", what: "statistics → \(figures)", call: 0, answer: sample.answer - sample.call)
            ])
    }

    private var limit: String {
        [
            terms.entryLimit.map { "\($0) \($0 == 1 ? "entry" : "entries")" }, terms.costLimit.map { "\($0) bytes" },
        ].compactMap { $0 }.joined(separator: " and ")
    }

    // MARK: What callers saw

    private func judge(_ held: [HeldSpan], _ tally: inout PromiseTally) {
        tally.checked += UInt64(held.count)
        let starts = held.sorted { $0.start < $1.start }
        let ends = held.sorted { $0.end < $1.end }
        var (begun, ended, entries, cost) = (0, 0, 0, 0)
        var since: UInt64?
        while ended < ends.count {
            // Spans that touch do not overlap.
            if begun < starts.count, starts[begun].start < ends[ended].end {
                entries += 1
                cost = Self.sum(cost, starts[begun].cost)
                if since == nil, isExceeded(entries, seesCosts ? cost : 0) {
                    since = starts[begun].start
                    if patience == 0 { note(starts[begun].start, held, &tally) }
                }
                begun += 1
            } else {
                entries -= 1
                cost -= ends[ended].cost
                if let began = since, !isExceeded(entries, seesCosts ? cost : 0) {
                    if patience > 0, ends[ended].end > began.addingClamped(patience) { note(began, held, &tally) }
                    since = nil
                }
                ended += 1
            }
        }
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    private func note(_ moment: UInt64, _ held: [HeldSpan], _ tally: inout PromiseTally) {
        tally.violate(eventCount: 2 * Self.shownSpans) {
            let together = held.filter { $0.start <= moment && $0.end > moment }
            let cost = together.reduce(0) { Self.sum($0, $1.cost) }
            let what = !seesCosts ? "" : ", which cost \(cost) bytes,"
            var example = writer.example(
                "\(together.count) keys\(what) were held at one moment, as seen before and after it; "
                    + "the limit is \(limit)",
                together.prefix(Self.shownSpans).flatMap { [$0.first, $0.last] })
            if together.count > Self.shownSpans {
                example.details.append("\(together.count - Self.shownSpans) more keys were held at that moment")
            }
            return example
        }
    }
}
