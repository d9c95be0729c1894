public import CReaders
public import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Every access of a ``ConcurrentShard`` to memory that threads share without a lock.
///
/// There is one implementation, ``DirectMemory``, in which each is an atomic operation with the order that it needs. Tests
/// have others: one stops at every access, so that all orders of them can be tried, and some leave one out.
///
/// A reader announces itself, follows links, takes a value, marks it and leaves. A writer changes links, looks who reads,
/// and takes memory again that nobody can reach. Between them stands one question: can a reader that the writer did not
/// see follow a link that the writer has changed before? It can't, because four accesses are in the one order of all
/// sequentially consistent ones (C++ draft, [atomics.order]): the reader stores its announcement, then loads links; the
/// writer stores links, then loads announcements. A writer that misses the announcement looked before it was stored, so
/// that the reader's loads find the links as the writer left them.
@usableFromInline
package protocol ReaderMemory: SendableMetatype {
    typealias Announcement = UnsafeMutablePointer<Atomic<UInt64>>
    typealias Link = UnsafeMutablePointer<Atomic<UInt32>>
    typealias Root = UnsafeMutablePointer<Atomic<UInt>>
    typealias Mark = UnsafeMutablePointer<Atomic<UInt8>>

    /// A reader's own announcement.
    static func ownAnnouncement(_ place: Announcement) -> UInt64
    /// A reader says which shard it reads.
    static func announce(_ word: UInt64, _ place: Announcement)
    /// A reader says that it holds nothing any more but what it has retained.
    static func leave(_ word: UInt64, _ place: Announcement)
    /// A writer looks what a reader has announced.
    static func announcement(_ place: Announcement) -> UInt64

    /// Where the shard's table is.
    static func root(_ place: Root) -> UInt
    /// Puts another table in its place.
    static func setRoot(_ root: UInt, _ place: Root)
    /// The number of the next entry of a chain, or 0.
    static func link(_ place: Link) -> UInt32
    /// Links an entry, or takes one out of its chain.
    static func setLink(_ node: UInt32, _ place: Link)

    /// Whether an entry was used since the hand passed it.
    static func isMarked(_ place: Mark) -> Bool
    static func setMark(_ isMarked: Bool, _ place: Mark)

    /// Comes before a reader or a writer looks at an entry's key or value, which takes no atomic operation.
    static func willRead(_ entry: UnsafeRawPointer)
    /// Comes before a writer fills or empties an entry.
    static func willChange(_ entry: UnsafeRawPointer)
    /// A writer lets others go on, before it looks again who reads.
    static func wait()
}

/// The memory itself.
@usableFromInline
package enum DirectMemory: ReaderMemory {
    // Relaxed: nobody else stores here while the thread lives.
    @inlinable
    @inline(__always)
    package static func ownAnnouncement(_ place: Announcement) -> UInt64 { place.pointee.load(ordering: .relaxed) }

    // Sequentially consistent: no link may be loaded before this is stored; see the protocol. A load after a store is what
    // weaker orders, and the processors' store buffers, let pass.
    @inlinable
    @inline(__always)
    package static func announce(_ word: UInt64, _ place: Announcement) {
        place.pointee.store(word, ordering: .sequentiallyConsistent)
    }

    // Releasing: a writer that sees it finds all done that the reader did with the entry, the retain of its value as well.
    // That it may be seen late delays the writer, and nothing else.
    @inlinable
    @inline(__always)
    package static func leave(_ word: UInt64, _ place: Announcement) {
        cache_trials_hold_order()
        place.pointee.store(word, ordering: .releasing)
    }

    // Sequentially consistent: it comes after the stores of links in the one order; see the protocol. It acquires what a
    // reader that has left did before.
    @inlinable
    @inline(__always)
    package static func announcement(_ place: Announcement) -> UInt64 {
        place.pointee.load(ordering: .sequentiallyConsistent)
    }

    // Sequentially consistent: it comes after the announcement in the one order. It acquires the table's content.
    @inlinable
    @inline(__always)
    package static func root(_ place: Root) -> UInt { place.pointee.load(ordering: .sequentiallyConsistent) }

    // Sequentially consistent: it comes before the writer's loads of announcements. It releases the table's content.
    @inlinable
    @inline(__always)
    package static func setRoot(_ root: UInt, _ place: Root) {
        place.pointee.store(root, ordering: .sequentiallyConsistent)
    }

    // Sequentially consistent: it comes after the announcement in the one order. It acquires the entry's key and value.
    // Where processors order loads by themselves, as x86 does, it is a plain load.
    @inlinable
    @inline(__always)
    package static func link(_ place: Link) -> UInt32 { place.pointee.load(ordering: .sequentiallyConsistent) }

    // Sequentially consistent: what is taken out of a chain is out before the writer loads announcements. It releases the
    // key and value of an entry that is linked.
    @inlinable
    @inline(__always)
    package static func setLink(_ node: UInt32, _ place: Link) {
        place.pointee.store(node, ordering: .sequentiallyConsistent)
    }

    // Relaxed: a mark says nothing about other memory. One that is seen late, or lost where a reader sets it while the hand
    // clears it, makes an entry go a round earlier or later.
    @inlinable
    @inline(__always)
    package static func isMarked(_ place: Mark) -> Bool { place.pointee.load(ordering: .relaxed) != 0 }

    // Relaxed, as above. A reader has it behind itself when it leaves, so that no mark comes to the entry's next key.
    @inlinable
    @inline(__always)
    package static func setMark(_ isMarked: Bool, _ place: Mark) {
        place.pointee.store(isMarked ? 1 : 0, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package static func willRead(_ entry: UnsafeRawPointer) {
        // For tests alone.
    }

    @inlinable
    @inline(__always)
    package static func willChange(_ entry: UnsafeRawPointer) {
        // For tests alone.
    }

    @usableFromInline
    package static func wait() { _ = sched_yield() }
}
