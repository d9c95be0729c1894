extension UnsafeRawBufferPointer {
    /// The position of the next such byte from `start` on; ``count`` when there is none. Compares eight bytes at
    /// once, because fields are too short for a call to `memchr` to pay off.
    @inline(__always)
    func position(of byte: UInt8, from start: Int) -> Int {
        guard let base = baseAddress else { return count }
        let count = count
        let wanted = UInt64(byte) &* 0x0101_0101_0101_0101
        var index = start
        while index &+ 8 <= count {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ wanted
            // The lowest set bit is in the first matching byte, which is 0 here.
            let zero = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zero != 0 { return index &+ (zero.trailingZeroBitCount &>> 3) }
            index &+= 8
        }
        while index < count, base.load(fromByteOffset: index, as: UInt8.self) != byte { index &+= 1 }
        return index
    }
}
