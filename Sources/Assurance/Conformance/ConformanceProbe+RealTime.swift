import CacheStrategies
import Foundation
import TrialModel

/// The result of one round of lookups in real time.
private enum RealTimeRound {
    /// Everything that could be judged held.
    case held
    /// Messages about what did not hold.
    case broken([String])
    /// An answer came too late, or the machine's date was set, so that nothing can be judged.
    case late
}

/// A moment in real time, known to lie within a span: a thread may be suspended between reading the clock and the
/// call.
private struct MomentSpan {
    var start: ContinuousClock.Instant
    var end: ContinuousClock.Instant
}

extension ConformanceProbe {
    /// Checks a cache's lifetimes by the machine's clock.
    ///
    /// A late thread proves nothing. An entry must be found only if the answer came back before the lifetime could
    /// have ended, counted from before its insert. It must be missing only if the lookup began after the lifetime had
    /// surely ended, counted from after its insert. Where the machine is too slow for the first case, lifetimes get
    /// longer.
    func checkEntriesExpireInRealTime() async throws {
        var lifetime = max(.milliseconds(40), promises.timeToLive.resolution)
        for round in 1...4 {
            switch try await realTimeRound(lifetime, folder: "lifetimes-\(round)") {
            case .held: return
            case .broken(let messages): return messages.forEach { fail($0) }
            case .late: lifetime *= 3
            }
        }
        _ = premise(
            false, "the machine was too slow, or its date was set: no answer came within a lifetime of \(lifetime / 3)")
    }

    /// The same for a cache that only loads.
    func checkLoadsExpireInRealTime() async throws {
        let lifetime = max(.milliseconds(40), promises.timeToLive.resolution)
        let margin = RealTimeQuestions<Strategy>.margin
        let cache = try open(timeToLive: lifetime, folder: "lifetimes")
        let origin = makeOrigin()
        let start = ContinuousClock.now
        _ = try await load(1, from: origin, in: cache)
        let again = try await load(1, from: origin, in: cache)
        let end = ContinuousClock.now
        if end < start + lifetime - margin, !isEventual {
            expect(again.outcome == .hit, "a load within the lifetime of an entry reports \(again.outcome)")
        }
        let settling = isEventual || declaration.worksInBackground ? Promises.settlingTime : .zero
        try await Task.sleep(
            until: end + lifetime + promises.timeToLive.resolution + settling + margin, tolerance: .zero,
            clock: .continuous)
        let last = try await load(1, from: origin, in: cache)
        expect(last.outcome == .loaded, "a load after the lifetime of an entry reports \(last.outcome), not loaded")
        await close(cache)
    }

    private func realTimeRound(_ lifetime: Duration, folder: String) async throws -> RealTimeRound {
        let cache = try open(timeToLive: lifetime, folder: folder)
        var questions = RealTimeQuestions(probe: self, cache: cache, lifetime: lifetime)
        let lead = RealTimeQuestions<Strategy>.dateLead
        try await questions.askOfInserts()
        if promises.timeToLive.kind == .sliding { try await questions.askOfUse() }
        if promises.timeToLive.kind == .fixed { try await questions.askOfEveryWayIn() }
        if promises.timeToLive.perEntry { try await questions.askOfOwnLifetimes() }
        await close(cache)
        let drift = abs(RealTimeQuestions<Strategy>.dateLead - lead)
        if drift > RealTimeQuestions<Strategy>.margin / .seconds(1) { return .late }
        // An entry that is still found after its end is a failure, however late the machine was.
        if !questions.broken.isEmpty { return .broken(questions.broken) }
        return questions.isLate ? .late : .held
    }
}

/// The lookups of one round on one cache.
private struct RealTimeQuestions<Strategy: CacheStrategy> {
    let probe: ConformanceProbe<Strategy>
    let cache: Strategy
    let lifetime: Duration
    var broken: [String] = []
    var isLate = false

    private var rules: TimeToLive { probe.promises.timeToLive }

    /// The tolerance for the difference of the machine's date and its monotonic clock within a round; clock
    /// adjustment moves the date by less than a thousandth.
    static var margin: Duration { .milliseconds(2) }

    /// The machine's date minus its monotonic clock, in seconds; it changes when the date is set.
    static var dateLead: Double {
        let uptime = realTimeOrigin.duration(to: .now)
        return Date().timeIntervalSinceReferenceDate - uptime / .seconds(1)
    }

    private func insert(_ number: Int, lifetime own: Duration? = nil) async -> MomentSpan {
        let start = ContinuousClock.now
        if let own, let mortal = probe.kit.makeMortal {
            await probe.insert(mortal(number, probe.bytes(20), own), at: number, into: cache)
        } else {
            await probe.insert(number, at: number, into: cache)
        }
        return MomentSpan(start: start, end: .now)
    }

    /// Looks up a key that must be found, unless the answer comes too late to judge.
    ///
    /// - Parameter began: when its lifetime began.
    private mutating func expectFound(
        _ number: Int, _ lifetime: Duration, since began: MomentSpan, _ moment: String
    ) async -> MomentSpan {
        let start = ContinuousClock.now
        var isFound = false
        _ = await probe.holds(soon: probe.isEventual) {
            isFound = await probe.lookUp(number, in: cache) != nil
            return isFound || .now >= began.start + lifetime
        }
        let asked = MomentSpan(start: start, end: .now)
        if asked.end >= began.start + lifetime - Self.margin {
            isLate = true
        } else if !isFound {
            let age = began.start.duration(to: asked.end)
            broken.append(
                "key \(number) is not found \(age.text) after \(moment); its lifetime is \(lifetime.text)"
            )
        }
        return asked
    }

