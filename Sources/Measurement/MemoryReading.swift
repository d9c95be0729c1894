/// The memory of the process at one moment, in bytes; values that cannot be read are `nil`.
package struct MemoryReading: Codable, Hashable, Sendable {
    /// Bytes allocated and not yet freed. Needs jemalloc.
    package var allocatedBytes: UInt64?
    /// Allocations since the process started. Needs jemalloc.
    package var allocationCount: UInt64?
    /// Bytes allocated since the process started, freed or not, as rounded up by the allocator. Needs jemalloc.
    package var allocatedBytesTotal: UInt64?
    /// The resident memory of the process.
    package var residentBytes: UInt64?
    /// The peak of the resident memory since the process started, or since the last ``MemoryMeter/resetPeak()``.
    package var residentBytesPeak: UInt64?

    /// Creates a reading; omitted values count as not read.
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

    /// Reads the current memory of the process.
    ///
    /// Freed memory in the caches of other threads does not count as allocated. Requests of other threads count once
    /// the thread has ended or called ``settleThread()``. Costs about 60 microseconds and allocates one buffer of 4
    /// KiB, so read only while no operation is timed.
    package static func read() -> MemoryReading {
        let heap = Jemalloc.read()
        let process = ProcessFiles.residentBytes()
        return MemoryReading(
            allocatedBytes: heap?.allocatedBytes, allocationCount: heap?.allocationCount,
            allocatedBytesTotal: heap?.allocatedBytesTotal, residentBytes: process.now,
            residentBytesPeak: process.peak)
    }

    /// Adds the calling thread's requests to the figures. Costs some microseconds, so call it only while no operation
    /// is timed.
    package static func settleThread() { Jemalloc.settleThread() }

    /// Resets the peak, so that the next reading has the peak since this call. Has no effect on systems without this
    /// feature.
    package static func resetPeak() { ProcessFiles.resetPeak() }
}
