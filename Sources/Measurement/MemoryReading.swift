/// What the process holds in memory at one moment, in bytes; what can't be read is `nil`.
package struct MemoryReading: Codable, Hashable, Sendable {
    /// Allocated by the program and not freed yet. Needs jemalloc.
    package var allocatedBytes: UInt64?
    /// Allocations since the process started. Needs jemalloc.
    package var allocationCount: UInt64?
    /// Bytes allocated since the process started, freed or not, as rounded up by the allocator. Needs jemalloc.
    package var allocatedBytesTotal: UInt64?
    /// Memory of the process that is in the machine's memory.
    package var residentBytes: UInt64?
    /// The most of it at any time since the process started, or since the last ``MemoryMeter/resetPeak()``.
    package var residentBytesPeak: UInt64?

    /// A reading; what isn't given counts as not read.
    package init(
        allocatedBytes: UInt64? = nil, allocationCount: UInt64? = nil, allocatedBytesTotal: UInt64? = nil,
        residentBytes: UInt64? = nil, residentBytesPeak: UInt64? = nil
    ) {
        self.allocatedBytes = allocatedBytes
        self.allocationCount = allocationCount
        self.allocatedBytesTotal = allocatedBytesTotal
        self.residentBytes = residentBytes
        self.residentBytesPeak = residentBytesPeak
    }
}

/// Reads the memory of its own process.
package enum MemoryMeter {
    /// The name of the allocator whose figures are read, or `nil` when there are none.
    package static var allocator: String? { Jemalloc.isAllocator ? "jemalloc" : nil }

    /// What the process holds now.
    ///
    /// Freed memory that other threads keep for themselves is not counted as allocated. What other threads asked for is
    /// counted once they have ended or called ``settleThread()``. Costs about 60 microseconds and
    /// allocates one buffer of 4 KiB: read while no operation is timed.
    package static func read() -> MemoryReading {
        let heap = Jemalloc.read()
        let process = ProcessFiles.residentBytes()
        return MemoryReading(
            allocatedBytes: heap?.allocatedBytes, allocationCount: heap?.allocationCount,
            allocatedBytesTotal: heap?.allocatedBytesTotal, residentBytes: process.now,
            residentBytesPeak: process.peak)
    }

    /// Adds what the calling thread has asked for to the figures. Costs some microseconds: call it while no operation is
    /// timed.
    package static func settleThread() { Jemalloc.settleThread() }

    /// Forgets the peak, so that the next reading holds the peak from here on. Without effect where the system
    /// doesn't offer it.
    package static func resetPeak() { ProcessFiles.resetPeak() }
}
