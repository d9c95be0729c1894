/// Bounds of the clairvoyant optimum for objects of different size, which itself is hard to compute.
///
/// D. S. Berger, N. Beckmann, M. Harchol-Balter: Practical Bounds on Optimal Caching with Variable Object Sizes, POMACS
/// 2(1) (SIGMETRICS), 2018. The optimum may bypass the cache and maximises hits, each counted as 1. Between a request
/// and the next for the same object there is an interval; the next request hits exactly if the object is kept during
/// it, which takes the object's size for as many requests as the interval is long.
///
/// - ``Bound/leastMisses``, PFOO-L, is the lower bound of misses, hence the upper bound of hits: no policy misses less
///   often. It keeps the intervals that take the least size × length, and only what they take in total is limited: to
///   the capacity × the length of the trace.
/// - ``Bound/reachableMisses``, PFOO-U, is the upper bound of the optimum's misses, hence the lower bound of its hits: a
///   clairvoyant cache can do at least so well, because its decisions keep within the capacity all the time. It takes
///   the intervals in the same order and keeps those that still fit during their whole length. The authors' program
///   takes about 500,000 at once and solves each step as a flow; here a step is one interval.
///
/// The optimum is between the two. With one size, ``OptimalReplay`` with bypass is exact: on OLTP with 1,000 entries it
/// misses 423,990 times, between 416,111 and 425,350; on P3 with 32,768 entries 2,650,718 times, between 2,390,130 and
/// 2,668,900.
///
/// ```swift
/// let isHit = PracticalOptimum.hits(.leastMisses, nextRequests: next, weights: weights, capacity: .weight(bytes))
/// ```
@usableFromInline
package enum PracticalOptimum {
    /// One of the two bounds.
    @usableFromInline
    package enum Bound: Sendable, CaseIterable {
        /// PFOO-U: what a clairvoyant cache reaches.
        case reachableMisses
        /// PFOO-L: what no cache reaches.
        case leastMisses
    }

    /// Which requests hit. O(n log n).
    ///
    /// - Parameters:
    ///   - nextRequests: for each request the index of the next one for the same object; an index that is past or beyond
    ///     the last when there is none, as in ``OptimalReplay``.
    ///   - weights: the size of each request's object until the next one. Ignored where entries are counted.
    ///   - first: the first request whose hits count; no earlier one hits.
    package static func hits(
        _ bound: Bound, nextRequests: [UInt32], weights: [UInt64], capacity: PolicyCapacity, countedFrom first: Int = 0
    ) -> [Bool] {
        let budget = Budget(capacity)
        // What is kept for the first counted request is there before it.
        let start = max(first - 1, 0)
        var intervals = intervals(nextRequests, weights, budget, first, start)
        intervals.sort { ($0.cost, $0.start) < ($1.cost, $1.start) }
        var isHit = [Bool](repeating: false, count: nextRequests.count)
        switch bound {
        case .leastMisses:
            // There are as many places for intervals as there are pairs of successive requests.
            var left = UInt128(budget.limit) * UInt128(max(isHit.count - 1 - start, 0))
            for interval in intervals {
                // All that follow take at least as much.
                guard interval.cost <= left else { break }
                left -= interval.cost
                isHit[Int(nextRequests[Int(interval.start)])] = true
            }
        case .reachableMisses:
            var profile = LoadProfile(count: max(isHit.count - 1, 0))
            for interval in intervals {
                let range = Int(interval.start)..<Int(nextRequests[Int(interval.start)])
                guard profile.highest(in: range) + interval.size <= budget.limit else { continue }
                profile.add(interval.size, in: range)
                isHit[range.upperBound] = true
            }
        }
        return isHit
    }

    /// The time from a request to the next for the same object, as far as that counts.
    private struct Interval {
        let size: UInt64
        let start: UInt32
        let length: UInt32

        /// Size × length.
        var cost: UInt128 { UInt128(size) * UInt128(length) }
    }

    /// All intervals of objects that fit into the cache at all.
    private static func intervals(
        _ nextRequests: [UInt32], _ weights: [UInt64], _ budget: Budget, _ first: Int, _ start: Int
    ) -> [Interval] {
        precondition(budget.countsEntries || weights.count == nextRequests.count)
        return nextRequests.indices.compactMap { index in
            let next = Int(nextRequests[index])
            let size = budget.countsEntries ? 1 : budget.charge(weights[index])
            guard next > index, next >= first, next < nextRequests.count, budget.canEverHold(size) else { return nil }
            return Interval(size: size, start: UInt32(index), length: UInt32(next - max(index, start)))
        }
    }

    /// The name, source and advice of a bound.
    package static func declaration(of bound: Bound) -> PolicyDeclaration {
        let source = "Berger, Beckmann and Harchol-Balter, SIGMETRICS 2018"
        switch bound {
        case .leastMisses:
            return PolicyDeclaration(
                name: "pfoo-l", summary: "bound: no cache misses less often, whatever the sizes", source: source,
                agreement: "at most the exact optimum's misses on all small traces tried",
                advice: "The lower bound of misses where values have different sizes. No cache need reach it.")
        case .reachableMisses:
            return PolicyDeclaration(
                name: "pfoo-u", summary: "bound: a cache with the future requests known misses at most this often",
                source: source,
                agreement: "at least the exact optimum's misses on all small traces tried; steps of one interval",
                advice: "The misses of a schedule that is possible. The optimum is between it and pfoo-l.")
        }
    }
}

/// An amount at each of a row of places; amounts are added to ranges, and the highest of a range is found. Both cost
/// O(log of the places).
struct LoadProfile {
    /// A tree in an array: node 1 is all places, and node n has the children 2n and 2n + 1. Each node has the amount
    /// that was added to all of it, and the highest sum below it, itself included.
    private var added: [UInt64]
    private var highest: [UInt64]
    private let leaves: Int

    init(count: Int) {
        var leaves = 1
        while leaves < count { leaves *= 2 }
        self.leaves = leaves
        added = Array(repeating: 0, count: 2 * leaves)
        highest = added
    }

    /// The highest amount within a range that is not empty.
    func highest(in range: Range<Int>) -> UInt64 { highest(in: range, 1, 0..<leaves) }

    private func highest(in range: Range<Int>, _ node: Int, _ places: Range<Int>) -> UInt64 {
        if range.lowerBound <= places.lowerBound && places.upperBound <= range.upperBound { return highest[node] }
        let middle = (places.lowerBound + places.upperBound) / 2
        var found: UInt64 = 0
        if range.lowerBound < middle { found = highest(in: range, 2 * node, places.lowerBound..<middle) }
        if range.upperBound > middle {
            found = max(found, highest(in: range, 2 * node + 1, middle..<places.upperBound))
        }
        return found + added[node]
    }

    /// Adds to all amounts of a range.
    mutating func add(_ amount: UInt64, in range: Range<Int>) { add(amount, in: range, 1, 0..<leaves) }

    private mutating func add(_ amount: UInt64, in range: Range<Int>, _ node: Int, _ places: Range<Int>) {
        if range.lowerBound <= places.lowerBound && places.upperBound <= range.upperBound {
            added[node] += amount
            highest[node] += amount
            return
        }
        let middle = (places.lowerBound + places.upperBound) / 2
        if range.lowerBound < middle { add(amount, in: range, 2 * node, places.lowerBound..<middle) }
        if range.upperBound > middle { add(amount, in: range, 2 * node + 1, middle..<places.upperBound) }
        highest[node] = max(highest[2 * node], highest[2 * node + 1]) + added[node]
    }
}
