import Reports
import TrialModel

/// The finding of one run of a case.
struct FrameFinding: Sendable {
    /// Whether it is as expected.
    var holds: Bool
    /// The figure that shows it.
    var figure: String
}

/// A case whose finding is known beforehand.
struct FrameCase: MeasuredCase, Sendable {
    var name: String
    /// What must be found.
    var what: String
    var strategy: String
    var fault: ListFault
    var scenario: String
    /// How many processes keep each of the machine's cores busy meanwhile.
    var load = 0
    /// The share of the runs in which it must be found.
    var share = 1.0
    /// The finding of a run.
    var judge: @Sendable (PhaseResult) -> FrameFinding

    static let all: [FrameCase] = [
        FrameCase(
            name: "block", what: "a lookup of 20 ms among 1,000: only its frame is blamed",
            strategy: "planted-list", fault: .blocksOnce, scenario: thousandLookUps, judge: block),
        FrameCase(
            name: "sound", what: "lru, 1,000 frames at 60 a second, idle: no frame missed because of the cache",
            strategy: "lru", fault: .none, scenario: thousandFrames, judge: sound),
        FrameCase(
            name: "busy", what: "the same alongside two busy processes for each core: at most 1 % charged to the cache",
            strategy: "lru", fault: .none, scenario: thousandFrames, load: 2, judge: charged),
        FrameCase(
            name: "due", what: "without a cache: p99 of the lateness of frames at most 300 us", strategy: "none",
            fault: .none, scenario: thousandFrames, judge: lateness),
        FrameCase(
            name: "waits", what: "a lookup that waits for a load: frames missed", strategy: "planted-list",
            fault: .waitsForLoads, scenario: feed
        ) { share(of: $0, \.missedShare, "missed", least: 0.01) },
        FrameCase(
            name: "decodes", what: "a lookup that decodes: frames over budget", strategy: "planted-list",
            fault: .decodesInLookUp, scenario: feed
        ) { share(of: $0, \.overBudgetShare, "over budget", least: 0.01) },
        FrameCase(
            name: "evicts", what: "10,000 entries evicted under the lock: held_max", strategy: "planted-list",
            fault: .evictsUnderLock, scenario: feed
        ) { result in
            let held = result.frames?.heldMax ?? 0
            return FrameFinding(holds: held > 4_000_000, figure: Quantity.duration(nanoseconds: held))
        },
        FrameCase(
            name: "other-cell", what: "an answer for another cell: wrong answers", strategy: "planted-list",
            fault: .answersOtherCell, scenario: feed
        ) { result in
            let wrong = result.trial.wrongAnswers ?? 0
            return FrameFinding(holds: wrong > 0, figure: "\(wrong) wrong")
        },
        FrameCase(
            name: "deaf", what: "a load that is not cancelled: late answers, nothing abandoned",
            strategy: "planted-task-list", fault: .ignoresCancellation, scenario: feed
        ) { result in
            let (late, abandoned) = (result.frames?.lateAnswers ?? 0, result.frames?.abandonedLoads ?? 0)
            return FrameFinding(
                holds: late > 4 * abandoned && late > 10, figure: "\(late) late, \(abandoned) abandoned")
        },
        FrameCase(
            name: "cancels", what: "its correct twin: more abandoned than late", strategy: "planted-task-list",
            fault: .none, scenario: feed
        ) { result in
            let (late, abandoned) = (result.frames?.lateAnswers ?? 0, result.frames?.abandonedLoads ?? 0)
            return FrameFinding(holds: abandoned > late, figure: "\(late) late, \(abandoned) abandoned")
        },
        FrameCase(
            name: "twin", what: "planted-list without a bug: nothing missed, nothing wrong", strategy: "planted-list",
            fault: .none, scenario: feed, judge: sound),
    ]