    /// Waits for the end of a lifetime and looks up a key that must be missing.
    private mutating func expectMissing(
        _ number: Int, _ lifetime: Duration, since began: MomentSpan, _ moment: String
    ) async throws {
        try await sleep(until: began.end + lifetime + rules.resolution + Self.margin)
        let asked = ContinuousClock.now
        // A timer that removes what has expired is late on a busy machine.
        let mayBeLate = probe.isEventual || probe.declaration.worksInBackground
        let isGone = await probe.holds(soon: mayBeLate && rules.kind != .sliding) {
            await probe.lookUp(number, in: cache) == nil
        }
        // A sliding lifetime that begins late is prolonged by each lookup that finds the entry.
        guard !isGone, !(probe.isEventual && rules.kind == .sliding) else { return }
        let age = began.end.duration(to: asked)
        let step = rules.resolution > .zero ? ", in steps of \(rules.resolution.text)" : ""
        broken.append(
            "key \(number) is still found \(age.text) after \(moment); "
                + "its lifetime is \(lifetime.text)\(step)")
    }

    private func sleep(until instant: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: instant, tolerance: .zero, clock: .continuous)
    }

    mutating func askOfInserts() async throws {
        let unread = await insert(1)
        let replaced = await insert(2)
        var read = await insert(3)
        // A timer of the first value must not end the second one.
        _ = await insert(11)
        await probe.remove(11, from: cache)
        try await sleep(until: replaced.start + lifetime / 2)
        let replacement = await insert(2)
        let second = await insert(11)
        let use = await expectFound(3, lifetime, since: read, "its insert")
        if rules.kind == .sliding { read = use }
        try await sleep(until: replacement.start + lifetime * 3 / 4)
        let reuse = await expectFound(2, lifetime, since: replacement, "it was replaced")
        _ = await expectFound(11, lifetime, since: second, "it was removed and inserted again")
        try await expectMissing(1, lifetime, since: unread, "its insert")
        let start = ContinuousClock.now
        let loaded = try await probe.load(1, from: probe.makeOrigin(), in: cache)
        let reload = MomentSpan(start: start, end: .now)
        if loaded.outcome != .loaded {
            broken.append("a load of an expired entry reports \(loaded.outcome), not loaded")
        }
        try await expectMissing(3, lifetime, since: read, rules.kind == .sliding ? "its last use" : "its insert")
        try await expectMissing(
            2, lifetime, since: rules.kind == .sliding ? reuse : replacement,
            rules.kind == .sliding ? "its last use" : "it was replaced")
        try await expectMissing(1, lifetime, since: reload, "its load")
    }

    /// No use prolongs a fixed lifetime: neither a lookup nor a load, on a task or on a thread.
    mutating func askOfEveryWayIn() async throws {
        var inserted: [MomentSpan] = []
        for number in 8...10 { inserted.append(await insert(number)) }
        try await sleep(until: inserted[0].start + lifetime / 2)
        let origin = probe.makeOrigin()
        for _ in 0..<3 {
            _ = await probe.lookUp(8, in: cache)
            _ = try await probe.load(9, from: origin, in: cache)
            _ = try await probe.load(10, from: origin, in: cache, onThread: true)
        }
        // A load that came too late has fetched and inserted, so its key is skipped.
        let ways = ["a lookup", "a load of a task", "a blocking load"]
        for (place, way) in ways.enumerated() where origin.fetchCount(forKey: 8 + place) == 0 {
            try await expectMissing(8 + place, lifetime, since: inserted[place], "its insert, used by \(way) since")
        }
    }

    /// Every use prolongs a sliding lifetime: a key stays as long as it is used more often than once per lifetime.
    mutating func askOfUse() async throws {
        let unused = await insert(4)
        var used = await insert(5)
        for _ in 0..<4 {
            try await sleep(until: used.start + lifetime / 2)
            used = await expectFound(5, lifetime, since: used, "its last use")
            // A late lookup may have found nothing, and then begins no lifetime.
            if isLate { return }
        }
        try await expectMissing(4, lifetime, since: unused, "its insert, though only another key was used")
        try await expectMissing(5, lifetime, since: used, "its last use")
    }

    mutating func askOfOwnLifetimes() async throws {
        guard probe.kit.makeMortal != nil else {
            _ = probe.premise(false, "the check's values have no lifetime of their own")
            return
        }
        let long = lifetime * 3
        let brief = max(lifetime / 2, rules.resolution)
        let short = await insert(6, lifetime: brief)
        let lasting = await insert(7, lifetime: long)
        try await expectMissing(6, brief, since: short, "its insert with a lifetime of its own")
        try await sleep(until: lasting.start + lifetime * 2)
        let use = await expectFound(7, long, since: lasting, "its insert with a lifetime of its own")
        try await expectMissing(
            7, long, since: rules.kind == .sliding ? use : lasting,
            "its \(rules.kind == .sliding ? "last use" : "insert") with a lifetime of its own")
    }
}

private let realTimeOrigin = ContinuousClock.now

extension Duration {
    fileprivate var text: String { Quantity.duration(nanoseconds: UInt64(max(0, self / .nanoseconds(1)))) }
}
