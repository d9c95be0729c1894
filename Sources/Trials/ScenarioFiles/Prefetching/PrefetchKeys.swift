import TrialModel

/// What a prefetch announces, and how its use is measured.
struct PrefetchKeys: ScenarioMapping {
    typealias Value = Prefetching

    /// The key of a phase.
    static var ofPhase: FileKey<Prefetching> {
        FileKey(
            "prefetch", .mapping(PrefetchKeys()), \Phase.prefetching,
            absent: "none; with a prefetch in the mix, the defaults of its keys",
            "Which keys each prefetch of the mix announces, and how its use is measured. "
                + "Without a prefetch in the mix, the phase is the baseline.")
    }

    let ahead = FileKey(
        "ahead", .count(1...200), \Prefetching.ahead,
        "How many of the keys that the client looks up next are announced.")
    let accuracy = FileKey(
        "accuracy", .fraction(ScenarioLimits.ratio), \Prefetching.accuracy, absent: "100%",
        "The share of announced keys that are right; the others are arbitrary keys, as when a user changes direction.")
    let visible = FileKey(
        "visible", .count(1...200), \Prefetching.visible,
        "How many distinct keys, the last ones looked up, are on the screen and should not be evicted.")
}

extension PhaseKeys {
    /// Checks that there are next keys to look up, and a client that knows them.
    func checkPrefetch(_ fields: Fields, _ mix: OperationMix) {
        guard mix[.prefetch] > 0 else { return }
        let place: any DeclaredKey = fields.has(self.mix) ? self.mix : pools
        if let arrival = fields[arrival], arrival.isOpen {
            fields.report(
                place, found: "a prefetch with open arrival", allowed: "only with closed arrival",
                hint: "a client announces its own next keys, but with open arrival any client takes the next operation")
        }
        if [.read, .load, .burst].allSatisfy({ mix[$0] == 0 }) {
            fields.report(
                place, found: "a prefetch without lookups", allowed: "only with read, load or burst",
                hint: "there is no next key to announce")
        }
    }
}
