/// One rate of a search, whose trials decide by majority.
struct RateStep: Sendable {
    /// The most trials.
    let repetitions: Int
    private(set) var verdicts: [RateVerdict] = []

    init(repetitions: Int) {
        self.repetitions = max(1, repetitions)
    }

    /// Adds the verdict on one trial.
    mutating func note(_ verdict: RateVerdict) {
        verdicts.append(verdict)
    }

    /// The judgement of the rate; `nil` while remaining trials may still change it. A tie is not sustained. A tie
    /// between a missed objective and a limit of the harness is the latter, which claims less.
    var verdict: RateVerdict? {
        let sustained = verdicts.count { $0 == .sustained }
        if sustained > repetitions / 2 { return .sustained }
        let others = verdicts.count - sustained
        guard others >= repetitions - repetitions / 2 else { return nil }
        let missed = verdicts.count { $0 == .missed }
        return missed > others - missed ? .missed : .harnessLimited
    }
}
