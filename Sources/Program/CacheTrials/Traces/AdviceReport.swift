import EvictionPolicies
import Foundation
import ReportPage
import Reports
import Traces
import TrialModel

/// What `advise` prints: a line for each fact, the advice first.
struct AdviceReport {
    let advice: TraceAdvice
    let trace: String
    let missCost: MissCost?

    /// One line, with its number for programs: a ratio is from 0 to 1, a size is in entries or bytes.
    private struct Line {
        var name: String
        var text: String
        var value: Double?
        var error: Double?

        init(_ name: String, _ text: String, _ estimate: AdviceEstimate? = nil) {
            (self.name, self.text, value, error) = (name, text, estimate?.value, estimate?.error)
        }
    }

    var table: Table {
        Table(
            title: trace, of: lines,
            [
                TableColumn("what") { .text($0.name) }, TableColumn("advice") { .text($0.text) },
                TableColumn("value", .right, isSpare: true) { Self.forPrograms($0.value) },
                TableColumn("error", .right, isSpare: true) { Self.forPrograms($0.error) },
            ])
    }

    /// People have the number in the text.
    private static func forPrograms(_ value: Double?) -> TableCell {
        .number(value.flatMap { $0.isFinite ? $0 : nil }, places: 6) { _ in "" }
    }

    /// The page, with the curve.
    var page: String {
        AdvicePage(
            trace: trace, headline: headline, isRefused: advice.refusal != nil, table: table, curve: curveRows
        ).html
    }

    private var headline: String {
        if let refusal = advice.refusal { return "No advice: \(refusal.description)" }
        let size = Self.text(advice.size.capacity)
        if advice.fits {
            return
                "Any policy will do: all keys of the trace fit into \(size). Take \(advice.policy.name), the simplest."
        }
        return "Take \(advice.policy.name) with \(advice.size.isOpenAbove ? "at least " : "")\(size)."
    }

    private var lines: [Line] {
        // A refusal names no policy and no size.
        guard advice.refusal == nil else {
            return [
                Line("advice", headline), Line("trace", traceText), Line("popularity", popularityText),
                Line("patterns", patternText), Line("how", howText),
            ]
        }
        return [
            Line("advice", headline), Line("policy", policyText), Line("runner-up", runnerUpText),
            Line(
                "price if wrong", "at most \(DecimalText.fixed(100 * advice.regretMax, places: 2)) pp",
                AdviceEstimate(value: advice.regretMax, error: .nan)),
            Line(
                "size", sizeText, AdviceEstimate(value: advice.size.capacity.units, error: .nan)),
            Line("hit ratio", Self.percent(advice.hitRatio), advice.hitRatio),
            Line(
                "gain over LRU", "\(Self.points(advice.gainOverLRU)) of the \(missCost == nil ? "hit ratio" : "cost")",
                advice.gainOverLRU),
            Line(
                "below the optimum",
                advice.distanceToOptimum.map(Self.points)
                    ?? (isMeter ? Self.onlyCounts : "unknown: not for bytes, costs and lifetimes"),
                advice.distanceToOptimum),
            Line(
                "single-flight saves",
                advice.singleFlight.map { "\(Self.percent($0)) of all requests" }
                    ?? (isMeter ? Self.onlyCounts : "unknown: needs times in the trace, and --origin-time"),
                advice.singleFlight),
            Line("a lifetime costs", lifetimeText), Line("trace", traceText), Line("popularity", popularityText),
            Line("patterns", patternText), Line("how", howText),
        ]
    }

    private var policyText: String {
        if advice.fits { return "\(advice.policy.name), the simplest: where nothing is evicted, all are alike" }
        let best = advice.candidates.min { $0.behindBest.value < $1.behindBest.value }
        guard let best, best.policy != advice.policy,
            let own = advice.candidates.first(where: { $0.policy == advice.policy })
        else { return "\(advice.policy.name), the best of \(advice.candidates.count), \(Self.neighbours)" }
        let why = own.behindBest.value <= TraceAdvice.indifference ? "too little to matter" : "within noise"
        return
            "\(advice.policy.name), the simplest: the best, \(best.policy.name), has \(Self.points(own.behindBest)) more, "
            + "which is \(why), \(Self.neighbours)"
    }

    /// What differences between policies are taken over.
    private static let neighbours = "over this size, and over 0.6 and 1.67 times it"

