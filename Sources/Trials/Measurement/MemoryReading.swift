#if Jemalloc
    import CJemalloc
#endif

/// The memory of the process at one moment, in bytes; values that cannot be read are `nil`.
package struct MemoryReading: Equatable, Sendable {
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

/// The statistics of jemalloc, if the package was built with it and it is the process's allocator.
enum Jemalloc {
    /// The allocations of all arenas together.
    struct Reading {
        var allocatedBytes: UInt64
        var allocationCount: UInt64
        var allocatedBytesTotal: UInt64
    }

    #if Jemalloc
        /// Whether jemalloc counts an allocation; it does not when a sanitizer replaces it.
        static let isAllocator: Bool = {
            guard let before = threadAllocatedBytes() else { return false }
            let probe = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)
            // The store keeps the optimiser from removing the allocation.
            probe.storeBytes(of: 1, as: UInt8.self)
            let after = threadAllocatedBytes()
            probe.deallocate()
            return after.map { $0 >= before + 1 << 16 } ?? false
        }()

        /// The current figures, or `nil` when jemalloc is not the allocator or was built without statistics.
        ///
        /// Allocates nothing, so that a reading does not count itself.
        static func read() -> Reading? {
            guard isAllocator else { return nil }
            settleThread()
            var epoch: UInt64 = 1
            guard mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0,
                let allocated: Int = value("stats.allocated"),
                let cached: Int = value("stats.arenas.4096.tcache_bytes"),
                let smallClasses: UInt32 = value("arenas.nbins"),
                let largeClasses: UInt32 = value("arenas.nlextents")
            else { return nil }
            // 4096 means all arenas; the number before `nrequests` and `size` is replaced in the loop.
            let small = requests(
                count: smallClasses, requests: "stats.arenas.4096.bins.0.nrequests", size: "arenas.bin.0.size")
            let large = requests(
                count: largeClasses, requests: "stats.arenas.4096.lextents.0.nrequests", size: "arenas.lextent.0.size")
            return Reading(
                allocatedBytes: UInt64(max(allocated - cached, 0)), allocationCount: small.count &+ large.count,
                allocatedBytesTotal: small.bytes &+ large.bytes)
        }

        /// Flushes the calling thread's cache: its freed memory and its count of requests. Otherwise jemalloc adds them
        /// up only when the thread ends.
        static func settleThread() {
            guard isAllocator else { return }
            _ = mallctl("thread.tcache.flush", nil, nil, nil, 0)
        }

        /// Requests since the start and their bytes, in the size classes of one family.
        private static func requests(
            count classCount: UInt32, requests: StaticString, size: StaticString
        ) -> (count: UInt64, bytes: UInt64) {
            // The names' parts as numbers (`mallctlnametomib`); the class is the fifth of one, the third of the other.
            var requestsName = (0, 0, 0, 0, 0, 0)
            var sizeName = (0, 0, 0, 0)
            guard resolve(requests, into: &requestsName), resolve(size, into: &sizeName) else { return (0, 0) }
            var total: (count: UInt64, bytes: UInt64) = (0, 0)
            for index in 0..<Int(classCount) {
                requestsName.4 = index
                sizeName.2 = index
                guard let count: UInt64 = value(named: &requestsName), let size: UInt = value(named: &sizeName)
                else { continue }
                total.count &+= count
                total.bytes &+= count &* UInt64(size)
            }
            return total
        }

        /// A figure by name, if it exists and has the type's size.
        private static func value<Figure: FixedWidthInteger>(_ name: StaticString) -> Figure? {
            var figure: Figure = 0
            var size = MemoryLayout<Figure>.size
            guard mallctl(characters(name), &figure, &size, nil, 0) == 0, size == MemoryLayout<Figure>.size
            else { return nil }
            return figure
        }

        /// A figure by the numeric form of its name.
        private static func value<Name, Figure: FixedWidthInteger>(named name: inout Name) -> Figure? {
            var figure: Figure = 0
            var size = MemoryLayout<Figure>.size
            let status = withUnsafeBytes(of: &name) { parts in
                mallctlbymib(
                    parts.assumingMemoryBound(to: Int.self).baseAddress, parts.count / MemoryLayout<Int>.size, &figure,
                    &size, nil, 0)
            }
            return status == 0 && size == MemoryLayout<Figure>.size ? figure : nil
        }

        /// Converts a name to its numeric form; `name` is a tuple with one number per part of the name.
        private static func resolve<Name>(_ text: StaticString, into name: inout Name) -> Bool {
            withUnsafeMutableBytes(of: &name) { parts in
                var count = parts.count / MemoryLayout<Int>.size
                let numbers = parts.assumingMemoryBound(to: Int.self).baseAddress
                return mallctlnametomib(characters(text), numbers, &count) == 0
                    && count == parts.count / MemoryLayout<Int>.size
            }
        }

        /// The name as a C string; static strings end with a zero byte.
        private static func characters(_ name: StaticString) -> UnsafePointer<CChar> {
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        private static func threadAllocatedBytes() -> UInt64? { value("thread.allocated") }
    #else
        static var isAllocator: Bool { false }

        static func read() -> Reading? { nil }

        static func settleThread() {}
    #endif
}
