public import Synchronization

/// An entry in memory that readers see.
///
/// While a reader may reach it, its key, value and tag don't change: a key's new value is in another entry. `cost` and
/// `state` are for writers alone.
@usableFromInline
struct ConcurrentEntry<Key, Value> {
    /// 1 when a reader has used the entry since the hand passed it. Touched by atomic operations alone, and so first, where
    /// its place is that of the entry: `&` of a property is an access that Thread Sanitizer takes for a write.
    @usableFromInline
    let mark: UInt8
    @usableFromInline
    var state: State
    /// The key's tag.
    @usableFromInline
    var tag: UInt32
    /// Initialised unless the entry is free.
    @usableFromInline
    var key: Key
    /// Initialised unless the entry is free.
    @usableFromInline
    var value: Value
    /// While the entry is retired or free, the next node that is so; 0 for the last.
    @usableFromInline
    var cost: Int

    /// What an entry holds.
    @frozen
    @usableFromInline
    enum State: UInt8 {
        /// Nothing.
        case free
        /// A key and a value, in the chain of its tag.
        case held
        /// The same, in no chain; a reader may still see it.
        case retired
    }

    /// Where an entry has its key, initialised or not.
    @inlinable
    @inline(__always)
    static func keyPlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Key> {
        withUnsafeMutablePointer(to: &entry.pointee.key) { $0 }
    }

    /// Where an entry has its value, initialised or not.
    @inlinable
    @inline(__always)
    static func valuePlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Value> {
        withUnsafeMutablePointer(to: &entry.pointee.value) { $0 }
    }

    /// Where an entry has its mark.
    @inlinable
    @inline(__always)
    static func markPlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Atomic<UInt8>> {
        UnsafeMutableRawPointer(entry).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
}
