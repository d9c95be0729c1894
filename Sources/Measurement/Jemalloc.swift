#if Jemalloc
    import CJemalloc
#endif

/// The figures of jemalloc, when the package was built with it and it really is the process's allocator.
enum Jemalloc {
    /// What the allocator has handed out, in all arenas together.
    struct Reading {
        var allocatedBytes: UInt64
        var allocationCount: UInt64
        var allocatedBytesTotal: UInt64
    }

    #if Jemalloc
        /// Whether an allocation shows up in jemalloc's figures; it doesn't when a sanitizer took its place.
        static let isAllocator: Bool = {
            guard let before = threadAllocatedBytes() else { return false }
            let probe = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)
            // Stored to, so that the optimiser can't leave the allocation out.
            probe.storeBytes(of: 1, as: UInt8.self)
            let after = threadAllocatedBytes()
            probe.deallocate()
            return after.map { $0 >= before + 1 << 16 } ?? false
        }()

        /// The figures now, or `nil` when jemalloc is not the allocator or was built without statistics.
        static func read() -> Reading? {
            guard isAllocator else { return nil }
            // The calling thread's own store of freed memory goes back, and the figures are renewed.
            _ = mallctl("thread.tcache.flush", nil, nil, nil, 0)
            var epoch: UInt64 = 1
            guard mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0,
                let allocated: Int = value("stats.allocated"), let cached: Int = value("\(arena).tcache_bytes"),
                let small: UInt64 = value("\(arena).small.nrequests"),
                let large: UInt64 = value("\(arena).large.nrequests")
            else { return nil }
            return Reading(
                allocatedBytes: UInt64(max(allocated - cached, 0)), allocationCount: small + large,
                allocatedBytesTotal: requestedBytes(classes: "bins", sizes: "bin", count: "arenas.nbins")
                    + requestedBytes(classes: "lextents", sizes: "lextent", count: "arenas.nlextents"))
        }

        /// All arenas together, in the statistics' names: `MALLCTL_ARENAS_ALL`.
        private static let arena = "stats.arenas.4096"

        /// Bytes requested since the start in the size classes of one family.
        private static func requestedBytes(classes: String, sizes: String, count: String) -> UInt64 {
            guard let count: UInt32 = value(count) else { return 0 }
            return (0..<count).reduce(0) { sum, index in
                let requests: UInt64 = value("\(arena).\(classes).\(index).nrequests") ?? 0
                let size: Int = value("arenas.\(sizes).\(index).size") ?? 0
                return sum &+ requests &* UInt64(max(size, 0))
            }
        }

        private static func threadAllocatedBytes() -> UInt64? { value("thread.allocated") }

        /// A figure by name, if it exists and has the type's size.
        private static func value<Figure: FixedWidthInteger>(_ name: String) -> Figure? {
            var figure: Figure = 0
            var size = MemoryLayout<Figure>.size
            guard mallctl(name, &figure, &size, nil, 0) == 0, size == MemoryLayout<Figure>.size else { return nil }
            return figure
        }
    #else
        static var isAllocator: Bool { false }

        static func read() -> Reading? { nil }
    #endif
}
