public import Synchronization

/// What a reader needs to find an entry: a hash table of chains, and where the entries are.
///
/// A chain begins at one of the `heads`, which the tag chooses, and goes on through `nexts`; entries are named by their
/// nodes, from 1, and 0 ends a chain. Chains and not neighbouring places, because an entry leaves a chain by one store,
/// and a reader who stands on an entry that has left still comes to the end of the chain.
///
/// A table doesn't grow. A larger one takes its place, with links of its own over the same entries, so that a reader of
/// the older one finds its chains as they were. Entries never move: they lie in blocks, each as long as all before it.
@usableFromInline
struct ConcurrentTable<Key: Hashable, Value> {
    @usableFromInline
    typealias Entry = ConcurrentEntry<Key, Value>

    @usableFromInline
    let heads: UnsafeMutablePointer<Atomic<UInt32>>
    /// The number of heads, a power of two, less 1.
    @usableFromInline
    let mask: Int
    /// By node, of which 0 is none.
    @usableFromInline
    let nexts: UnsafeMutablePointer<Atomic<UInt32>>
    /// Where the first entry of each block would be if it were of node 1.
    @usableFromInline
    let blocks: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
    /// How many entries there is room for.
    @usableFromInline
    let capacity: Int

    /// The entries of the first block.
    @inlinable
    static var firstCapacity: Int { 8 }

    /// The block of a node's place, and where it begins.
    @inlinable
    @inline(__always)
    static func block(of place: Int) -> Int { 61 &- (place | 7).leadingZeroBitCount }

    /// The place at which a block begins.
    @inlinable
    static func start(ofBlock block: Int) -> Int { block == 0 ? 0 : firstCapacity << (block - 1) }

    /// A table without links, over the entries of another one and more.
    ///
    /// - Parameter blocks: of the other table, which is not used on.
    @inlinable
    init(capacity: Int, after smaller: Self?) {
        var headCount = 8
        // Two thirds of the heads at most have an entry, on average.
        while headCount < capacity + capacity / 2 { headCount *= 2 }
        mask = headCount - 1
        heads = Self.links(headCount)
        nexts = Self.links(capacity + 1)
        self.capacity = capacity
        let count = Self.block(of: capacity - 1) + 1
        blocks = .allocate(capacity: count)
        var known = 0
        if let smaller {
            known = Self.block(of: smaller.capacity - 1) + 1
            blocks.initialize(from: smaller.blocks, count: known)
        }
        for block in known..<count {
            let start = Self.start(ofBlock: block)
            let length = min(max(start, Self.firstCapacity), capacity - start)
            let memory = UnsafeMutablePointer<Entry>.allocate(capacity: length)
            (blocks + block).initialize(to: memory - start)
        }
    }

    @inlinable
    static func links(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let links = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: count)
        for number in 0..<count { (links + number).initialize(to: Atomic(0)) }
        return links
    }

    /// Gives back the table's own memory, and not that of the entries.
    @inlinable
    func destroy() {
        heads.deallocate()
        nexts.deallocate()
        blocks.deallocate()
    }

    /// Gives back the memory of entries that hold nothing any more.
    @inlinable
    func destroyEntries() {
        for block in 0...Self.block(of: capacity - 1) { (blocks[block] + Self.start(ofBlock: block)).deallocate() }
    }

    /// The entry of a node.
    @inlinable
    @inline(__always)
    func entry(_ node: UInt32) -> UnsafeMutablePointer<Entry> {
        let place = Int(node) &- 1
        return blocks[Self.block(of: place)] + place
    }

    /// Where the chain of a tag begins.
    @inlinable
    @inline(__always)
    func head(_ tag: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> { heads + (Int(tag) & mask) }

    /// Where the node after this one is.
    @inlinable
    @inline(__always)
    func next(_ node: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> { nexts + Int(node) }

    /// The node of a key; 0 when it has none. O(1), expected.
    @inlinable
    @inline(__always)
    func node<Memory: ReaderMemory>(of key: Key, tag: UInt32, _ memory: Memory.Type) -> UInt32 {
        var node = Memory.link(head(tag))
        while node != 0 {
            let entry = entry(node)
            Memory.willRead(entry)
            if entry.pointee.tag == tag, entry.pointee.key == key { break }
            node = Memory.link(next(node))
        }
        return node
    }
}
