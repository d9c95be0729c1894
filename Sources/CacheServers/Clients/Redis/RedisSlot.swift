/// The slot of a key in a Redis cluster.
///
/// 16,384 slots are divided among the nodes. A key's slot is the CRC-16 (XMODEM) of its bytes, or of the text in its
/// first pair of braces, so that keys can be kept on one node. Source: "Redis cluster specification", redis.io.
package enum RedisSlot {
    /// The number of slots.
    package static let count = 16_384

    /// The slot of a key. Linear in its bytes.
    package static func of(_ key: some Collection<UInt8>) -> Int { Int(crc16(hashed(key))) % count }

    /// The hashed part of a key: the text between the first `{` and the next `}`, or the whole key if that text is
    /// empty.
    private static func hashed<Bytes: Collection<UInt8>>(_ key: Bytes) -> Bytes.SubSequence {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")) else { return key[...] }
        let start = key.index(after: open)
        guard let end = key[start...].firstIndex(of: UInt8(ascii: "}")), end > start else { return key[...] }
        return key[start..<end]
    }

    /// CRC-16/XMODEM: polynomial 0x1021, no reflection, initial value 0.
    package static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 8) ^ byte)] }
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
}
