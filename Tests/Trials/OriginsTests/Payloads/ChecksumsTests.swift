import Testing

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct ChecksumsTests {
    @Test func `the CRC-32 is the one of PNG and zlib`() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: Array("IEND".utf8)) == 0xAE42_6082)
    }

    @Test func `a digest depends on every byte and on the length`() {
        let bytes = [UInt8](repeating: 0, count: 37)
        func digest(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { ByteBlock.digest(ofFill: $0) } }
        var seen: Set<UInt64> = [digest(bytes)]
        for index in bytes.indices {
            var changed = bytes
            changed[index] = 1
            #expect(seen.insert(digest(changed)).inserted, "byte \(index)")
        }
        for count in 0..<37 {
            #expect(seen.insert(digest(Array(bytes.prefix(count)))).inserted, "\(count) bytes")
        }
    }
}
