/// A number that no other living thread has.
@inlinable
@inline(__always)
package func threadNumber() -> UInt64 {
    #if canImport(Darwin)
        UInt64(UInt(bitPattern: pthread_self()))
    #else
        UInt64(pthread_self())
    #endif
}

/// Makes a waiting writer go before later readers, which otherwise could keep it out forever, where the system does not
/// do so anyway.
@usableFromInline
package func preferWriters(_ attributes: inout pthread_rwlockattr_t) {
    #if canImport(Glibc)
        pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    #endif
}
