public import Synchronization

/// An entry in memory that readers see.
///
/// While a reader may reach it, its key, value and tag don't change: a key's new value goes into another entry. Only
/// writers use `cost` and `state`.
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
    /// Initialised unless the entry is free.
    @usableFromInline
    var key: Key
    /// Initialised unless the entry is free.
    @usableFromInline
    var value: Value
    /// Of a retired or free entry, the next node of its list; 0 for the last.
    @usableFromInline
    var cost: Int

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
    static func keyPlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Key> {
        withUnsafeMutablePointer(to: &entry.pointee.key) { $0 }
    }

    /// The address of an entry's value, initialised or not.
    @inlinable
    @inline(__always)
    static func valuePlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Value> {
        withUnsafeMutablePointer(to: &entry.pointee.value) { $0 }
    }

    /// The address of an entry's mark.
    @inlinable
    @inline(__always)
    static func markPlace(_ entry: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Atomic<UInt8>> {
        UnsafeMutableRawPointer(entry).assumingMemoryBound(to: Atomic<UInt8>.self)
    }
}
