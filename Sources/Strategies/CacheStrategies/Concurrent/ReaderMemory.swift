public import CReaders
import Platform
public import Synchronization

/// Every access of a ``ConcurrentShard`` to memory that threads share without a lock.
///
/// The one implementation for production is ``DirectMemory``: each access is an atomic operation with the order that it
/// needs. Tests have others: one stops at every access, so that all orders can be tried, and some leave one access out.
///
/// A reader announces itself, follows links, takes a value, marks it and leaves. A writer changes links, checks which
/// threads read, and reuses memory that no reader can reach. One question decides whether this is safe: can a reader
/// that the writer did not see follow a link that the writer changed before? It can't, because four accesses are in the
/// single total order of all sequentially consistent operations (C++ draft, [atomics.order]): the reader stores its
/// announcement, then loads links; the writer stores links, then loads announcements. A writer that misses the
/// announcement loaded it before it was stored, so the reader's loads find the links as the writer left them.
@usableFromInline
package protocol ReaderMemory: SendableMetatype {
    typealias Announcement = UnsafeMutablePointer<Atomic<UInt64>>
    typealias Link = UnsafeMutablePointer<Atomic<UInt32>>
    typealias Root = UnsafeMutablePointer<Atomic<UInt>>
    typealias Mark = UnsafeMutablePointer<Atomic<UInt8>>
    typealias Word = UnsafeMutablePointer<Atomic<UInt64>>

    /// A reader's own announcement.
    static func ownAnnouncement(_ place: Announcement) -> UInt64
    /// A reader announces the shard that it reads.
    static func announce(_ word: UInt64, _ place: Announcement)
    /// A reader announces that it no longer uses anything except what it has retained.
    static func leave(_ word: UInt64, _ place: Announcement)
    /// A writer loads a reader's announcement.
    static func announcement(_ place: Announcement) -> UInt64

    /// The address of the shard's table.
    static func root(_ address: Root) -> UInt
    /// Replaces the table by another one.
    static func setRoot(_ root: UInt, _ address: Root)
    /// The number of the next entry of a chain, or 0.
    static func link(_ address: Link) -> UInt32
    /// Links an entry, or unlinks one from its chain.
    static func setLink(_ node: UInt32, _ address: Link)

    /// A value of eight plain bytes, which a writer may replace meanwhile.
    static func word(_ address: Word) -> UInt64
    /// Replaces a value of eight plain bytes.
    static func setWord(_ word: UInt64, _ address: Word)

    /// Whether an entry was used since the hand passed it.
    static func isMarked(_ address: Mark) -> Bool
    static func setMark(_ isMarked: Bool, _ address: Mark)

    /// Called before a reader or a writer accesses an entry's key or value, which takes no atomic operation.
    static func willRead(_ entry: UnsafeRawPointer)
    /// Called before a writer fills or empties an entry.
    static func willChange(_ entry: UnsafeRawPointer)
    /// A writer yields to other threads before it checks again which of them read.
    static func wait()
}

/// The memory itself.
@usableFromInline
package enum DirectMemory: ReaderMemory {
    // Relaxed: no other thread stores here while this one lives.
    @inlinable
    @inline(__always)
    package static func ownAnnouncement(_ place: Announcement) -> UInt64 { place.pointee.load(ordering: .relaxed) }

    // Sequentially consistent: no link may be loaded before this is stored; see the protocol. Weaker orders, and the
    // processors' store buffers, allow a later load to overtake the store.
    @inlinable
    @inline(__always)
    package static func announce(_ word: UInt64, _ place: Announcement) {
        place.pointee.store(word, ordering: .sequentiallyConsistent)
    }

    // Releasing: a writer that sees it also sees all that the reader did with the entry, including the retain of its
    // value. If it is seen late, only the writer is delayed.
    @inlinable
    @inline(__always)
    package static func leave(_ word: UInt64, _ place: Announcement) {
        cache_trials_hold_order()
        place.pointee.store(word, ordering: .releasing)
    }

    // Sequentially consistent: it comes after the stores of links in the total order; see the protocol. It acquires
    // what a reader that has left did before.
    @inlinable
    @inline(__always)
    package static func announcement(_ place: Announcement) -> UInt64 {
        place.pointee.load(ordering: .sequentiallyConsistent)
    }

    // Sequentially consistent: it comes after the announcement in the total order. It acquires the table's content.
    @inlinable
    @inline(__always)
    package static func root(_ address: Root) -> UInt { address.pointee.load(ordering: .sequentiallyConsistent) }

    // Sequentially consistent: it comes before the writer's loads of announcements. It releases the table's content.
    @inlinable
    @inline(__always)
    package static func setRoot(_ root: UInt, _ address: Root) {
        address.pointee.store(root, ordering: .sequentiallyConsistent)
    }

    // Sequentially consistent: it comes after the announcement in the total order. It acquires the entry's key and
    // value. On processors that order loads themselves, such as x86, it is a plain load.
    @inlinable
    @inline(__always)
    package static func link(_ address: Link) -> UInt32 { address.pointee.load(ordering: .sequentiallyConsistent) }

    // Sequentially consistent: an entry is unlinked before the writer loads announcements. It releases the key and
    // value of an entry that is linked.
    @inlinable
    @inline(__always)
    package static func setLink(_ node: UInt32, _ address: Link) {
        address.pointee.store(node, ordering: .sequentiallyConsistent)
    }

    // Sequentially consistent, as links are: a reader finds every value that was written before it announced itself.
    // Plain bytes refer to no other memory.
    @inlinable
    @inline(__always)
    package static func word(_ address: Word) -> UInt64 { address.pointee.load(ordering: .sequentiallyConsistent) }

    // Sequentially consistent, as links are.
    @inlinable
    @inline(__always)
    package static func setWord(_ word: UInt64, _ address: Word) {
        address.pointee.store(word, ordering: .sequentiallyConsistent)
    }

    // Relaxed: a mark says nothing about other memory. A mark that is seen late, or lost because a reader sets it while
    // the hand clears it, only evicts an entry a round earlier or later.
    @inlinable
    @inline(__always)
    package static func isMarked(_ address: Mark) -> Bool { address.pointee.load(ordering: .relaxed) != 0 }

    // Relaxed, as above. A reader sets the mark before it leaves, so that no mark reaches the entry's next key.
    @inlinable
    @inline(__always)
    package static func setMark(_ isMarked: Bool, _ address: Mark) {
        address.pointee.store(isMarked ? 1 : 0, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package static func willRead(_ entry: UnsafeRawPointer) {
        // Only for tests.
    }

    @inlinable
    @inline(__always)
    package static func willChange(_ entry: UnsafeRawPointer) {
        // Only for tests.
    }

    @usableFromInline
    package static func wait() { _ = sched_yield() }
}
