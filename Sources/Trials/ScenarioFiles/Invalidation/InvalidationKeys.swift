import SharedValues
import TrialModel

/// The events that remove keys while clients use the cache.
struct InvalidationKeys: ScenarioMapping {
    typealias Value = Invalidation

    /// The key of a phase.
    static var ofPhase: FileKey<Invalidation> {
        FileKey(
            "invalidate", .mapping(InvalidationKeys()), \Phase.invalidation, absent: "none",
            "Events, such as a logout, that remove a share of the keys while clients use the cache.")
    }

    let every = FileKey(
        "every", .amount(.time(10_000_000...AmountLimit.minute, "300 ms")), required: \Invalidation.every,
        "The time between two events; the first one comes after this time.")
    let share = FileKey(
        "share", .fraction(ScenarioLimits.share), \Invalidation.share, absent: "100%",
        "The share of the keys that each event removes, one by one. All keys are removed by one removeAll.")
}

extension PhaseKeys {
    /// Events that remove keys are measured by what clients look up between them.
    func checkInvalidation(_ fields: Fields, _ mix: OperationMix?, _ length: PhaseLength?) {
        if fields[warmUp] == true {
            fields.refuse(
                invalidate, found: "invalidate in a warm-up", allowed: "only in phases that are measured")
        }
        if let mix, mix[.prefetch] > 0 {
            fields.refuse(
                invalidate, found: "invalidate together with a prefetch", allowed: "only without prefetch in the mix",
                hint: "the age of a prefetched value is not known")
        }
        if let mix, [.read, .load, .burst].allSatisfy({ mix[$0] == 0 }) {
            fields.refuse(
                invalidate, found: "invalidate without lookups", allowed: "only with read, load or burst",
                hint: "no answer could be stale")
        }
        if let every = fields[invalidate]?.every, case .duration(let nanoseconds) = length, every >= nanoseconds {
            fields.refuse(
                invalidate, found: "an event every \(AmountUnit.text(every, kind: .time))",
                allowed: "less than the phase, \(AmountUnit.text(nanoseconds, kind: .time))")
        }
    }
}
