import CPNG
import Foundation

/// PNG in and out by libpng's simplified interface, whose functions return on an error where the others `longjmp`.
///
/// The identity is in a private chunk before the last one: `ctID`, 16 bytes, key and version, the least significant
/// byte first. So one compressed picture serves for every version, and every other decoder reads it, too. The
/// compressed bytes depend on the zlib that made them; the pixels don't.
enum PNGCodec {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The last chunk of every PNG: no content, its name, its CRC.
    static let endChunk: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    private static let identityName = Array("ctID".utf8)
    private static let identityChunkByteCount = 12 + 16
    /// Bytes before the picture data: the signature and the chunk with the dimensions.
    private static let headByteCount = 8 + 25
    /// Plain 8-bit RGBA, `PNG_FORMAT_RGBA`.
    private static let format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)

    static func encode(_ image: PixelImage, identity: PayloadIdentity) throws(PayloadError) -> [UInt8] {
        try compress(image) + trailer(identity: identity)
    }

    /// What follows the compressed picture: the chunk with the identity, and the last chunk.
    static func trailer(identity: PayloadIdentity) -> [UInt8] {
        var content = identityName
        content.append(littleEndian: identity.key)
        content.append(littleEndian: identity.version)
        var trailer: [UInt8] = [0, 0, 0, 16]
        trailer.reserveCapacity(identityChunkByteCount + endChunk.count)
        trailer += content
        trailer.append(bigEndian: CRC32.checksum(of: content))
        return trailer + endChunk
    }

    /// The PNG up to, but not including, its last chunk.
    static func compress(_ image: PixelImage) throws(PayloadError) -> [UInt8] {
        var control = png_image()
        control.version = UInt32(PNG_IMAGE_VERSION)
        control.width = UInt32(image.width)
        control.height = UInt32(image.height)
        control.format = format
        // Level 3 and few filters: a fixture server compresses while a load waits.
        control.flags = UInt32(PNG_IMAGE_FLAG_FAST)
        defer { png_image_free(&control) }
        // zlib's worst case for the rows and their filter bytes, and the heads of chunks of 8 KiB.
        let rowsByteCount = (image.width * 4 + 1) * image.height
        let capacity = rowsByteCount + rowsByteCount / 7 + 4096
        var isWritten = false
        let encoded = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initializedCount in
            var byteCount: png_alloc_size_t = numericCast(buffer.count)
            isWritten =
                image.pixels.withUnsafeBytes { pixels in
                    png_image_write_to_memory(&control, buffer.baseAddress, &byteCount, 0, pixels.baseAddress, 0, nil)
                } != 0
            initializedCount = isWritten ? Int(byteCount) : 0
        }
        guard isWritten, encoded.suffix(endChunk.count).elementsEqual(endChunk) else {
            throw .undecodable(kind: "PNG", reason: "libpng can't write it: \(message(of: control))")
        }
        return Array(encoded.dropLast(endChunk.count))
    }

    /// Reads the identity, after checking its own chunk alone.
    static func identity(in raw: UnsafeRawBufferPointer) throws(PayloadError) -> PayloadIdentity {
        let trailerByteCount = identityChunkByteCount + endChunk.count
        guard raw.count >= headByteCount + trailerByteCount else {
            throw .truncated(kind: "PNG", expected: headByteCount + trailerByteCount, found: raw.count)
        }
        let trailer = UnsafeRawBufferPointer(rebasing: raw[(raw.count - trailerByteCount)...])
        let identity = PayloadIdentity(key: trailer.littleEndianWord(at: 8), version: trailer.littleEndianWord(at: 16))
        guard trailer.elementsEqual(Self.trailer(identity: identity)) else {
            throw .undecodable(kind: "PNG", reason: "it does not end with an intact identity: cut short, or not ours")
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
        // The dimensions stand in the first chunk; check them before libpng asks for memory.
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
        // A warning is damage, too: what was written here causes none.
        guard isRead, control.warning_or_error == 0 else {
            throw .undecodable(kind: "PNG", reason: message(of: control))
        }
        return PixelImage(width: Int(width), height: Int(height), pixels: pixels)
    }

    /// What libpng says about the last failure.
    private static func message(of control: png_image) -> String {
        let text = withUnsafeBytes(of: control.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.isEmpty ? "libpng gives no reason" : text
    }
}
