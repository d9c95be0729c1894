import EvictionPolicies
package import TrialModel

/// Which policy to take for the requests of a trace, how large, and what it gains.
///
/// ```swift
/// var request = AdviceRequest()
/// request.budget = .entries(10_000)
/// let advice = try TraceAdvice(path: path, request: request)
/// print(advice.refusal?.description ?? advice.policy.name)
/// ```
///
/// Up to ``AdviceRequest/replayedRequestsMax`` requests are replayed exactly, longer traces in miniature (C.
/// Waldspurger, T. Saemundsson, I. Ahmad, N. Park: Cache Modeling and Optimization using Miniature Simulations, USENIX
/// ATC 2017).
///
/// A hit ratio is the share of the requests that hit. Where the cost of misses is known, policies and sizes are
/// compared by the share of the cost that hits save instead. All ratios leave out the warm-up.
package struct TraceAdvice: Sendable {
    /// What the trace tells.
    package let character: TraceCharacter
    /// Whether the trace has sizes.
    package let hasSizes: Bool
    /// How the numbers were obtained.
    package let method: AdviceMethod
    /// The policy to take. It is there in a refused advice too, and is then as good as a guess.
    package let policy: ReplayPolicy
    /// The size that was given, or the size to take.
    package let size: AdviceSize
    /// All candidates at that size, from the simplest on.
    package let candidates: [Candidate]
    /// The hit ratio at that size, from 0 to 1.
    package let hitRatio: AdviceEstimate
    /// The ratio that is gained over LRU.
    package let gainOverLRU: AdviceEstimate
    /// The ratio that the optimum, which knows the future, has above the advised policy; `nil` where it is not known,
    /// which is so for sizes in bytes and for costs.
    package let distanceToOptimum: AdviceEstimate?
    /// The most that the advised policy may lose against another candidate, as a ratio.
    package let regretMax: Double
    /// How well the trace exercises a cache of that size.
    package let exercise: AdviceExercise
    /// The advised policy and LRU, from the smallest size to all keys; empty where it was not wanted.
    package let curve: [AdvicePoint]
    /// The share of the requests that single-flight keeps from the origin; `nil` without times or the time of a miss.
    package let singleFlight: AdviceEstimate?
    /// What lifetimes cost, from the shortest on; empty without times.
    package let lifetimes: [Lifetime]
    /// Why not to follow the advice; `nil` when nothing speaks against it.
    package let refusal: AdviceRefusal?
    /// Whether all keys of the trace fit into the size, so that every policy hits as often.
    package let fits: Bool

    /// A policy that is this much below the best is taken in any case where it is simpler, as a ratio.
    package static let indifference = AdviceChoice.toleranceMin

    /// A policy that was considered.
    package struct Candidate: Sendable, Hashable {
        package var policy: ReplayPolicy
        package var hitRatio: AdviceEstimate
        /// The ratio that the best candidate has above it, over this size and its two neighbours: by this the policy is
        /// chosen.
        package var behindBest: AdviceEstimate
    }

    /// Values that are dropped some time after they were loaded.
    package struct Lifetime: Sendable, Hashable {
        package var seconds: UInt64
        /// The share of the requests that would miss because of it.
        package var cost: AdviceEstimate
    }

    /// One minute, ten minutes, an hour, a day.
    static let lifetimesSeconds: [UInt64] = [60, 600, 3_600, 86_400]

    /// Reads a trace once, replays it, and judges. O(requests + kept requests · (candidates + sizes)).
    ///
    /// - Parameters:
    ///   - format: `nil` to detect it.
    ///   - options: how to read the trace; its columns are those that advice needs.
    /// - Throws: `TraceError` when the trace can't be read to its end, ``AdviceError`` when the request does not fit
    ///   it, `CancellationError`.
    package init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions(),
        request: AdviceRequest = AdviceRequest()
    ) throws {
        let needsSizes = request.budget?.isBytes ?? request.worth?.isBytes ?? false
        let trace = try AdviceTrace(
            path: path, format: format, options: options, request: request, needsSizes: needsSizes)
        try self.init(trace, request)
    }

    init(_ trace: AdviceTrace, _ request: AdviceRequest) throws {
        try self.init(
            AdviceReplay(trace, missCost: request.missCost, jobs: request.jobs), TraceCharacter(trace), request)
    }

    init(_ replay: AdviceReplay, _ character: TraceCharacter, _ request: AdviceRequest) throws {
        let trace = replay.trace
        self.character = character
        hasSizes = trace.hasSizes
        method =
            replay.recorded != nil
            ? .meter(rate: trace.rate)
            : trace.isSample ? .spatialSample(rate: trace.rate) : .exactReplay
        try Task.checkCancellation()
        let plan = try Self.plan(replay, request)
        try Task.checkCancellation()
        let (choice, slices) = (plan.choice, plan.choice.slices)
        let chosen = choice.runs[choice.chosen]
        policy = chosen.policy
        size = plan.size
        hitRatio = replay.ratio(chosen, .hits, in: slices)
        candidates = zip(choice.runs, choice.behind).map {
            Candidate(policy: $0.policy, hitRatio: replay.ratio($0, .hits, in: slices), behindBest: $1)
        }
        let lru = choice.runs.first { $0.policy == .lru }
        gainOverLRU = lru.map { replay.difference(chosen, $0, .cost, in: slices) } ?? AdviceEstimate(value: 0, error: 0)
        regretMax = choice.regretMax
        curve = zip(plan.runs, plan.lruRuns).map { run, lru in
            AdvicePoint(
                capacity: run.capacity, hitRatio: replay.ratio(run, .hits, in: AdviceSizing.slices),
                lruHitRatio: replay.ratio(lru, .hits, in: AdviceSizing.slices))
        }
        if case .entries = size.capacity, request.missCost?.nanosecondsPerByte ?? 0 == 0, trace.costs.isEmpty,
            replay.recorded == nil,
            !trace.hasLifetimes
        {
            let optimum = replay.optimum(size.capacity, from: slices.lowerBound)
            distanceToOptimum = replay.difference(optimum, chosen, .hits, in: slices)
        } else {
            distanceToOptimum = nil
        }
        let hits = trace.times.isEmpty ? [] : replay.hits(policy, size.capacity)
        singleFlight = request.missCost.flatMap { replay.singleFlight(hits, nanoseconds: $0.nanosecondsPerMiss) }
        lifetimes = Self.lifetimesSeconds.compactMap { seconds in
            replay.expired(hits, lifetimeNanoseconds: seconds * 1_000_000_000).map {
                Lifetime(seconds: seconds, cost: $0)
            }
        }
        exercise = AdviceExercise(replay, choice)
        fits = exercise.fits
        refusal =
            AdviceReview(
                replay: replay, choice: choice, size: size, exercise: exercise, character: character
            ).refusal
    }

    /// A size, the choice for it, and the curves of the chosen policy and of LRU.
    private struct Plan {
        var size: AdviceSize
        var choice: AdviceChoice
        var runs: [AdviceReplay.Run]
        var lruRuns: [AdviceReplay.Run]
    }

    private static func plan(_ replay: AdviceReplay, _ request: AdviceRequest) throws -> Plan {
        let sizing = AdviceSizing(replay: replay, request: request)
        let capacities = sizing.capacities
        let given = try sizing.given()
        let lruRuns = given == nil || request.wantsCurve ? replay.lruRuns(capacities) : []
        if let capacity = given {
            let choice = AdviceChoice(replay, capacity)
            let isLRU = choice.policy == .lru || !request.wantsCurve
            let runs = isLRU ? lruRuns : replay.runs(capacities.map { (choice.policy, $0) })
            return Plan(
                size: AdviceSize(capacity), choice: choice, runs: request.wantsCurve ? runs : [], lruRuns: lruRuns)
        }
        guard request.worth == nil || request.missCost != nil else {
            throw AdviceError(
                description:
                    "A worth of memory is a time, and the time of a miss is not known; give the origin's time too.")
        }
        // The size depends on the policy, and the policy on the size. The best candidate of each size makes the curve whose
        // knee is taken: over a scan, LRU's own knee is where it holds the whole scan.
        let others = AdviceChoice.candidates(capacities[0], replay).filter { $0 != .lru }
        let all = replay.runs(others.flatMap { policy in capacities.map { (policy, $0) } })
        let curves = [lruRuns] + others.indices.map { Array(all[$0 * capacities.count..<($0 + 1) * capacities.count]) }
        let best = capacities.indices.map { size in
            let runs = curves.map { $0[size] }
            return runs[AdviceChoice.best(runs.map { replay.ratio($0, .cost, in: AdviceSizing.slices).value })]
        }
        let size = sizing.size(best)
        let choice = AdviceChoice(replay, size.capacity)
        let own = curves.first { $0[0].policy == choice.policy } ?? lruRuns
        return Plan(size: size, choice: choice, runs: own, lruRuns: lruRuns)
    }
}
