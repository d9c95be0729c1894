/// Allocates large zeroed tables.
package enum ZeroedMemory {
    /// From this size on, memory is allocated in huge pages where the system has them: a table is accessed at random,
    /// and a page fault for every 4 KiB takes longer than filling the table.
    private static let hugePageByteCount = 2 << 20

    /// Zeroed memory, aligned to at least 64 bytes; free it with `free`. `nil` when memory is exhausted.
    package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
        #if os(Linux)
            if byteCount >= hugePageByteCount {
                var memory: UnsafeMutableRawPointer?
                guard posix_memalign(&memory, hugePageByteCount, byteCount) == 0, let memory else { return nil }
                // Advice only: the memory is valid without huge pages too.
                madvise(memory, byteCount, MADV_HUGEPAGE)
                memset(memory, 0, byteCount)
                return memory
            }
        #endif
        return calloc(1, byteCount)
    }
}
