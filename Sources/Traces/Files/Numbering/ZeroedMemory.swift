import Foundation

/// Large tables of zeroes.
enum ZeroedMemory {
    /// From this size on, memory is asked for in huge pages where the system has them: a table is touched all over
    /// the place, and a page fault for every 4 KiB takes longer than filling the table.
    private static let hugePageByteCount = 2 << 20

    /// Zeroes, aligned to 64 bytes at least; to be given back with `free`. `nil` when there is no memory.
    static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
        #if os(Linux)
            if byteCount >= hugePageByteCount {
                var memory: UnsafeMutableRawPointer?
                guard posix_memalign(&memory, hugePageByteCount, byteCount) == 0, let memory else { return nil }
                // Advice only: without huge pages the memory is as good.
                madvise(memory, byteCount, MADV_HUGEPAGE)
                memset(memory, 0, byteCount)
                return memory
            }
        #endif
        return calloc(1, byteCount)
    }
}
