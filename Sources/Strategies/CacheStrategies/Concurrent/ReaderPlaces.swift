public import CReaders
import Locks
import Platform
public import Synchronization

/// The words in which threads announce what they read: one for each thread, 128 bytes from the next, so that no two
/// threads write to one cache line (processors fetch lines in pairs).
///
/// There is one instance for the process. A place belongs to a thread until the thread ends, and then to a later
/// thread. There are never more places than threads existed at one time, and no place is freed.
///
/// The lower 24 bits of a word are the number of the shard that the thread reads, 0 when it reads none. The upper bits
/// count how often the thread has left a shard. So a writer waits for readers of its own shard alone, and a reader that
/// has left and come back is not mistaken for the one that the writer waits for.
@usableFromInline
package final class ReaderPlaces: @unchecked Sendable {
    // Sound although unchecked: `first` is atomic; a place's `next` is set before the place is in the list and never
    // after; its `isTaken`, and changes of the list, are guarded by `lock`.
    /// A thread's word, in a list of all.
    @usableFromInline
    package struct Place: ~Copyable {
        @usableFromInline
        let word = Atomic<UInt64>(0)
        @usableFromInline
        let next: UnsafeMutablePointer<Place>?
        /// Counts the places from 0.
        @usableFromInline
        let number: Int
        var isTaken = true

        init(next: UnsafeMutablePointer<Place>?, number: Int) { (self.next, self.number) = (next, number) }
    }

    /// The word in which an announcement is stored.
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

    /// A number for a shard. After 16 million numbers they repeat, and two shards wait for each other's readers.
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

    /// The number of the calling thread's place: no other thread has it until this one has ended, and it is below the most
    /// threads that there were at one time.
    @inlinable
    @inline(__always)
    package static var ownNumber: Int {
        UnsafeMutableRawPointer(own).assumingMemoryBound(to: Place.self).pointee.number
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
        // With any value set, the destructor above is called when the thread ends.
        pthread_setspecific(key, place)
        cache_trials_set_own_place(place)
        return UnsafeMutableRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Adds a new place to the list. The caller holds the lock.
    private func add() -> UnsafeMutablePointer<Place> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        let place = memory.bindMemory(to: Place.self, capacity: 1)
        place.initialize(to: Place(next: list, number: list.map { $0.pointee.number + 1 } ?? 0))
        // Sequentially consistent, as announcements are: if a writer reads the list before this store, it has changed
        // its links before the thread's first announcement.
        first.store(UInt(bitPattern: memory), ordering: .sequentiallyConsistent)
        return place
    }

    /// All places, linked.
    @usableFromInline
    package var list: UnsafeMutablePointer<Place>? {
        UnsafeMutablePointer(bitPattern: first.load(ordering: .sequentiallyConsistent))
    }

    /// Releases the place of a thread that has ended.
    private func giveBack(_ memory: UnsafeMutableRawPointer) {
        cache_trials_set_own_place(nil)
        lock.lock()
        memory.assumingMemoryBound(to: Place.self).pointee.isTaken = false
        lock.unlock()
    }

    /// The number of places, taken or not. O(n).
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
    /// The address of a place's word, which is its first property.
    @usableFromInline
    static func announcement(_ place: UnsafeMutablePointer<Self>) -> ReaderPlaces.Announcement {
        UnsafeMutableRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
