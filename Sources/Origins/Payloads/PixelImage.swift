import TrialModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A picture in memory: 8-bit RGBA, row by row.
///
/// The picture of a key is a colour gradient with two bits of noise in each channel, so that it compresses to about a
/// third, as a photograph does. The first two pixels hold the key, so that swapped contents are detected.
struct PixelImage: Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The picture of a key. Costs about 3 ns a pixel.
    init(seed: UInt64, key: UInt64, byteCount: Int) {
        let (width, height) = Self.dimensions(forByteCount: byteCount)
        let recipe = Recipe(seed: seed, key: key, width: width, height: height)
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, initializedCount in
            for y in 0..<height {
                let row = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[(y * width * 4)..<((y + 1) * width * 4)]
                )
                recipe.draw(row: y, into: row)
            }
            initializedCount = width * height * 4
        }
        self.init(width: width, height: height, pixels: pixels)
    }

    /// The nearly square picture whose pixels take at most `byteCount` bytes, but never fewer than 4 × 4 pixels. It is
    /// smaller by less than one row.
    static func dimensions(forByteCount byteCount: Int) -> (width: Int, height: Int) {
        let count = max(byteCount / 4, PayloadLimits.byteCountMin / 4)
        var width = Int(Double(count).squareRoot())
        while width * width > count { width -= 1 }
        while (width + 1) * (width + 1) <= count { width += 1 }
        return (width, count / width)
    }

    /// The key in the first two pixels; `nil` in a picture with fewer pixels.
    var stampedKey: UInt64? {
        pixels.withUnsafeBytes { $0.count >= 8 ? $0.littleEndianWord(at: 0) : nil }
    }

    /// Whether every pixel equals that of the key's picture. Needs memory for one row.
    func isIntact(seed: UInt64, key: UInt64) -> Bool {
        guard width >= 4, pixels.count == width * height * 4 else { return false }
        let recipe = Recipe(seed: seed, key: key, width: width, height: height)
        var expected = [UInt8](repeating: 0, count: width * 4)
        return expected.withUnsafeMutableBytes { expected in
            pixels.withUnsafeBytes { pixels in
                (0..<height).allSatisfy { y in
                    recipe.draw(row: y, into: expected)
                    let row = UnsafeRawBufferPointer(
                        rebasing: pixels[(y * expected.count)..<((y + 1) * expected.count)])
                    return row.isEqual(to: expected)
                }
            }
        }
    }

    /// The parameters from which a picture's rows are drawn.
    private struct Recipe {
        private let key: UInt64
        private let base: UInt64
        private let slopes: UInt64
        private let noise: UInt64

        init(seed: UInt64, key: UInt64, width: Int, height: Int) {
            var random = RandomSource(
                seed: seed, stream: PayloadStream.content, key, UInt64(width), UInt64(height)
            )
            self.key = key
            base = random.next()
            slopes = random.next()
            noise = random.next()
        }

        /// Draws a row; `row` has four bytes for each pixel.
        func draw(row y: Int, into row: UnsafeMutableRawBufferPointer) {
            var source = SplitMix64(state: noise ^ SplitMix64.mix(UInt64(y)))
            var bits: UInt64 = 0
            // A channel's value has 4 bits after the binary point; two channels share a word, 32 bits apart.
            var redBlue = channels(base, y: y, shift: 0)
            var green = channels(base >> 8, y: y, shift: 4)
            let redBlueStep = ((slopes >> 32) & 0x7) | (((slopes >> 36) & 0x7) << 32)
            let greenStep = (slopes >> 40) & 0x7
            for x in 0..<(row.count / 4) {
                if x & 7 == 0 { bits = source.next() }
                let red = ((redBlue >> 4) &+ (bits & 3)) & 0xFF
                let blue = ((redBlue >> 36) &+ ((bits >> 2) & 3)) & 0xFF
                let middle = ((green >> 4) &+ ((bits >> 4) & 3)) & 0xFF
                let pixel = UInt32(truncatingIfNeeded: red | (middle << 8) | (blue << 16) | (0xFF << 24))
                row.storeBytes(of: pixel.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
                redBlue = (redBlue &+ redBlueStep) & 0x0000_0FFF_0000_0FFF
                green = (green &+ greenStep) & 0xFFF
                bits >>= 8
            }
            if y == 0, row.count >= 8 {
                row.storeBytes(of: key.littleEndian, as: UInt64.self)
            }
        }

        /// Two channels at the start of a row.
        private func channels(_ base: UInt64, y: Int, shift: UInt64) -> UInt64 {
            let first = ((base & 0xFF) << 4) &+ UInt64(y) &* ((slopes >> shift) & 0x7)
            let second = (((base >> 16) & 0xFF) << 4) &+ UInt64(y) &* ((slopes >> (shift + 8)) & 0x7)
            return (first & 0xFFF) | ((second & 0xFFF) << 32)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this many bytes are equal; ten times as fast as comparing them one by one.
    fileprivate func isEqual(to other: UnsafeMutableRawBufferPointer) -> Bool {
        guard count == other.count, let baseAddress, let address = other.baseAddress else { return false }
        return memcmp(baseAddress, address, count) == 0
    }
}
