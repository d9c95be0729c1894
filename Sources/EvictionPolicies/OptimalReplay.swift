/// The clairvoyant optimum: no policy misses less often on the same requests with the same number of entries.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966 (MIN):
/// the object whose next use is farthest away goes first. For objects of one size; with different sizes the optimum is
/// hard to compute, and this is not it.
///
/// ```swift
/// var optimum = OptimalReplay(entries: 1000, requestCount: nextRequests.count)
/// for index in nextRequests { hits += optimum.request(next: index) ? 1 : 0 }
/// ```
///
/// It needs no objects, only when each is asked for next: an object is resident at its next request exactly when that
/// point in time is still in a set from which the latest is taken to make room. A request costs O(log of the requests to
/// the base 64), mostly one step; memory is a bit for each request.
@usableFromInline
package struct OptimalReplay: ~Copyable {
    @usableFromInline
    let entries: Int
    @usableFromInline
    let requestCount: Int
    @usableFromInline
    let mayBypass: Bool
    /// When the resident objects are asked for next.
    @usableFromInline
    let nextRequests: TimeSet
    /// Resident objects that are never asked for again; any of them goes before all others.
    @usableFromInline
    var deadCount = 0
    @usableFromInline
    package var count = 0
    /// The number of requests so far.
    @usableFromInline
    var time = 0

    /// Stands for "never again".
    @inlinable
    package static var never: UInt32 { .max }

    /// An empty optimum.
    ///
    /// - Parameters:
    ///   - entries: how many objects to hold; a negative number counts as 0.
    ///   - requestCount: how many requests there will be, at most.
    ///   - mayBypass: whether an object that is asked for later than all resident ones may be passed on without being
    ///     kept. That never misses more often than the optimum that must insert; say which one a result is.
    @inlinable
    package init(entries: Int, requestCount: Int, mayBypass: Bool = false) {
        self.entries = max(entries, 0)
        self.requestCount = max(requestCount, 0)
        self.mayBypass = mayBypass
        nextRequests = TimeSet(range: self.requestCount)
    }

    /// The next request, in the order of the trace. True on a hit.
    ///
    /// - Parameter next: the index of the next request for the same object; ``never``, or any index that is past or
    ///   beyond the last, when there is none.
    @inlinable
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

    /// A request that keeps nothing on a miss. True on a hit.
    ///
    /// - Parameter next: as of ``request(next:)``.
    @inlinable
    package mutating func lookup(next: UInt32) -> Bool {
        guard nextRequests.contains(time) else {
            pass()
            return false
        }
        return request(next: next)
    }

    /// A point in time at which nothing is requested.
    @inlinable
    package mutating func pass() {
        precondition(time < requestCount)
        time &+= 1
    }

    @inlinable
    @inline(__always)
    mutating func keep(_ next: Int, isLive: Bool) {
        if isLive { nextRequests.insert(next) } else { deadCount &+= 1 }
    }

    /// Lets one object go; false when it had better be the new one, or when nothing can be held at all.
    @inlinable
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
