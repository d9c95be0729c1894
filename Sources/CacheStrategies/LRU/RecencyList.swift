/// The order of use: a ring of node numbers, linked both ways, and a chain of the numbers that are free.
///
/// Number 0 is the ring's joint, never a node: what follows it was used last, what precedes it is next to go. Links
/// are numbers and not references, so that moving a node costs no retain and no release. All operations cost O(1).
@usableFromInline
struct RecencyList {
    /// A node's neighbours; of a free node only `next` counts, the next free one.
    @usableFromInline
    struct Links {
        @usableFromInline
        var previous: UInt32
        @usableFromInline
        var next: UInt32

        @inlinable
        init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
        }
    }

    @usableFromInline
    var links: UnsafeMutablePointer<Links>
    /// How many nodes there is room for, without the joint.
    @usableFromInline
    var capacity: Int
    /// The first free node; 0 when all are taken.
    @usableFromInline
    var firstFree: UInt32

    /// An empty ring. ``destroy()`` must follow, once.
    @inlinable
    init(capacity: Int) {
        links = .allocate(capacity: capacity + 1)
        links.initialize(to: Links(previous: 0, next: 0))
        self.capacity = 0
        firstFree = 0
        addFreeNodes(upTo: capacity)
    }

    /// Gives the memory back.
    @inlinable
    func destroy() {
        links.deallocate()
    }

    /// The node used last; 0 when there is none.
    @inlinable
    var newest: UInt32 { links[0].next }

    /// The node whose last use is longest ago; 0 when there is none.
    @inlinable
    var oldest: UInt32 { links[0].previous }

    /// A free node, to be linked by ``linkNewest(_:)``; there must be one.
    @inlinable
    @inline(__always)
    mutating func takeFree() -> UInt32 {
        let node = firstFree
        firstFree = links[Int(node)].next
        return node
    }

    /// Gives back a node that is not in the ring.
    @inlinable
    @inline(__always)
    mutating func free(_ node: UInt32) {
        links[Int(node)] = Links(previous: 0, next: firstFree)
        firstFree = node
    }

    /// Puts a node that is not in the ring before all others.
    @inlinable
    @inline(__always)
    func linkNewest(_ node: UInt32) {
        let follower = links[0].next
        links[Int(node)] = Links(previous: 0, next: follower)
        links[Int(follower)].previous = node
        links[0].next = node
    }

    /// Takes a node out of the ring.
    @inlinable
    @inline(__always)
    func unlink(_ node: UInt32) {
        let own = links[Int(node)]
        links[Int(own.previous)].next = own.next
        links[Int(own.next)].previous = own.previous
    }

    /// Notes that a node was used.
    @inlinable
    @inline(__always)
    func moveToNewest(_ node: UInt32) {
        if links[0].next == node { return }
        unlink(node)
        linkNewest(node)
    }

    /// Makes room for `larger` nodes in all; they are free. Costs O(`larger`).
    @inlinable
    mutating func grow(to larger: Int) {
        let moved = UnsafeMutablePointer<Links>.allocate(capacity: larger + 1)
        moved.moveInitialize(from: links, count: capacity + 1)
        links.deallocate()
        links = moved
        addFreeNodes(upTo: larger)
    }

    /// Chains the nodes after `capacity` so that the lowest is taken first.
    @inlinable
    mutating func addFreeNodes(upTo larger: Int) {
        var node = larger
        while node > capacity {
            (links + node).initialize(to: Links(previous: 0, next: firstFree))
            firstFree = UInt32(truncatingIfNeeded: node)
            node -= 1
        }
        capacity = larger
    }
}
