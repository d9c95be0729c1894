#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The number of files and connections that the process may have open.
package enum FileDescriptorLimit {
    /// Raises the soft limit to 65,536, or to the highest that the system allows; the usual 1,024 is too low for a
    /// thousand clients. If it can't be raised, it stays as it is.
    ///
    /// - Returns: the limit that now applies.
    @discardableResult
    package static func raise() -> UInt64 {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            let most = rlim_t(1 << 16)
        #else
            let resource = RLIMIT_NOFILE
            let most = rlim_t(OPEN_MAX)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        var raised = limit
        raised.rlim_cur = min(limit.rlim_max, most)
        if raised.rlim_cur > limit.rlim_cur, setrlimit(resource, &raised) == 0 { limit = raised }
        return UInt64(limit.rlim_cur)
    }
}
