import CPNG
import CZlib
import Foundation
import TrialModel

/// A picture in memory: 8-bit RGBA, row by row.
///
/// The picture of a key is a colour gradient with two bits of noise in each channel, so that it compresses to about a
/// third, as a photograph does. The first two pixels hold the key, so that swapped contents are detected.
struct PixelImage: Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]
}

extension PixelImage {
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

/// Reads PNG with libpng's simplified interface, whose functions return on an error where the others `longjmp`; writes
/// PNG with zlib.
///
/// The identity is in a private chunk before the last one: `ctID`, 24 bytes: key, version and lifetime, the least
/// significant byte first. So one compressed picture serves every version, and any other decoder can read it, too. The
/// compressed bytes depend on the zlib that made them; the pixels don't.
enum PNGCodec {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The last chunk of every PNG: an empty content, its name, its CRC.
    static let endChunk: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    private static let identityChunkByteCount = 12 + 24
    /// Bytes before the picture data: the signature and the chunk with the dimensions.
    private static let headByteCount = 8 + 25
    /// Plain 8-bit RGBA, `PNG_FORMAT_RGBA`.
    private static let format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)

    static func encode(_ image: PixelImage, identity: PayloadIdentity) throws(PayloadError) -> [UInt8] {
        try compress(image) + trailer(identity: identity)
    }

    /// The bytes after the compressed picture: the chunk with the identity, and the last chunk.
    static func trailer(identity: PayloadIdentity) -> [UInt8] {
        var content: [UInt8] = []
        content.append(littleEndian: identity.key)
        content.append(littleEndian: identity.version)
        content.append(littleEndian: identity.lifetime)
        return chunk("ctID", content) + endChunk
    }

    /// The PNG up to, but not including, its last chunk: signature, dimensions, and the pixels in one chunk.
    ///
    /// It is written here and not by libpng, whose simplified interface has no fast setting: a fixture server
    /// compresses while a load waits. Each pixel is stored as its difference from the one to its left, and Huffman
    /// coded without a search for repetitions.
    static func compress(_ image: PixelImage) throws(PayloadError) -> [UInt8] {
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(image.width))
        header.append(bigEndian: UInt32(image.height))
        // These are 8 bits a channel, RGBA, and the only defined methods of compression, filtering and order.
        header += [8, 6, 0, 0, 0]
        let picture = try deflate(filtered(image))
        var encoded = signature
        encoded.reserveCapacity(headByteCount + 12 + picture.count)
        encoded += chunk("IHDR", header)
        encoded += chunk("IDAT", picture)
        return encoded
    }

    /// A chunk: length, name, content, CRC of name and content.
    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(content.count + 12)
        chunk.append(bigEndian: UInt32(content.count))
        chunk += name.utf8
        chunk += content
        let sum = chunk.withUnsafeBytes { CRC32.checksum(of: UnsafeRawBufferPointer(rebasing: $0[4...])) }
        chunk.append(bigEndian: sum)
        return chunk
    }

    /// The rows as differences from the pixel to the left, each after the number of PNG's filter `Sub`.
    private static func filtered(_ image: PixelImage) -> [UInt8] {
        let rowByteCount = image.width * 4
        let byteCount = (rowByteCount + 1) * image.height
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, initializedCount in
            image.pixels.withUnsafeBufferPointer { pixels in
                for y in 0..<image.height {
                    let from = y * rowByteCount
                    let to = y * (rowByteCount + 1)
                    output[to] = 1
                    for x in 0..<4 { output[to + 1 + x] = pixels[from + x] }
                    for x in 4..<rowByteCount { output[to + 1 + x] = pixels[from + x] &- pixels[from + x - 4] }
                }
            }
            initializedCount = byteCount
        }
    }

    private static func deflate(_ bytes: [UInt8]) throws(PayloadError) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        let windowBits: Int32 = 15
        guard deflateInit2_(&stream, 1, Z_DEFLATED, windowBits, 9, Z_HUFFMAN_ONLY, zlibVersion(), size) == Z_OK else {
            throw .undecodable(kind: "PNG", reason: "zlib can't be started")
        }
        defer { deflateEnd(&stream) }
        var isWhole = false
        let compressed = [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, uLong(bytes.count)))) {
            output, initializedCount in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                isWhole = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            initializedCount = Int(stream.total_out)
        }
        guard isWhole else { throw .undecodable(kind: "PNG", reason: "zlib can't compress it") }
        return compressed
    }

    /// Reads the identity after checking only its own chunk.
    static func identity(in raw: UnsafeRawBufferPointer) throws(PayloadError) -> PayloadIdentity {
        let trailerByteCount = identityChunkByteCount + endChunk.count
        guard raw.count >= headByteCount + trailerByteCount else {
            throw .truncated(kind: "PNG", expected: headByteCount + trailerByteCount, found: raw.count)
        }
        let trailer = UnsafeRawBufferPointer(rebasing: raw[(raw.count - trailerByteCount)...])
        let identity = PayloadIdentity(
            key: trailer.littleEndianWord(at: 8), version: trailer.littleEndianWord(at: 16),
            lifetime: trailer.littleEndianWord(at: 24))
        guard trailer.elementsEqual(Self.trailer(identity: identity)) else {
            throw .undecodable(
                kind: "PNG", reason: "it does not end with an intact identity: truncated, or from another encoder")
        }
        return identity
    }

    static func decode(_ encoded: Data) throws(PayloadError) -> (PayloadIdentity, PixelImage) {
        let decoded = encoded.withUnsafeBytes { raw in
            Result { () throws(PayloadError) in (try identity(in: raw), try decodePixels(raw)) }
        }
        let (found, image) = try decoded.get()
        guard let key = image.stampedKey, key == found.key else {
            throw .mixedUp(identity: found.key, content: image.stampedKey ?? 0)
        }
        return (found, image)
    }

    private static func decodePixels(_ raw: UnsafeRawBufferPointer) throws(PayloadError) -> PixelImage {
        // The dimensions are in the first chunk; they are checked before libpng allocates memory.
        let width = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        let height = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
        let (byteCount, overflows) = (UInt64(width) * UInt64(height)).multipliedReportingOverflow(by: 4)
        guard !overflows, byteCount <= UInt64(PayloadLimits.byteCountMax) else {
            throw .tooLarge(kind: "PNG", claimed: overflows ? .max : byteCount)
        }
        var control = png_image()
        control.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&control) }
        guard png_image_begin_read_from_memory(&control, raw.baseAddress, raw.count) != 0,
            control.width == width, control.height == height
        else { throw .undecodable(kind: "PNG", reason: message(of: control)) }
        control.format = format
        var isRead = false
        let pixels = [UInt8](unsafeUninitializedCapacity: Int(byteCount)) { buffer, initializedCount in
            isRead = png_image_finish_read(&control, nil, buffer.baseAddress, 0, nil) != 0
            initializedCount = isRead ? Int(byteCount) : 0
        }
        // A warning also means damage: pictures written here cause none.
        guard isRead, control.warning_or_error == 0 else {
            throw .undecodable(kind: "PNG", reason: message(of: control))
        }
        return PixelImage(width: Int(width), height: Int(height), pixels: pixels)
    }

    /// libpng's message about the last failure.
    private static func message(of control: png_image) -> String {
        let text = withUnsafeBytes(of: control.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.isEmpty ? "libpng gives no reason" : text
    }
}
