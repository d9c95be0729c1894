// A file that imports this module has the C library of the system, whatever its name is there.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif

/// Whether this is a system of Apple, with its kernel and its own Foundation.
package var isDarwin: Bool {
    #if canImport(Darwin)
        true
    #else
        false
    #endif
}
