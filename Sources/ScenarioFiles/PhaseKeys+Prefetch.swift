import TrialModel

/// Phases whose clients prefetch.
extension PhaseKeys {
    /// There have to be keys that come next, and a client that knows them.
    func checkPrefetch(_ fields: Fields, _ workload: Workload?) {
        guard let mix = workload?.mix, mix[.prefetch] > 0 else { return }
        let place: any DeclaredKey = fields.has(self.mix) ? self.mix : pools
        if let arrival = fields[arrival], arrival.isOpen {
            fields.report(
                place, found: "a prefetch with open arrival", allowed: "only with closed arrival",
                hint: "a client names the keys that it looks up next, and here any client takes what is due")
        }
        if [.read, .load, .burst].allSatisfy({ mix[$0] == 0 }) {
            fields.report(
                place, found: "a prefetch without lookups", allowed: "only with read, load or burst",
                hint: "no key comes next")
        }
    }
}

/// What a prefetch names.
struct PrefetchKeys: ScenarioMapping {
    private static let plain = Prefetching()

    let ahead = FileKey<Int>(
        "ahead", .count(1...200), default: plain.ahead, "How many of the keys that the client looks up next are named.")
    let accuracy = FileKey(
        "accuracy", .fraction(ScenarioLimits.ratio), default: plain.accuracy, absent: "100%",
        "The share of them that are right; the others are any keys, as when a user turns round.")
    let visible = FileKey<Int>(
        "visible", .count(1...200), default: plain.visible,
        "How many different keys, those looked up last, are on the screen and should not be evicted.")

    func value(of fields: Fields) -> Prefetching? {
        guard let ahead = fields[ahead], let accuracy = fields[accuracy], let visible = fields[visible] else {
            return nil
        }
        return Prefetching(ahead: ahead, accuracy: accuracy, visible: visible)
    }
}
