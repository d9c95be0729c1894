import TrialModel

/// Phases whose clients prefetch.
extension PhaseKeys {
    /// Checks that there are next keys to look up, and a client that knows them.
    func checkPrefetch(_ fields: Fields, _ workload: Workload?) {
        guard let mix = workload?.mix, mix[.prefetch] > 0 else { return }
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

/// What a prefetch announces, and how its use is measured.
struct PrefetchKeys: ScenarioMapping {
    private static let plain = Prefetching()

    let ahead = FileKey<Int>(
        "ahead", .count(1...200), default: plain.ahead,
        "How many of the keys that the client looks up next are announced.")
    let accuracy = FileKey(
        "accuracy", .fraction(ScenarioLimits.ratio), default: plain.accuracy, absent: "100%",
        "The share of announced keys that are right; the others are arbitrary keys, as when a user turns round.")
    let visible = FileKey<Int>(
        "visible", .count(1...200), default: plain.visible,
        "How many distinct keys, the last ones looked up, are on the screen and should not be evicted.")

    func value(of fields: Fields) -> Prefetching? {
        guard let ahead = fields[ahead], let accuracy = fields[accuracy], let visible = fields[visible] else {
            return nil
        }
        return Prefetching(ahead: ahead, accuracy: accuracy, visible: visible)
    }
}
