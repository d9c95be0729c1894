public import EvictionPolicies

/// Turns an entry limit and a cost limit into the one capacity that a policy has, and costs into weights.
///
/// A policy that doesn't divide its capacity (``LivePolicy/dividesCapacity``) needs neither: its store keeps both
/// limits, to the last entry and the last byte, and the policy counts entries. With only a cost limit there are at most
/// as many entries as it allows cost, so that entries without cost are limited as well. The other policies need their
/// capacity as one number:
///
/// - Only an entry limit: entries are counted.
/// - Only a cost limit: an entry weighs its cost, but at least 1, so that entries without cost are limited as well.
/// - Both: an entry weighs its cost or an equal share of the cost limit, whichever is more. So neither limit is ever
///   exceeded, and the policy needs no knowledge of it. The price: if small and large entries are mixed, the cache is
///   full before either limit is reached; at least one of them is half used then. If all entries are small or all are
///   large, nothing is lost.
///
/// Weights have 32 bits. Under both limits, and when the cost limit has more bits, that limit is divided into 2^32 - 1
/// parts or a few less, and costs are rounded up to whole parts: by at most 4 bytes for each entry of a cache of 16 GB.
/// So entries that would fill the limit to its last byte may be one too many.
@usableFromInline
package struct PolicyScale: Sendable {
    /// The capacity with which the policy is made.
    @usableFromInline
    package let capacity: PolicyCapacity
    /// The most entries; `nil` means no limit.
    @usableFromInline
    package let entryLimit: Int?
    /// The most entries, also without a limit: then as many as a cost limit allows cost.
    @usableFromInline
    let mostEntries: Int
    /// The most cost; `Int.max` when there is no limit.
    @usableFromInline
    package let costLimit: Int
    /// The weight of the whole cost limit; 0 when only entries are counted.
    @usableFromInline
    let whole: UInt64
    /// The least weight of an entry.
    @usableFromInline
    let least: UInt32
    /// Whether a limit of 0 keeps every entry out.
    @usableFromInline
    let refusesAll: Bool

    /// Numbers of entries have 32 bits, and a table for that many entries must be possible.
    @inlinable
    static var largestEntryLimit: Int { 1 << 30 }

    /// A scale; `nil` means no limit, and a negative limit counts as 0.
    ///
    /// - Parameter dividesCapacity: the policy's property.
    @inlinable
    package init(entryLimit: Int?, costLimit: Int?, dividesCapacity: Bool) {
        self.entryLimit = entryLimit.map { min(max($0, 0), Self.largestEntryLimit) }
        self.costLimit = max(costLimit ?? .max, 0)
        mostEntries = self.entryLimit ?? min(self.costLimit, Self.largestEntryLimit)
        let entries = UInt64(mostEntries)
        refusesAll = entries == 0 || (dividesCapacity && self.costLimit == 0)
        guard dividesCapacity, costLimit != nil else {
            capacity = .entries(mostEntries)
            whole = 0
            least = 1
            return
        }
        if self.entryLimit != nil, !refusesAll {
            // As fine as 32 bits allow, and a multiple of the entry limit, so that exactly that many entries fit.
            let share = UInt64(UInt32.max) / entries
            whole = share * entries
            least = UInt32(truncatingIfNeeded: share)
        } else {
            whole = min(UInt64(self.costLimit), UInt64(UInt32.max))
            least = 1
        }
        capacity = .weight(whole)
    }

    /// The weight of an entry; `nil` when it alone is over a limit.
    ///
    /// - Parameter cost: not negative.
    @inlinable
    @inline(__always)
    func weight(of cost: Int) -> UInt32? {
        guard cost <= costLimit, !refusesAll else { return nil }
        if whole == 0 { return 1 }
        let limit = UInt64(costLimit)
        if whole == limit { return max(UInt32(truncatingIfNeeded: cost), least) }
        // At most `whole`, because the cost is at most the limit: nothing overflows.
        let product = UInt64(cost).multipliedFullWidth(by: whole)
        let (quotient, remainder) = limit.dividingFullWidth(product)
        return max(UInt32(truncatingIfNeeded: quotient &+ (remainder == 0 ? 0 : 1)), least)
    }
}
