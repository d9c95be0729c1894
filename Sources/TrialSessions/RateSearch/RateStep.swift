/// One rate of a search and the trials at it, of which the majority decides.
struct RateStep: Sendable {
    /// How many trials there are at most.
    let repetitions: Int
    private(set) var verdicts: [RateVerdict] = []

    init(repetitions: Int) {
        self.repetitions = max(1, repetitions)
    }

    /// Adds the verdict on one trial.
    mutating func note(_ verdict: RateVerdict) {
        verdicts.append(verdict)
    }

    /// What the rate is judged to be; `nil` while trials to come may still change it. A tie is not sustained, and one
    /// between a missed objective and a limit of the harness is the latter: it claims less.
    var verdict: RateVerdict? {
        let sustained = verdicts.count { $0 == .sustained }
        if sustained > repetitions / 2 { return .sustained }
        let others = verdicts.count - sustained
        guard others >= repetitions - repetitions / 2 else { return nil }
        let missed = verdicts.count { $0 == .missed }
        return missed > others - missed ? .missed : .harnessLimited
    }
}
