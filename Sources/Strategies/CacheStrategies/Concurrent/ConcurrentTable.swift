public import Synchronization

/// What a reader needs to find an entry: a hash table of chains, and the addresses of the entries.
///
/// A chain begins at one of the `heads`, which the tag selects, and continues through `nexts`. Entries are named by
/// their nodes, from 1; 0 ends a chain. The table uses chains and not open addressing, because one store unlinks an
/// entry from a chain, and a reader at an entry that was unlinked still reaches the end of the chain.
///
/// A table doesn't grow. A larger one replaces it, with its own links over the same entries, so that a reader of the
/// older one finds its chains unchanged. Entries never move: they are in blocks, each as long as all before it.
@usableFromInline
struct ConcurrentTable<Key: Hashable, Value> {
    @usableFromInline
    typealias Entry = ConcurrentEntry<Key, Value>

    @usableFromInline
    let heads: UnsafeMutablePointer<Atomic<UInt32>>
    /// The number of heads, a power of two, less 1.
    @usableFromInline
    let mask: Int
    /// The next node by node; index 0 is unused.
    @usableFromInline
    let nexts: UnsafeMutablePointer<Atomic<UInt32>>
    /// For each block, its address minus the number at which it begins, so that adding a number gives the entry's
    /// address.
    @usableFromInline
    let blocks: UnsafeMutablePointer<UnsafeMutablePointer<Entry>>
    /// The number of entries that fit.
    @usableFromInline
    let capacity: Int

    /// The number of entries in the first block.
    @inlinable
    static var firstCapacity: Int { 8 }

    /// The block of a number, which is a node less 1.
    @inlinable
    @inline(__always)
    static func block(of number: Int) -> Int { 61 &- (number | 7).leadingZeroBitCount }

    /// The number at which a block begins.
    @inlinable
    static func start(ofBlock block: Int) -> Int { block == 0 ? 0 : firstCapacity << (block - 1) }

    /// A table without links, over the entries of a smaller table and more.
    ///
    /// - Parameter smaller: the other table, which must not be used afterwards.
    @inlinable
    init(capacity: Int, after smaller: Self?) {
        var headCount = 8
        // At most two entries for three heads.
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

    /// Frees the table's own memory, but not that of the entries.
    @inlinable
    func destroy() {
        heads.deallocate()
        nexts.deallocate()
        blocks.deallocate()
    }

    /// Frees the memory of entries, which must be empty.
    @inlinable
    func destroyEntries() {
        for block in 0...Self.block(of: capacity - 1) { (blocks[block] + Self.start(ofBlock: block)).deallocate() }
    }

    /// The entry of a node.
    @inlinable
    @inline(__always)
    func entry(_ node: UInt32) -> UnsafeMutablePointer<Entry> {
        let number = Int(node) &- 1
        return blocks[Self.block(of: number)] + number
    }

    /// Where the chain of a tag begins.
    @inlinable
    @inline(__always)
    func head(_ tag: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> { heads + (Int(tag) & mask) }

    /// The address of the next node after this one.
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

/// An entry in memory that readers see.
///
/// While a reader may reach it, its key and tag don't change. A value of eight plain bytes is replaced in place, by
/// one atomic store; a key's new value of another kind goes into another entry. Only writers use `cost` and `state`.
@usableFromInline
struct ConcurrentEntry<Key, Value> {
    /// 1 when a reader has used the entry since the hand passed it. Only atomic operations touch it. It is the first
    /// property, so that its address is that of the entry: Thread Sanitizer takes `&` of a property for a write.
    @usableFromInline
    let mark: UInt8
    @usableFromInline
    var state: State
    /// The key's tag.
    @usableFromInline
    var tag: UInt32
    /// Of a retired or free entry, the next node of its list; 0 for the last.
    @usableFromInline
    var cost: Int
    /// Initialised unless the entry is free.
    @usableFromInline
    var value: Value
    /// Initialised unless the entry is free.
    @usableFromInline
    var key: Key

    /// The state of an entry.
    @frozen
    @usableFromInline
    enum State: UInt8 {
        /// Nothing.
        case free
        /// A key and a value, in the chain of its tag.
        case held
        /// A key and a value, in no chain; a reader may still see them.
        case retired
    }

    /// The address of an entry's key, initialised or not.
    @inlinable
    @inline(__always)
    static func keyAddress(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Key> {
        withUnsafeMutablePointer(to: &entry.pointee.key) { $0 }
    }

    /// The address of an entry's value, initialised or not.
    @inlinable
    @inline(__always)
    static func valueAddress(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Value> {
        withUnsafeMutablePointer(to: &entry.pointee.value) { $0 }
    }

    /// Whether a value is replaced in place: it is eight plain bytes, which are loaded and stored atomically, and has no
    /// reference that a reader could find released. Where this is specialised, it is decided at compile time.
    @inlinable
    @inline(__always)
    static var isWord: Bool {
        MemoryLayout<Value>.size == 8 && MemoryLayout<Value>.alignment <= 8 && _isPOD(Value.self)
    }

    /// The address of an entry's value where it is a word: 16 bytes behind the entry's. It is computed because Thread
    /// Sanitizer takes `&` of a property for a write.
    @inlinable
    @inline(__always)
    static func wordAddress(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (UnsafeMutableRawPointer(entry) + 16).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The address of an entry's mark.
    @inlinable
    @inline(__always)
    static func markAddress(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Atomic<UInt8>> {
        UnsafeMutableRawPointer(entry).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
}
