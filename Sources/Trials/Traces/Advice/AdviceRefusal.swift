import EvictionPolicies
import Foundation

/// Why a trace, or what a meter counted, gives no advice.
package struct AdviceRefusal: Sendable, Hashable, CustomStringConvertible {
    /// What it lacks.
    package enum Reason: Sendable, Hashable {
        /// The cache is hardly filled and turned over.
        case tooShort
        /// Most hits are those of the first part, and other keys are popular now.
        case tooOld
        /// Every policy hits as often as chance does.
        case tooEven
        /// The advised policy may lose more than some points against another one.
        case tooUncertain
    }

    package var reason: Reason
    /// One sentence that says why, and what would help.
    package let description: String
}

/// How well the trace exercises a cache of one size.
package struct AdviceExercise: Sendable, Hashable {
    /// The share of the requests before the cache is full, from 0 to 1; 1 when it never is.
    package var warmUp: Double
    /// The share of the cache that all keys fill, at most 1.
    package var filled: Double
    /// The entries of the replayed cache, which is smaller in a sample.
    package var sampledEntries: Double
    /// The number of requests that are judged: those after the warm-up, and after the first 3/8 of the trace.
    package var judgedRequests: Double
    /// The share of these that are the first for their key, so that no policy can hit.
    package var firstRequests: Double
    /// How often the misses of these requests replace the whole content.
    package var turnovers: Double
    /// Whether the cache holds all keys, and new ones hardly come.
    package var fits: Bool

    /// Above this share of first requests, new keys still come.
    private static let newKeysMax = 0.01

    init(_ replay: AdviceReplay, _ choice: AdviceChoice) {
        let run = choice.runs[choice.chosen]
        let (keys, bytes) = (replay.total(inBytes: false), replay.total(inBytes: true))
        let warm = replay.warmSlice(run.capacity)
        let all = max(.leastNonzeroMagnitude, replay.requests.reduce(0, +))
        // Slices of a trace are of one length, those of a meter are not.
        warmUp =
            replay.recorded == nil
            ? Double(warm) / Double(AdviceTrace.sliceCount) : min(1, replay.requests.prefix(warm).reduce(0, +) / all)
        filled = min(1, (run.capacity.isWeight ? bytes : keys) / max(1, run.capacity.units))
        judgedRequests = choice.slices.reduce(0) { $0 + replay.requests[$1] } / replay.trace.rate
        firstRequests = min(1, (keys - replay.keysBefore[choice.slices.lowerBound]) / max(1, judgedRequests))
        turnovers = replay.turnovers(run, in: choice.slices)
        fits = run.capacity.units >= (run.capacity.isWeight ? bytes : keys) && firstRequests <= Self.newKeysMax
        sampledEntries = run.capacity.units * replay.trace.rate * (run.capacity.isWeight ? keys / max(1, bytes) : 1)
    }
}

extension AdviceReplay {
    /// How often misses replace the whole content of a cache.
    func turnovers(_ run: Run, in slices: Range<Int>) -> Double {
        let requested = slices.reduce(0) { $0 + requests[$1] } / trace.rate
        let missed = (1 - ratio(run, .hits, in: slices).value) * requested
        let units = run.capacity.isWeight ? total(inBytes: true) / max(1, total(inBytes: false)) : 1
        return missed * units / max(1, run.capacity.units)
    }

    /// Whether a cache is seen at work for long enough.
    func isTurnedOver(_ run: Run, in slices: Range<Int>) -> Bool {
        turnovers(run, in: slices) >= AdviceReview.turnoversMin
            || ratio(run, .hits, in: slices).value >= 1 - AdviceReview.missRatioMin
    }
}

/// Decides whether an advice holds.
struct AdviceReview {
    let replay: AdviceReplay
    let choice: AdviceChoice
    let size: AdviceSize
    let exercise: AdviceExercise
    let character: TraceCharacter

    // These numbers were chosen on the halves and hundredths of 14 public traces.

    /// A policy that may lose more than this is not advised.
    static let regretMax = 0.06
    /// Fewer requests after the warm-up say nothing about slices.
    static let judgedRequestsMin = 1_500.0
    /// Above this share of first requests, keys come again later than the trace is long.
    static let firstRequestsMax = 0.75
    /// A content that was replaced less often is still that of the beginning.
    static let turnoversMin = 0.75
    /// A cache that misses less than this has not much to lose.
    static let missRatioMin = 0.05
    /// A cache that is full only after this share of the requests is hardly seen at work.
    static let warmUpMax = 0.75
    /// Below this share of the keys chance hits too rarely to compare with, and above it any policy does well.
    private static let chances = 0.0005...0.5

    private var capacity: PolicyCapacity { size.capacity }
    private var isOfMeter: Bool { replay.recorded != nil }

