/// How an operation ended, as the caller saw it. Outcomes are disjoint.
@usableFromInline
package enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
    /// The value was in the cache.
    case hit
    /// The value was not in the cache; a load fetched it.
    case miss
    /// The caller waited for a load already in flight instead of starting one.
    case joined
    /// The load threw an error.
    case failed
    /// The caller gave up before the load ended.
    case cancelled
    /// A write, removal or clear, which has no distinct outcomes; its only row is the one for all outcomes.
    case done
}
