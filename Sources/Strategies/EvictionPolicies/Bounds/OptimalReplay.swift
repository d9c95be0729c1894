/// The clairvoyant optimum: no policy has fewer misses on the same requests with the same number of entries.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966
/// (MIN): evicts the object whose next use is farthest away. For objects of one size; with different sizes the
/// optimum is hard to compute, and this is not it.
///
/// ```swift
/// var optimum = OptimalReplay(entries: 1000, requestCount: nextRequests.count)
/// for index in nextRequests { hits += optimum.request(next: index) ? 1 : 0 }
/// ```
///
/// It needs no objects, only the time of the next request for each: an object is resident at its next request exactly
/// when that time is still in a set. The latest time is removed from the set to make room. A request costs O(log of
/// the requests to the base 64), mostly one step; memory is one bit for each request.
package struct OptimalReplay: ~Copyable {
    let entries: Int
    let requestCount: Int
    let mayBypass: Bool
    /// The times of the next requests for the resident objects.
    let nextRequests: TimeSet
    /// The number of resident objects that are never requested again; they are evicted before all others.
    var deadCount = 0
    package var count = 0
    /// The number of requests so far.
    var time = 0

    /// Means "never again".
    package static var never: UInt32 { .max }

    /// An empty optimum.
    ///
    /// - Parameters:
    ///   - entries: the number of objects to hold; a negative number counts as 0.
    ///   - requestCount: the maximum number of requests.
    ///   - mayBypass: whether a requested object need not be kept if its next request is later than those of all
    ///     resident objects. With bypass there are never more misses than in the optimum that must insert; state
    ///     which one a result is from.
    package init(entries: Int, requestCount: Int, mayBypass: Bool = false) {
        self.entries = max(entries, 0)
        self.requestCount = max(requestCount, 0)
        self.mayBypass = mayBypass
        nextRequests = TimeSet(range: self.requestCount)
    }

    /// Processes the next request, in the order of the trace. True on a hit.
    ///
    /// - Parameter next: the index of the next request for the same object; ``never``, or any index that is past or
    ///   beyond the last, when there is none.
    @inline(__always)
    package mutating func request(next: UInt32) -> Bool {
        let now = time
        precondition(now < requestCount)
        time = now &+ 1
        let isLive = Int(next) > now && Int(next) < requestCount
        if nextRequests.contains(now) {
            nextRequests.remove(now)
            keep(Int(next), isLive: isLive)
            return true
        }
        if count == entries {
            guard makeRoom(for: Int(next), isLive: isLive) else { return false }
        } else {
            count &+= 1
        }
        keep(Int(next), isLive: isLive)
        return false
    }

    /// Advances the time without a request.
    package mutating func pass() {
        precondition(time < requestCount)
        time &+= 1
    }

    @inline(__always)
    mutating func keep(_ next: Int, isLive: Bool) {
        if isLive { nextRequests.insert(next) } else { deadCount &+= 1 }
    }

    /// Evicts one object; false when the new object should not be kept, or when there is no capacity at all.
    @inline(__always)
    mutating func makeRoom(for next: Int, isLive: Bool) -> Bool {
        if entries == 0 || (mayBypass && !isLive) { return false }
        if deadCount > 0 {
            deadCount &-= 1
            return true
        }
        let latest = nextRequests.latest()
        if mayBypass && latest < next { return false }
        nextRequests.remove(latest)
        return true
    }
}

extension OptimalReplay {
    /// Which requests hit.
    ///
    /// - Parameters:
    ///   - nextRequests: for each request as in ``request(next:)``.
    ///   - first: the first request whose hits count. As many as possible of those from it on hit, and no earlier one.
    package static func hits(_ nextRequests: [UInt32], entries: Int, countedFrom first: Int = 0) -> [Bool] {
        var optimum = OptimalReplay(entries: entries, requestCount: nextRequests.count)
        return nextRequests.map { optimum.request(next: $0 < first ? never : $0) }
    }

    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "optimal", summary: "bound: evicts the object whose next use is farthest in the future (Belady)",
            source: "Belady, IBM Systems Journal 5(2), 1966",
            agreement: "libcachesim 0.3.5 and the Caffeine simulator, to the last miss",
            advice:
                "No policy that must insert has fewer misses. For entries only; values of different size have other bounds."
        )
    }
}