    private var sizeText: String {
        switch capacity {
        case .entries(let entries): "\(entries) entries"
        case .weight(let bytes): "\(bytes) bytes"
        }
    }

    /// Why not to follow the advice; `nil` when nothing speaks against it.
    var refusal: AdviceRefusal? { tooShort ?? tooEven ?? tooOld ?? tooUncertain }

    private var tooShort: AdviceRefusal? {
        if replay.trace.isSample, exercise.sampledEntries < Double(SpatialSample.entriesMin) {
            return AdviceRefusal(
                reason: .tooUncertain,
                description: "The cache is too small for a sample: \(sizeText) shrink to "
                    + "\(Int(exercise.sampledEntries)) entries; "
                    + (isOfMeter
                        ? "give a meter this size as its capacity." : "allow more requests to be replayed."))
        }
        if !exercise.fits, exercise.filled < 1 {
            return short(
                "all of its keys fill \(percent(exercise.filled)) of \(sizeText)", 3 / max(exercise.filled, 1e-6))
        }
        if !exercise.fits, exercise.warmUp > Self.warmUpMax {
            return short("\(sizeText) are full only after \(percent(exercise.warmUp)) of the requests", 3)
        }
        let judged = exercise.judgedRequests * replay.trace.rate
        if judged < Self.judgedRequestsMin {
            return short(
                "only \(Int(judged)) requests \(replay.trace.isSample ? "of sampled keys " : "")are left after the warm-up",
                2 * Self.judgedRequestsMin / max(1, judged))
        }
        if exercise.firstRequests > Self.firstRequestsMax {
            return short("\(percent(exercise.firstRequests)) of its requests are the first for their key", 3)
        }
        if !exercise.fits, !replay.isTurnedOver(choice.runs[choice.chosen], in: choice.slices) {
            let turnovers = (exercise.turnovers * 10).rounded() / 10
            return short(
                "its requests replace the content of \(sizeText) only \(turnovers) times",
                3 * Self.turnoversMin / max(exercise.turnovers, 1e-6))
        }
        return nil
    }

    private func short(_ why: String, _ factor: Double) -> AdviceRefusal {
        AdviceRefusal(
            reason: .tooShort,
            description: isOfMeter
                ? "The meter has not run for long enough: \(why). Let it run at least \(times(factor)) as long, and write "
                    + "its report again."
                : "The trace is too short: \(why); record at least \(times(factor)) as long.")
    }

    private var tooEven: AdviceRefusal? {
        let chance = min(1, capacity.units / max(1, replay.total(inBytes: capacity.isWeight)))
        let ratios = choice.runs.map { replay.ratio($0, .hits, in: choice.slices) }
        guard Self.chances.contains(chance), let least = ratios.map(\.value).min(),
            let most = ratios.max(by: { $0.value < $1.value }),
            most.value - least < 2 * AdviceChoice.toleranceMax,
            most.value - chance < max(min(0.02, chance / 2), 0.1 * chance, 2 * most.error)
        else { return nil }
        return AdviceRefusal(
            reason: .tooEven,
            description:
                "No policy matters for these requests: every policy hits \(percent(most.value)) with \(percent(chance)) of the "
                + "keys, as chance would. Take any, and pay for hits by size"
                + (isOfMeter ? "." : "; or record real requests."))
    }

    private var tooOld: AdviceRefusal? {
        let slices = choice.slices
        let middle = slices.lowerBound + slices.count / 2
        let run = choice.runs[choice.chosen]
        let early = replay.ratio(run, .hits, in: slices.lowerBound..<middle).value
        let late = replay.ratio(run, .hits, in: middle..<slices.upperBound).value
        guard let drift = character.patterns?.drift, drift.value > 0.5, early > 2 * late, early > late + 0.05 else {
            return nil
        }
        return AdviceRefusal(
            reason: .tooOld,
            description:
                "The trace is too old: \(percent(early / max(early + late, .leastNonzeroMagnitude))) of the hits are "
                + "those of its first half, and other keys are popular since; record it again, beginning later.")
    }

    private var tooUncertain: AdviceRefusal? {
        guard choice.regretMax > Self.regretMax else { return nil }
        let factor = (choice.regretMax / Self.regretMax) * (choice.regretMax / Self.regretMax)
        return AdviceRefusal(
            reason: .tooUncertain,
            description: "The requests are too changeable: \(choice.runs[choice.chosen].policy.name) may lose "
                + "\(percent(choice.regretMax)) of the requests against another policy; "
                + "\(isOfMeter ? "let the meter run" : "record") at least \(times(max(2, factor))) as long.")
    }

    private func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }

    /// "three times" and so on.
    private func times(_ factor: Double) -> String {
        let count = Int(min(max(2, factor.rounded(.up)), 1_000_000))
        return count < 4 ? ["twice", "three times"][count - 2] : "\(count) times"
    }
}