    /// The best of the policies that are not advised.
    private var runnerUpText: String {
        let others = advice.fits ? [] : advice.candidates.filter { $0.policy != advice.policy }
        guard let next = others.min(by: { $0.behindBest.value < $1.behindBest.value }) else { return "none" }
        // It may have more hits at this one size, and fewer over all three.
        let place = next.behindBest.value > 0 ? "\(Self.points(next.behindBest)) behind the best" : "the best"
        return "\(next.policy.name), \(place) over these sizes; \(Self.percent(next.hitRatio)) hits at this size"
    }

    private var sizeText: String {
        let size = advice.size
        let text = Self.text(size.capacity)
        if size.isGiven { return "\(text), as given" }
        return "\(text), from \(Self.text(size.low)) to \(Self.text(size.high))\(size.isOpenAbove ? " or more" : "")"
    }

    private var lifetimeText: String {
        guard !advice.lifetimes.isEmpty else { return isMeter ? Self.onlyCounts : "unknown: the trace has no times" }
        return advice.lifetimes.map { "\(Quantity.span(seconds: $0.seconds)): \(Self.points($0.cost))" }
            .joined(separator: ", ")
    }

    private var traceText: String {
        let character = advice.character
        let duration = character.durationNanoseconds.map { ", \(Quantity.span(seconds: $0 / 1_000_000_000))" } ?? ""
        return "\(Quantity.count(UInt64(clamping: character.requests))) requests, "
            + "\(Quantity.count(UInt64(max(0, min(character.keys.value, 1e15))))) keys\(duration); "
            + (character.patterns.map { "\(Self.percent($0.oneHitWonders)) of the keys asked for once" }
                ?? "counts of a meter")
    }

    private static let onlyCounts = "unknown: a meter keeps counts, and no requests"

    private var isMeter: Bool { advice.character.patterns == nil }

    private var popularityText: String {
        if isMeter { return Self.onlyCounts }
        guard let popularity = advice.character.popularity else { return "unknown: too few keys" }
        return "Zipf \(DecimalText.fixed(popularity.exponent.value, places: 2)) ± "
            + "\(DecimalText.fixed(popularity.exponent.error, places: 2)), fit R² \(DecimalText.fixed(popularity.rSquared, places: 3))"
    }

    private var patternText: String {
        guard let patterns = advice.character.patterns else { return Self.onlyCounts }
        let loop = patterns.loop.map {
            "a loop of about \(Quantity.count(UInt64(max(0, min($0.length, 1e15))))) keys in \(Self.percent($0.share))"
        }
        return "scans \(Self.percent(patterns.scans)), \(loop ?? "no loop"), drift \(Self.percent(patterns.drift))"
    }

    private var howText: String {
        let exercise = advice.exercise
        let judged = min(1, exercise.judgedRequests / max(1, Double(advice.character.requests)))
        return "\(advice.method); full after at most \(Quantity.percent(exercise.warmUp)) of the requests, replaced "
            + "\(DecimalText.fixed(exercise.turnovers, places: 1)) times; measured on \(Quantity.percent(judged)) of them, "
            + "without the beginning"
    }

    private static func points(_ estimate: AdviceEstimate) -> String { "\(hundredfold(estimate)) pp" }

    private static func percent(_ estimate: AdviceEstimate) -> String { "\(hundredfold(estimate)) %" }

    /// Hundred times the value, with twice its standard error; without it where it is exact.
    private static func hundredfold(_ estimate: AdviceEstimate) -> String {
        let value = DecimalText.fixed(100 * estimate.value, places: 2)
        return estimate.error == 0 ? value : "\(value) ± \(DecimalText.fixed(200 * estimate.error, places: 2))"
    }

    static func text(_ capacity: PolicyCapacity) -> String {
        if let bytes = capacity.weightBytes { return Quantity.bytes(bytes) }
        return "\(Quantity.many(capacity.entries ?? 0, "entry", "entries"))"
    }

    /// The curve of the advised policy and of LRU.
    private var curveRows: [ReplayRow] {
        let policies = advice.policy == .lru ? [advice.policy] : [advice.policy, .lru]
        return policies.flatMap { policy in
            advice.curve.map { point in
                var row = ReplayRow()
                (row.trace, row.policy) = (trace, policy.name)
                row.capacity = Capacity(
                    entries: point.capacity.entries, bytes: point.capacity.weightBytes.map { Int(clamping: $0) })
                let ratio = policy == advice.policy ? point.hitRatio : point.lruHitRatio
                (row.requests, row.hitRatio) = (UInt64(clamping: advice.character.requests), ratio.value)
                switch advice.method {
                case .exactReplay: break
                case .spatialSample(let rate), .meter(let rate):
                    (row.sampleRate, row.hitRatioError) = (rate, ratio.error)
                }
                return row
            }
        }
    }
}