    private static let block: @Sendable (PhaseResult) -> FrameFinding = { result in
        let blamed = result.frameTimes.filter { $0.blame == .cache }
        guard let frame = blamed.first, blamed.count == 1 else {
            return FrameFinding(holds: false, figure: "\(blamed.count) frames blamed")
        }
        let before = result.frameTimes.prefix { $0.frame < frame.frame }.reduce(0) { $0 + $1.cells }
        let isIts = before < ListFault.blockedLookUp && before + frame.cells >= ListFault.blockedLookUp
        return FrameFinding(
            holds: isIts && frame.heldNanoseconds >= 19_000_000,
            figure: "frame \(frame.frame), \(Quantity.duration(nanoseconds: frame.heldNanoseconds))")
    }

    private static let sound: @Sendable (PhaseResult) -> FrameFinding = { result in
        let missed = result.frames?.missed ?? .max
        return FrameFinding(
            holds: missed == 0 && result.trial.wrongAnswers == 0,
            figure: "\(missed) missed, \(result.frames?.machineFrames ?? 0) of the machine")
    }

    private static let charged: @Sendable (PhaseResult) -> FrameFinding = { result in
        guard let row = result.frames, let missed = row.missedShare, let over = row.overBudgetShare else {
            return FrameFinding(holds: false, figure: "no frames")
        }
        return FrameFinding(
            holds: max(missed, over) <= 0.01,
            figure: "\(row.missed) missed, \(row.overBudget) over budget, \(row.machineFrames) of the machine")
    }

    private static let lateness: @Sendable (PhaseResult) -> FrameFinding = { result in
        let late = result.trial.latenessP99Nanoseconds ?? .max
        return FrameFinding(holds: late <= 300_000, figure: Quantity.duration(nanoseconds: late))
    }

    private static func share(
        of result: PhaseResult, _ figure: KeyPath<FramesRow, Double?>, _ name: String, least: Double
    ) -> FrameFinding {
        let share = result.frames?[keyPath: figure] ?? 0
        return FrameFinding(holds: share >= least, figure: "\(Quantity.percent(share)) \(name)")
    }

    // MARK: Scenarios

    /// 1,000 rows, one after the other, in two seconds.
    private static let thousandLookUps = """
        title: A thousand rows
        seed: 1
        keys: { kind: integer, count: 2000, popularity: sequential }
        values: { kind: bytes, size: 256 B }
        capacity: { entries: 500 }
        origin: { kind: memory, delay: 1 ms }
        phases:
          - { name: list, frames: { rate: 60, scroll: [ { speed: 500 rows/s, for: 2 s } ] } }

        """

    /// 1,000 frames, at rest and in motion.
    private static let thousandFrames = """
        title: A thousand frames
        seed: 1
        keys: { kind: integer, count: 2000, popularity: { zipf: 0.9 } }
        values: { kind: bytes, size: 256 B }
        capacity: { entries: 500 }
        origin: { kind: memory, delay: 5 ms }
        phases:
          - name: list
            frames:
              scroll: [ { speed: 0 rows/s, for: 4 s }, { speed: 60 rows/s, for: 4.67 s }, { speed: 200 rows/s, for: 4 s }, { speed: -200 rows/s, for: 4 s } ]

        """

    /// Like `Scenarios/scrolling.yaml`, with an origin in memory and faster.
    private static let feed = """
        title: A feed
        seed: 25
        pools:
          - { name: authors, count: 60, popularity: { zipf: 0.9 }, size: 1 KiB, weight: 1 }
          - { name: photos, count: 400, popularity: sequential, weight: 2 }
        keys: { kind: integer }
        values: { kind: bytes, size: 4 KiB }
        capacity: { bytes: 256 KiB }
        origin: { kind: memory, delay: 60 ms }
        phases:
          - { name: list, frames: { loaders: 8, scroll: [ slow, { speed: 400 rows/s, for: 0.5 s }, { speed: -400 rows/s, for: 0.5 s } ] } }

        """
}
