import Foundation
import Testing

@testable import Measurement

/// Readings cover a whole process, so each test that compares them runs in a separate process.
@Suite(.timeLimit(.minutes(1)))
struct MemoryMeterTests {
    private static let blockBytes = 10 << 20

    /// A block that was written to, so that it is resident.
    private static func makeBlock() -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 1, count: blockBytes)
        return block
    }

    @Test(.enabled(if: MemoryMeter.allocator != nil, "built without jemalloc, or under a sanitizer"))
    func `a reading sees an allocation come and go`() async {
        await #expect(processExitsWith: .success) {
            _ = MemoryMeter.read()
            let before = try #require(MemoryMeter.read().allocatedBytes)
            let block = Self.makeBlock()
            let during = try #require(MemoryMeter.read().allocatedBytes)
            block.deallocate()
            let after = try #require(MemoryMeter.read().allocatedBytes)
            // The allocator rounds up by a fifth at most; the rest is the test's own.
            try #require(during >= before + UInt64(Self.blockBytes))
            try #require(during < before + UInt64(Self.blockBytes) * 6 / 5 + 65_536)
            try #require(abs(Int(after) - Int(before)) < 65_536)
        }
    }

    @Test(.enabled(if: MemoryMeter.allocator != nil, "built without jemalloc, or under a sanitizer"))
    func `totals include memory that was freed again`() async {
        await #expect(processExitsWith: .success) {
            _ = MemoryMeter.read()
            let before = MemoryMeter.read()
            for _ in 0..<20 { Self.makeBlock().deallocate() }
            let after = MemoryMeter.read()
            let bytes = try #require(after.allocatedBytesTotal) - #require(before.allocatedBytesTotal)
            let count = try #require(after.allocationCount) - #require(before.allocationCount)
            try #require(bytes >= 20 * UInt64(Self.blockBytes))
            try #require(bytes < 25 * UInt64(Self.blockBytes))
            // Without optimisation a reading itself allocates thousands of times; with it, once.
            try #require((20...20_000).contains(count))
        }
    }

    @Test(.enabled(if: MemoryMeter.allocator != nil, "built without jemalloc, or under a sanitizer"))
    func `freed memory that another thread keeps for itself is not counted`() async {
        await #expect(processExitsWith: .success) {
            let freed = DispatchSemaphore(value: 0)
            let done = DispatchSemaphore(value: 0)
            _ = MemoryMeter.read()
            let before = try #require(MemoryMeter.read().allocatedBytes)
            Thread.detachNewThread {
                // A thread caches some memory of each size for its next allocations: half a megabyte of this size.
                let blocks = (0..<16).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 32_768, alignment: 16) }
                for block in blocks { block.initializeMemory(as: UInt8.self, repeating: 1, count: 32_768) }
                for block in blocks { block.deallocate() }
                freed.signal()
                done.wait()
            }
            freed.wait()
            let after = try #require(MemoryMeter.read().allocatedBytes)
            done.signal()
            try #require(abs(Int(after) - Int(before)) < 65_536)
        }
    }

    @Test(.enabled(if: MemoryMeter.allocator == nil, "jemalloc is the allocator"))
    func `without jemalloc there are no heap figures`() {
        let reading = MemoryMeter.read()
        #expect(reading.allocatedBytes == nil)
        #expect(reading.allocationCount == nil)
        #expect(reading.allocatedBytesTotal == nil)
    }

    #if os(Linux)
        @Test
        func `resident memory and its peak are read, and the peak can be reset`() async {
            await #expect(processExitsWith: .success) {
                let bytes = 64 << 20
                // Mapped directly: an allocator may keep freed memory.
                let block = try #require(
                    mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
                memset(block, 1, bytes)
                let during = try #require(MemoryMeter.read().residentBytes)
                munmap(block, bytes)
                let after = MemoryMeter.read()
                MemoryMeter.resetPeak()
                let later = MemoryMeter.read()
                let slack = 8 << 20
                try #require(during > bytes)
                try #require(try #require(after.residentBytes) < during - UInt64(bytes - slack))
                try #require(try #require(after.residentBytesPeak) > during - UInt64(slack))
                try #require(try #require(later.residentBytesPeak) < during - UInt64(bytes - slack))
            }
        }
    #endif

    @Test
    func `a field is found at the start of a line only`() {
        let text = "Name:\tVmRSS: 5\nVmRSS:\t    1234 kB\n"
        let bytes = Array(text.utf8).withUnsafeBytes { ProcessFiles.kibibytes("\nVmRSS:", in: $0) }
        #expect(bytes == 1234 * 1024)
    }

    @Test(arguments: ["", "\n", "\nVmRSS:", "\nVmRSS: kB", "\nVmRSS: -5", "\nVmRSS: 99999999999999999999999"])
    func `a field without a valid number is absent`(text: String) {
        let bytes = Array(text.utf8).withUnsafeBytes { ProcessFiles.kibibytes("\nVmRSS:", in: $0) }
        #expect(bytes == nil)
    }
}
