public import CReaders
import Locks
public import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where threads announce what they read: a word for each thread, 128 bytes from the next, so that no two threads write
/// to a cache line (processors fetch lines in pairs).
///
/// One for the process. A place belongs to a thread until that ends, and then to one that begins later; there are never
/// more than threads were at a time, and none is given back.
///
/// A word has the number of the shard that the thread reads in its lower 24 bits, 0 when it reads none, and above it how
/// often the thread has left a shard. So a writer waits for readers of its own shard alone, and a reader that has left
/// and come again is not the one that it waits for.
@usableFromInline
package final class ReaderPlaces: @unchecked Sendable {
    // Sound although unchecked: `first` is atomic; a place's `next` is set before it is in the list and never after; its
    // `isTaken`, and who changes the list, are guarded by `lock`.
    /// A thread's word, in a list of all.
    @usableFromInline
    package struct Place: ~Copyable {
        @usableFromInline
        let word = Atomic<UInt64>(0)
        @usableFromInline
        let next: UnsafeMutablePointer<Place>?
        var isTaken = true

        init(next: UnsafeMutablePointer<Place>?) { self.next = next }
    }

    /// What an announcement is stored in.
    @usableFromInline
    package typealias Announcement = UnsafeMutablePointer<Atomic<UInt64>>

    /// The places of this process.
    @usableFromInline
    package static let shared = ReaderPlaces()

    /// The bits of a word that name a shard.
    @inlinable
    static var shardMask: UInt64 { (1 << 24) - 1 }

    private let lock = Lock()
    private let first = Atomic<UInt>(0)
    private let lastShard = Atomic<UInt64>(0)
    private var key = pthread_key_t()

    private init() {
        let status = pthread_key_create(&key) { (place: UnsafeMutableRawPointer?) in
            if let place { ReaderPlaces.shared.giveBack(place) }
        }
        precondition(status == 0, "pthread_key_create failed with error \(status)")
    }

    /// A number for a shard. After 16 million of them they come again, and two shards wait for each other's readers.
    func nextShard() -> UInt64 {
        lastShard.wrappingAdd(1, ordering: .relaxed).newValue % Self.shardMask + 1
    }

    /// The calling thread's place.
    @inlinable
    @inline(__always)
    package static var own: Announcement {
        if let place = cache_trials_own_place() { return place.assumingMemoryBound(to: Atomic<UInt64>.self) }
        return shared.take()
    }

    /// Gives the calling thread a place.
    @usableFromInline
    @inline(never)
    func take() -> Announcement {
        lock.lock()
        defer { lock.unlock() }
        var free = list
        while let place = free, place.pointee.isTaken { free = place.pointee.next }
        let place = free ?? add()
        place.pointee.isTaken = true
        // Whatever the value is, the function above is called with it when the thread ends.
        pthread_setspecific(key, place)
        cache_trials_set_own_place(place)
        return UnsafeMutableRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// A new place, in the list. The lock is held.
    private func add() -> UnsafeMutablePointer<Place> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        let place = memory.bindMemory(to: Place.self, capacity: 1)
        place.initialize(to: Place(next: list))
        // Sequentially consistent, as announcements are: a writer whose look at the list comes before it has changed its
        // links before the thread's first announcement.
        first.store(UInt(bitPattern: memory), ordering: .sequentiallyConsistent)
        return place
    }

    /// All places, linked.
    @usableFromInline
    package var list: UnsafeMutablePointer<Place>? {
        UnsafeMutablePointer(bitPattern: first.load(ordering: .sequentiallyConsistent))
    }

    /// A thread has ended.
    private func giveBack(_ memory: UnsafeMutableRawPointer) {
        cache_trials_set_own_place(nil)
        lock.lock()
        memory.assumingMemoryBound(to: Place.self).pointee.isTaken = false
        lock.unlock()
    }

    /// How many places there are, taken or not. O(n).
    package var count: Int {
        var (count, place) = (0, list)
        while let found = place {
            count += 1
            place = found.pointee.next
        }
        return count
    }
}

extension ReaderPlaces.Place {
    /// Where a place's word is, which comes first in it.
    @usableFromInline
    static func announcement(_ place: UnsafeMutablePointer<Self>) -> ReaderPlaces.Announcement {
        UnsafeMutableRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
