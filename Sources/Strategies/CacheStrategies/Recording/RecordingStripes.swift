public import Locks
public import Platform

/// The buffers for callers' requests: 16 stripes, each with its own lock, so that two threads seldom contend.
///
/// A thread always uses the same stripe. Times are read inside the lock: when the stripes were emptied after a moment,
/// no request older than that moment can follow, and so the requests of all threads can be put in order.
@usableFromInline
final class RecordingStripes<Key: Sendable>: @unchecked Sendable {
    // Sound although unchecked: a stripe is touched only while its lock is held; the locks never change.
    @usableFromInline
    struct Stripe {
        @usableFromInline
        var requests = ContiguousArray<RecordedRequest<Key>>()
        @usableFromInline
        var lostCount: UInt64 = 0
        @usableFromInline
        var isOpen = true
        // Two stripes must not share a cache line.
        @usableFromInline
        var padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

        @inlinable
        init() {}
    }

    @usableFromInline
    let stripes: UnsafeMutablePointer<Stripe>
    /// Outside the stripes: taking a lock must not be an access to what it guards.
    @usableFromInline
    let locks: UnsafeMutablePointer<Lock>

    @inlinable
    static var stripeCount: Int { 16 }
    /// This many requests in a stripe wake the writer.
    @inlinable
    static var wakeCount: Int { 4096 }
    /// The most requests that wait in a stripe; more are lost, because callers must never wait for a disk.
    @inlinable
    static var mostCount: Int { 1 << 16 }

    @inlinable
    init() {
        stripes = .allocate(capacity: Self.stripeCount)
        locks = .allocate(capacity: Self.stripeCount)
        for number in 0..<Self.stripeCount {
            (stripes + number).initialize(to: Stripe())
            (locks + number).initialize(to: Lock())
        }
    }

    @inlinable
    deinit {
        for number in 0..<Self.stripeCount { locks[number].destroy() }
        locks.deinitialize(count: Self.stripeCount)
        locks.deallocate()
        stripes.deinitialize(count: Self.stripeCount)
        stripes.deallocate()
    }

    /// Adds a request. O(1), amortised.
    ///
    /// - Returns: whether the writer should be woken.
    @inlinable
    @inline(__always)
    func add(_ key: Key, size: UInt64, kind: RecordedRequest<Key>.Kind) -> Bool {
        let number = Self.stripeOfThisThread
        let stripe = stripes + number
        locks[number].lock()
        defer { locks[number].unlock() }
        guard stripe.pointee.isOpen else { return false }
        let count = stripe.pointee.requests.count
        guard count < Self.mostCount else {
            stripe.pointee.lostCount &+= 1
            return false
        }
        stripe.pointee.requests.append(
            RecordedRequest(nanoseconds: Nanoclock.now(), key: key, size: size, kind: kind))
        return count &+ 1 == Self.wakeCount
    }

    /// Takes all requests, in no order. O(requests).
    ///
    /// - Parameter usedStripes: which stripes had requests the last time; one for each.
    func takeAll(into requests: inout ContiguousArray<RecordedRequest<Key>>, usedStripes: inout [Bool]) {
        for number in 0..<Self.stripeCount {
            let stripe = stripes + number
            var taken = ContiguousArray<RecordedRequest<Key>>()
            // Allocated here and not by a caller inside the lock. Stripes without callers take no memory.
            if usedStripes[number] { taken.reserveCapacity(Self.wakeCount * 2) }
            locks[number].lock()
            swap(&taken, &stripe.pointee.requests)
            locks[number].unlock()
            usedStripes[number] = !taken.isEmpty
            requests.append(contentsOf: taken)
        }
    }

    /// Accepts no more requests, and drops those that wait when `keepsRequests` is false.
    func close(keepingRequests keepsRequests: Bool) {
        for number in 0..<Self.stripeCount {
            let stripe = stripes + number
            var dropped = ContiguousArray<RecordedRequest<Key>>()
            locks[number].lock()
            stripe.pointee.isOpen = false
            if !keepsRequests { swap(&dropped, &stripe.pointee.requests) }
            locks[number].unlock()
            withExtendedLifetime(dropped) {}
        }
    }

    /// Requests that were lost because they came faster than they could be written.
    var lostCount: UInt64 {
        (0..<Self.stripeCount).reduce(0) { sum, number in
            let stripe = stripes + number
            locks[number].lock()
            defer { locks[number].unlock() }
            return sum &+ stripe.pointee.lostCount
        }
    }

    @inlinable
    @inline(__always)
    static var stripeOfThisThread: Int {
        // Threads' numbers are addresses and differ in their middle bits; the product brings them to the top.
        Int(truncatingIfNeeded: (threadNumber() &* 0x9E37_79B9_7F4A_7C15) >> 60)
    }
}
